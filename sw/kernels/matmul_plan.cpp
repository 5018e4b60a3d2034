// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_plan.h"

#include <algorithm>

#include "sw/kernels/packed_tile.h"

namespace podsim::sw {

using base::divide_round_up;
using base::round_up;

namespace {

constexpr std::int64_t weight_registers = 16;
constexpr std::int64_t words_per_row = 128;
/// As many hide the scalar operations that step from one group to the next.
constexpr std::int64_t most_epilogue_rows = 16;

/// Makes the streams of a plan.
class StreamMaker {
 public:
  StreamMaker(const MatmulPlan& plan, const MatmulAddresses& addresses)
      : problem_(plan.problem()), cuts_(plan.cuts()), plan_(plan), addresses_(addresses) {}

  TileStream c() const {
    TileStream stream = array("c", TileRole::output, addresses_.c, problem_.lane_blocks(), plan_.padded_lanes());
    stream.rows = rows();
    stream.words = lanes();
    stream.vmem_rows = plan_.padded_rows() * plan_.padded_lanes() * tile_rows();
    return stream;
  }
  TileStream bias() const {
    const std::int64_t words = round_up(problem_.n, std::int64_t(1024));
    TileStream stream{
        "bias", TileRole::input, addresses_.bias, {}, TileWindow::whole(1), TileWindow::whole(words), words, words, 0};
    stream.vmem_rows = std::max(words / words_per_row, round_up(problem_.lane_blocks(), cuts_.lanes) + cuts_.lanes);
    return stream;
  }
  TileStream b() const {
    const bool transposed = problem_.transposed;
    TileStream stream = transposed
                            ? array("b", TileRole::input, addresses_.b, problem_.contraction_tiles(), cuts_.contraction)
                            : array("b", TileRole::input, addresses_.b, problem_.lane_blocks(), plan_.padded_lanes());
    const std::int64_t rows = divide_round_up(transposed ? problem_.n : problem_.k, std::int64_t(8));
    stream.rows = transposed
                      ? TileWindow::cut(plan_.lane_dimension(), cuts_.lanes * weight_registers, rows)
                      : TileWindow::cut(MatmulPlan::contraction_dimension, cuts_.contraction * weight_registers, rows);
    stream.words = transposed ? contraction() : lanes();
    stream.vmem_rows = plan_.padded_lanes() * cuts_.contraction * weight_registers * tile_rows();
    return stream;
  }
  TileStream a() const {
    TileStream stream = array("a", TileRole::input, addresses_.a, problem_.contraction_tiles(), cuts_.contraction);
    stream.rows = rows();
    stream.words = contraction();
    stream.vmem_rows = plan_.padded_rows() * cuts_.contraction * tile_rows();
    return stream;
  }

 private:
  std::int64_t tile_rows() const { return rows_of_tile(problem_.packed); }
  std::int64_t tile_words() const { return tile_rows() * words_per_row; }
  /// `across` tiles in a row of tiles, in HBM and in VMEM.
  TileStream array(const char* name, TileRole role, std::uint32_t address, std::int64_t across,
                   std::int64_t across_block) const {
    TileStream stream;
    stream.name = name;
    stream.role = role;
    stream.address = address;
    stream.hbm_stride = across * tile_words();
    stream.vmem_stride = across_block * tile_words();
    return stream;
  }
  TileWindow rows() const { return TileWindow::cut(plan_.row_dimension(), cuts_.rows, problem_.row_blocks()); }
  TileWindow lanes() const {
    return TileWindow::cut(plan_.lane_dimension(), cuts_.lanes * tile_words(), problem_.lane_blocks() * tile_words());
  }
  TileWindow contraction() const {
    return TileWindow::cut(MatmulPlan::contraction_dimension, cuts_.contraction * tile_words(),
                           problem_.contraction_tiles() * tile_words());
  }

  const KernelMatmul& problem_;
  const MatmulCuts& cuts_;
  const MatmulPlan& plan_;
  const MatmulAddresses& addresses_;
};

/// What the last of the pieces of `cut` is.
std::int64_t last_piece(std::int64_t total, std::int64_t cut) {
  return total - (divide_round_up(total, cut) - 1) * cut;
}

hw::VectorWork times(std::int64_t count, const hw::VectorWork& work) {
  return {count * work.loads, count * work.stores, count * work.alu_ops, count * work.transcendentals};
}

}  // namespace

MatmulPlan::MatmulPlan(const KernelMatmul& problem, const MatmulCuts& cuts, const MatmulAddresses& addresses)
    : problem_(problem), cuts_(cuts) {
  tiles_.counts.resize(3);
  tiles_.counts[std::size_t(row_dimension())] = divide_round_up(problem.row_blocks(), cuts.rows);
  tiles_.counts[std::size_t(lane_dimension())] = divide_round_up(problem.lane_blocks(), cuts.lanes);
  tiles_.counts[contraction_dimension] =
      std::max<std::int64_t>(1, divide_round_up(problem.contraction_tiles(), cuts.contraction));
  const StreamMaker make(*this, addresses);
  tiles_.streams.push_back(make.c());
  if (problem.bias) tiles_.streams.push_back(make.bias());
  if (problem.k > 0) {
    tiles_.streams.push_back(make.b());
    tiles_.streams.push_back(make.a());
  }
  tiles_.scratch_rows = sum_rows();
  tiles_.in_vmem = problem.in_vmem;
}

std::int64_t MatmulPlan::padded_rows() const {
  return std::max(round_up(cuts_.rows, std::int64_t(cuts_.registers) * cuts_.grid.row_units),
                  round_up(cuts_.rows, std::int64_t(epilogue_rows())));
}
std::int64_t MatmulPlan::padded_lanes() const { return round_up(cuts_.lanes, std::int64_t(cuts_.grid.column_units)); }
std::int64_t MatmulPlan::sum_rows() const { return problem_.packed ? 8 * padded_rows() * padded_lanes() : 0; }

std::int64_t MatmulPlan::row_steps(bool last) const {
  const std::int64_t rows = last ? last_piece(problem_.row_blocks(), cuts_.rows) : cuts_.rows;
  return divide_round_up(rows, std::int64_t(cuts_.registers) * cuts_.grid.row_units);
}
std::int64_t MatmulPlan::lane_steps(bool last) const {
  const std::int64_t lanes = last ? last_piece(problem_.lane_blocks(), cuts_.lanes) : cuts_.lanes;
  return divide_round_up(lanes, std::int64_t(cuts_.grid.column_units));
}
std::int64_t MatmulPlan::contraction_steps(bool last) const {
  return last ? last_piece(problem_.contraction_tiles(), cuts_.contraction) : cuts_.contraction;
}

int MatmulPlan::epilogue_rows() const {
  const std::int64_t steps = divide_round_up(cuts_.rows, most_epilogue_rows);
  return int(divide_round_up(cuts_.rows, steps));
}

std::int64_t MatmulPlan::epilogue_steps(bool last) const {
  const std::int64_t rows = last ? last_piece(problem_.row_blocks(), cuts_.rows) : cuts_.rows;
  return divide_round_up(rows, std::int64_t(epilogue_rows()));
}

hw::VectorWork MatmulPlan::clearing(std::span<const std::int64_t> indices) const {
  hw::VectorWork work;
  const auto fresh = [&](int stream) { return tiles_.first_of_period(tiles_.streams[std::size_t(stream)], indices); };
  if (fresh(a())) work.loads = work.stores = cuts_.rows;
  if (fresh(b())) {
    const std::int64_t tiles = weight_registers - (problem_.transposed ? 0 : problem_.last_contraction() / 8);
    work.loads += problem_.transposed ? tiles * cuts_.lanes : cuts_.lanes;
    work.stores += tiles * cuts_.lanes;
  }
  return work;
}

std::vector<hw::TilePhase> MatmulPlan::phases(std::span<const std::int64_t> indices) const {
  const auto last = [&](int d) { return indices[std::size_t(d)] == tiles_.counts[std::size_t(d)] - 1; };
  const std::int64_t row_count = row_steps(last(row_dimension())), lane_count = lane_steps(last(lane_dimension()));
  const std::int64_t registers = cuts_.registers, units = cuts_.grid.units();
  const std::int64_t sums =
      epilogue_steps(last(row_dimension())) * epilogue_rows() * lane_count * cuts_.grid.column_units;
  std::vector<hw::TilePhase> phases;
  if (problem_.contraction_padded() && last(contraction_dimension)) phases.push_back({{}, clearing(indices), 0});
  if (problem_.k > 0) {
    const std::int64_t steps = row_count * lane_count * contraction_steps(last(contraction_dimension));
    const std::int64_t operands = registers * cuts_.grid.row_units + weight_registers * cuts_.grid.column_units;
    const std::int64_t adds = problem_.contraction_tiles() > 1 ? registers * units : 0;
    hw::TilePhase phase;
    phase.mxu = {steps * units, 8 * registers};
    phase.vector = {steps * (operands + adds), steps * registers * units,
                    steps * (adds + (problem_.packed ? operands : 0)), 0};
    phases.push_back(phase);
  }
  if (problem_.epilogue().any() && last(contraction_dimension)) {
    phases.push_back({{}, times(sums, problem_.epilogue().work()), 0});
  }
  return phases;
}

hw::TileOp MatmulPlan::tile_op(const std::string& name) const {
  return make_tile_op(tiles_, name, [&](std::span<const std::int64_t> indices) { return phases(indices); });
}

}  // namespace podsim::sw
