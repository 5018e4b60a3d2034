// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/tile_blocks.h"

#include <algorithm>

#include "hlo/array_tile.h"

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;

Bytes share(Bytes bytes, std::int64_t parts) { return Bytes(base::divide_round_up(bytes.value(), parts)); }

hw::LevelBytes share(hw::LevelBytes bytes, std::int64_t parts) {
  for (Bytes& part : bytes.at) {
    if (part > Bytes(0)) part = share(part, parts);
  }
  return bytes;
}

/// A tile's part of the rows: whole pieces, or of pieces that are fewer than the tiles and longer than `least` a part
/// of one, since a window of an array is tiled like any other operand.
IndexedRows share(const IndexedRows& rows, std::int64_t parts, Bytes least) {
  IndexedRows part = rows;
  part.slices = base::divide_round_up(rows.slices, parts);
  part.pieces = base::divide_round_up(rows.pieces, parts);
  if (rows.pieces < parts) part.piece = std::min(rows.piece, std::max(least, share(rows.bytes(), parts)));
  return part;
}

}  // namespace

hw::LevelBytes TileBlocks::row_block() const {
  return with_halo(share(work_.row_bytes, tiling_.batch * tiling_.rows * tiling_.contraction), 0);
}

hw::LevelBytes TileBlocks::lane_block() const {
  hw::LevelBytes block = share(work_.lane_bytes, tiling_.batch * tiling_.lanes * tiling_.contraction);
  if (work_.matmul) {
    const double read = stationary_block().padding;
    for (Bytes& part : block.at) part = Bytes(std::int64_t(double(part.value()) * read));
  }
  return with_halo(block, 1);
}

StridedOperand::Block TileBlocks::stationary_block() const {
  return work_.matmul->stationary.block(tiling_.batch, tiling_.lanes, tiling_.contraction);
}

hw::LevelBytes TileBlocks::output_side_block() const {
  // Arrays that several products share are read whole by each of them.
  const std::int64_t shared = std::min(work_.sharing_products, tiling_.batch) - 1;
  return share(work_.output_side_bytes + shared * work_.shared_side_bytes, output_tiles());
}

hw::LevelBytes TileBlocks::written_block() const { return share(work_.written_bytes, output_tiles()); }

hw::LevelBytes TileBlocks::table_block() const { return share(work_.table_bytes, output_tiles()); }

IndexedRows TileBlocks::gathered_block() const {
  return share(work_.gathered, output_tiles(), machine_.compiler.min_tile);
}

IndexedRows TileBlocks::updated_block() const {
  return share(work_.updated, output_tiles(), machine_.compiler.min_tile);
}

/// A tile's part of a product before the last one: of its weight tiles, or of its rows if these are more.
hw::MxuWork TileBlocks::earlier_mxu(const MatmulProblem& problem) const {
  const std::int64_t all = problem.weight_tiles(machine_.mxu.size);
  const bool by_rows = all < tiling_.tiles();
  return spread({.weight_tiles = by_rows ? all : base::divide_round_up(all, tiling_.tiles()),
                 .rows = base::round_up(by_rows ? base::divide_round_up(problem.rows, tiling_.tiles()) : problem.rows,
                                        hlo::tile_sublanes),
                 .product = problem.product,
                 .depth = problem.depth});
}

hw::MxuWork TileBlocks::mxu() const {
  const MatmulProblem& problem = *work_.matmul;
  std::int64_t lane_tiles = base::divide_round_up(problem.lanes, machine_.mxu.size);
  std::int64_t lane_splits = std::min(tiling_.lanes, lane_tiles);
  std::int64_t block_splits = base::divide_round_up(tiling_.lanes, lane_splits);
  std::int64_t stationary =
      base::divide_round_up(lane_tiles, lane_splits) * base::divide_round_up(problem.stationary_blocks, block_splits);
  return spread(
      {.weight_tiles = base::divide_round_up(problem.batch, tiling_.batch) * stationary * problem.precision_passes *
                       base::divide_round_up(problem.contraction_tiles, tiling_.contraction),
       .rows = base::round_up(base::divide_round_up(problem.rows, tiling_.rows), hlo::tile_sublanes),
       .product = problem.product,
       .depth = problem.depth});
}

Bytes TileBlocks::accumulator() const {
  if (!work_.matmul) return Bytes(0);
  std::int64_t lanes = base::round_up(work_.matmul->lanes, machine_.vector.lanes);
  return share(Bytes(work_.matmul->output_rows * lanes * 4), output_tiles());
}

Bytes TileBlocks::vmem() const {
  bool one_row_block = tiling_.batch * tiling_.rows * tiling_.contraction == 1;
  bool one_lane_block = tiling_.batch * tiling_.lanes * tiling_.contraction == 1;
  const Bytes beside = output_side_block().total() + collected_side() + written_block().total() + table_block().total();
  return row_block().total() * (one_row_block ? 1 : 2) + lane_block().total() * (one_lane_block ? 1 : 2) +
         partial_sums() + 2 * (beside + gathered_block().bytes()) + 4 * updated_block().bytes() +
         work_.small_bytes.total();
}

/// Sums of a divided contraction whose weight tiles are collected are held twice: those that are added to, and those
/// that the epilogue reads. Other sums are in the block of a result that has room for them.
Bytes TileBlocks::partial_sums() const {
  if (work_.collected.stores > 0 && tiling_.contraction > 1) return 2 * accumulator();
  return work_.sums_in_result ? Bytes(0) : accumulator();
}

/// Rows of arrays that several products share are collected as words.
Bytes TileBlocks::collected_side() const { return 2 * share(work_.shared_side_bytes, output_tiles()).total(); }

/// If weight tiles do not divide evenly among the MXUs, all MXUs hold all tiles and the rows are divided instead, when
/// that is faster.
hw::MxuWork TileBlocks::spread(const hw::MxuWork& whole) const {
  std::int64_t units = machine_.mxu.count;
  hw::MxuWork divided{whole.weight_tiles * units,
                      base::round_up(base::divide_round_up(whole.rows, units), hlo::tile_sublanes), whole.product,
                      whole.depth};
  auto cycles = [&](const hw::MxuWork& work) {
    return base::divide_round_up(work.weight_tiles, units) *
           std::max(work.rows, machine_.mxu.weight_load(work.depth).value());
  };
  return cycles(divided) < cycles(whole) ? divided : whole;
}

/// Splits between rows of pixels re-read the rows where windows overlap. `side` 0 is the row side, 1 the lane side.
hw::LevelBytes TileBlocks::with_halo(hw::LevelBytes block, int side) const {
  if (!work_.matmul) return block;
  const MatmulProblem& problem = *work_.matmul;
  int operand = side == 0 ? problem.row_operand : problem.lane_operand;
  std::int64_t tiling = side == 0 ? tiling_.rows : tiling_.lanes;
  if (operand != 0 || tiling <= problem.splits_without_halo) return block;
  double per_block = double(base::divide_round_up(tiling, problem.splits_without_halo)) * problem.halo_per_split;
  for (Bytes& part : block.at) {
    part = Bytes(std::int64_t(double(part.value()) * (1 + std::min(per_block, problem.max_halo))));
  }
  return block;
}

}  // namespace podsim::sw::compiler::tiles
