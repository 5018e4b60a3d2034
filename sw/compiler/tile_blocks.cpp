// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tile_blocks.h"

#include <algorithm>

#include "sw/graph/array_tile.h"

namespace podsim::sw {
namespace {

using base::Bytes;
using base::divide_round_up;
using base::round_up;

Bytes share(Bytes bytes, std::int64_t parts) { return Bytes(divide_round_up(bytes.value(), parts)); }

IndexedRows share(const IndexedRows& rows, std::int64_t parts) {
  return {divide_round_up(rows.slices, parts), divide_round_up(rows.pieces, parts), rows.piece, rows.span};
}

}  // namespace

Bytes TileBlocks::row_block() const {
  return with_halo(share(work_.row_bytes, cuts_.batch * cuts_.rows * cuts_.contraction), 0);
}

Bytes TileBlocks::lane_block() const {
  return with_halo(share(work_.lane_bytes, cuts_.batch * cuts_.lanes * cuts_.contraction), 1);
}

Bytes TileBlocks::output_side_block() const { return share(work_.output_side_bytes, output_tiles()); }

Bytes TileBlocks::written_block() const { return share(work_.written_bytes, output_tiles()); }

IndexedRows TileBlocks::gathered_block() const { return share(work_.gathered, output_tiles()); }

IndexedRows TileBlocks::updated_block() const { return share(work_.updated, output_tiles()); }

hw::MxuWork TileBlocks::earlier_mxu(const MatmulProblem& problem) const {
  return spread({.weight_tiles = divide_round_up(problem.weight_tiles(machine_.mxu.size), cuts_.tiles()),
                 .rows = round_up(problem.rows, kSublanes)});
}

hw::MxuWork TileBlocks::mxu() const {
  const MatmulProblem& problem = *work_.matmul;
  std::int64_t lane_tiles = divide_round_up(problem.lanes, machine_.mxu.size);
  std::int64_t lane_cuts = std::min(cuts_.lanes, lane_tiles);
  std::int64_t block_cuts = divide_round_up(cuts_.lanes, lane_cuts);
  std::int64_t stationary =
      divide_round_up(lane_tiles, lane_cuts) * divide_round_up(problem.stationary_blocks, block_cuts);
  return spread({.weight_tiles = divide_round_up(problem.batch, cuts_.batch) * stationary *
                                 divide_round_up(problem.contraction_tiles, cuts_.contraction),
                 .rows = round_up(divide_round_up(problem.rows, cuts_.rows), kSublanes)});
}

Bytes TileBlocks::accumulator() const {
  if (!work_.matmul) return Bytes(0);
  std::int64_t lanes = round_up(work_.matmul->lanes, machine_.vector.lanes);
  return share(Bytes(work_.matmul->output_rows * lanes * 4), output_tiles());
}

Bytes TileBlocks::vmem() const {
  bool one_row_block = cuts_.batch * cuts_.rows * cuts_.contraction == 1;
  bool one_lane_block = cuts_.batch * cuts_.lanes * cuts_.contraction == 1;
  return row_block() * (one_row_block ? 1 : 2) + lane_block() * (one_lane_block ? 1 : 2) + accumulator() +
         2 * (output_side_block() + written_block() + gathered_block().bytes()) + 4 * updated_block().bytes() +
         work_.small_bytes;
}

/// Weight tiles that do not divide over the MXUs are held by all of them, and the rows divided instead, when that is
/// faster.
hw::MxuWork TileBlocks::spread(const hw::MxuWork& whole) const {
  std::int64_t units = machine_.mxu.count;
  hw::MxuWork divided{whole.weight_tiles * units, round_up(divide_round_up(whole.rows, units), kSublanes)};
  auto cycles = [&](const hw::MxuWork& work) {
    return divide_round_up(work.weight_tiles, units) * std::max(work.rows, machine_.mxu.weight_load.value());
  };
  return cycles(divided) < cycles(whole) ? divided : whole;
}

/// Cuts between rows of pixels re-read what the window overlaps; `operand` is the hero's operand number of a side.
Bytes TileBlocks::with_halo(Bytes block, int side) const {
  if (!work_.matmul) return block;
  const MatmulProblem& problem = *work_.matmul;
  int operand = side == 0 ? problem.row_operand : problem.lane_operand;
  std::int64_t cuts = side == 0 ? cuts_.rows : cuts_.lanes;
  if (operand != 0 || cuts <= problem.cuts_without_halo) return block;
  double per_block = double(divide_round_up(cuts, problem.cuts_without_halo)) * problem.halo_per_cut;
  return Bytes(std::int64_t(double(block.value()) * (1 + per_block)));
}

}  // namespace podsim::sw
