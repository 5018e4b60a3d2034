// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_plan.h"

#include <algorithm>

#include "sw/codegen/builder/element_code.h"
#include "sw/codegen/builder/packed_tile.h"
#include "sw/codegen/builder/register_size.h"

namespace podsim::sw::codegen::families::matrix {

namespace {

/// Enough rows to hide the scalar operations that step from a group to the next.
constexpr std::int64_t max_epilogue_rows = 16;

/// Makes the streams of a plan.
class MatmulStreams {
 public:
  MatmulStreams(const MatmulPlan& plan, const MatmulAddresses& addresses)
      : problem_(plan.problem()), tiling_(plan.tiling()), plan_(plan), addresses_(addresses) {}

  builder::TileStream c() const {
    builder::TileStream stream =
        array("c", builder::TileRole::output, addresses_.c, problem_.lane_blocks(), plan_.padded_lanes());
    stream.rows = rows();
    stream.words = lanes();
    stream.vmem_rows = plan_.padded_rows() * plan_.padded_lanes() * tile_rows();
    return stream;
  }
  builder::TileStream bias() const {
    const std::int64_t words = base::round_up(problem_.n, std::int64_t(builder::register_words));
    builder::TileStream stream{"bias",
                               builder::TileRole::input,
                               addresses_.bias,
                               {},
                               builder::TileWindow::whole(1),
                               builder::TileWindow::whole(words),
                               words,
                               words,
                               0};
    stream.vmem_rows =
        std::max(words / builder::row_words, base::round_up(problem_.lane_blocks(), tiling_.lanes) + tiling_.lanes);
    return stream;
  }
  builder::TileStream b() const {
    const bool transposed = problem_.transposed;
    builder::TileStream stream =
        transposed
            ? array("b", builder::TileRole::input, addresses_.b, problem_.contraction_tiles(), tiling_.contraction)
            : array("b", builder::TileRole::input, addresses_.b, problem_.lane_blocks(), plan_.padded_lanes());
    const std::int64_t rows =
        base::divide_round_up(transposed ? problem_.n : problem_.k, std::int64_t(builder::register_rows));
    stream.rows =
        transposed ? builder::TileWindow::tiled(plan_.lane_dimension(), tiling_.lanes * builder::weight_registers, rows)
                   : builder::TileWindow::tiled(MatmulPlan::contraction_dimension,
                                                tiling_.contraction * builder::weight_registers, rows);
    stream.words = transposed ? contraction() : lanes();
    stream.vmem_rows = plan_.padded_lanes() * tiling_.contraction * builder::weight_registers * tile_rows();
    return stream;
  }
  builder::TileStream a() const {
    builder::TileStream stream =
        array("a", builder::TileRole::input, addresses_.a, problem_.contraction_tiles(), tiling_.contraction);
    stream.rows = rows();
    stream.words = contraction();
    stream.vmem_rows = plan_.padded_rows() * tiling_.contraction * tile_rows();
    return stream;
  }

 private:
  std::int64_t tile_rows() const { return builder::rows_of_tile(problem_.packed); }
  std::int64_t tile_words() const { return tile_rows() * builder::row_words; }
  /// Makes a stream with `across` tiles in a row of tiles in HBM, and `across_block` in VMEM.
  builder::TileStream array(const char* name, builder::TileRole role, std::uint32_t address, std::int64_t across,
                            std::int64_t across_block) const {
    builder::TileStream stream;
    stream.name = name;
    stream.role = role;
    stream.address = address;
    stream.hbm_stride = across * tile_words();
    stream.vmem_stride = across_block * tile_words();
    return stream;
  }
  builder::TileWindow rows() const {
    return builder::TileWindow::tiled(plan_.row_dimension(), tiling_.rows, problem_.row_blocks());
  }
  builder::TileWindow lanes() const {
    return builder::TileWindow::tiled(plan_.lane_dimension(), tiling_.lanes * tile_words(),
                                      problem_.lane_blocks() * tile_words());
  }
  builder::TileWindow contraction() const {
    return builder::TileWindow::tiled(MatmulPlan::contraction_dimension, tiling_.contraction * tile_words(),
                                      problem_.contraction_tiles() * tile_words());
  }

  const KernelMatmul& problem_;
  const MatmulTiling& tiling_;
  const MatmulPlan& plan_;
  const MatmulAddresses& addresses_;
};

/// Returns the size of the last of the pieces of size `cut` into which `total` is divided.
std::int64_t last_piece(std::int64_t total, std::int64_t cut) {
  return total - (base::divide_round_up(total, cut) - 1) * cut;
}

}  // namespace

MatmulPlan::MatmulPlan(const KernelMatmul& problem, const MatmulTiling& tiling, const MatmulAddresses& addresses)
    : problem_(problem), tiling_(tiling) {
  tiles_.counts.resize(3);
  tiles_.counts[std::size_t(row_dimension())] = base::divide_round_up(problem.row_blocks(), tiling.rows);
  tiles_.counts[std::size_t(lane_dimension())] = base::divide_round_up(problem.lane_blocks(), tiling.lanes);
  tiles_.counts[contraction_dimension] =
      std::max<std::int64_t>(1, base::divide_round_up(problem.contraction_tiles(), tiling.contraction));
  const MatmulStreams make(*this, addresses);
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
  return std::max(base::round_up(tiling_.rows, std::int64_t(tiling_.registers) * tiling_.grid.row_units),
                  base::round_up(tiling_.rows, std::int64_t(epilogue_rows())));
}
std::int64_t MatmulPlan::padded_lanes() const {
  return base::round_up(tiling_.lanes, std::int64_t(tiling_.grid.column_units));
}
std::int64_t MatmulPlan::sum_rows() const {
  return problem_.packed ? builder::register_rows * padded_rows() * padded_lanes() : 0;
}

std::int64_t MatmulPlan::row_steps(bool last) const {
  const std::int64_t rows = last ? last_piece(problem_.row_blocks(), tiling_.rows) : tiling_.rows;
  return base::divide_round_up(rows, std::int64_t(tiling_.registers) * tiling_.grid.row_units);
}
std::int64_t MatmulPlan::lane_steps(bool last) const {
  const std::int64_t lanes = last ? last_piece(problem_.lane_blocks(), tiling_.lanes) : tiling_.lanes;
  return base::divide_round_up(lanes, std::int64_t(tiling_.grid.column_units));
}
std::int64_t MatmulPlan::contraction_steps(bool last) const {
  return last ? last_piece(problem_.contraction_tiles(), tiling_.contraction) : tiling_.contraction;
}

int MatmulPlan::epilogue_rows() const {
  const std::int64_t steps = base::divide_round_up(tiling_.rows, max_epilogue_rows);
  return int(base::divide_round_up(tiling_.rows, steps));
}

std::int64_t MatmulPlan::epilogue_steps(bool last) const {
  const std::int64_t rows = last ? last_piece(problem_.row_blocks(), tiling_.rows) : tiling_.rows;
  return base::divide_round_up(rows, std::int64_t(epilogue_rows()));
}

hw::VectorWork MatmulPlan::clearing(std::span<const std::int64_t> indices) const {
  hw::VectorWork work;
  const auto fresh = [&](int stream) { return tiles_.first_of_period(tiles_.streams[std::size_t(stream)], indices); };
  if (fresh(a())) work.loads = work.stores = tiling_.rows;
  if (fresh(b())) {
    const std::int64_t tiles =
        builder::weight_registers - (problem_.transposed ? 0 : problem_.last_contraction() / builder::register_rows);
    work.loads += problem_.transposed ? tiles * tiling_.lanes : tiling_.lanes;
    work.stores += tiles * tiling_.lanes;
  }
  return work;
}

std::vector<hw::TilePhase> MatmulPlan::phases(std::span<const std::int64_t> indices) const {
  const auto last = [&](int d) { return indices[std::size_t(d)] == tiles_.counts[std::size_t(d)] - 1; };
  const std::int64_t row_count = row_steps(last(row_dimension())), lane_count = lane_steps(last(lane_dimension()));
  const std::int64_t registers = tiling_.registers, units = tiling_.grid.units();
  const std::int64_t sums =
      epilogue_steps(last(row_dimension())) * epilogue_rows() * lane_count * tiling_.grid.column_units;
  std::vector<hw::TilePhase> phases;
  if (problem_.contraction_padded() && last(contraction_dimension)) phases.emplace_back(clearing(indices));
  if (problem_.k > 0) {
    const std::int64_t steps = row_count * lane_count * contraction_steps(last(contraction_dimension));
    const std::int64_t operands =
        registers * tiling_.grid.row_units + builder::weight_registers * tiling_.grid.column_units;
    const std::int64_t adds = problem_.contraction_tiles() > 1 ? registers * units : 0;
    hw::TilePhase phase;
    phase.of<hw::Mxu>() = {.weight_tiles = steps * units, .rows = builder::register_rows * registers};
    // Loads of operands are the array's (mxu::Events::operand_registers).
    phase.of<hw::Vector>() = {steps * adds, steps * registers * units,
                              steps * (adds + (problem_.packed ? operands : 0)), 0};
    phases.push_back(phase);
  }
  if (problem_.epilogue().any() && last(contraction_dimension)) {
    phases.emplace_back(builder::times(sums, problem_.epilogue().work()));
  }
  return phases;
}

hw::TileOp MatmulPlan::tile_op(const std::string& name) const {
  return builder::make_tile_op(tiles_, name, [&](std::span<const std::int64_t> indices) { return phases(indices); });
}

}  // namespace podsim::sw::codegen::families::matrix
