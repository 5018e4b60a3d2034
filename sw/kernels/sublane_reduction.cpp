// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/sublane_reduction.h"

#include <utility>
#include <vector>

#include "sw/kernels/column_blocks.h"
#include "sw/kernels/issued_work.h"
#include "sw/kernels/plan_search.h"
#include "sw/kernels/row_loop.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr int input_stream = 0, output_stream = 1;
constexpr std::int64_t rows_per_tile = 8, tile_lanes = 128;

class SublaneReductionBuilder {
 public:
  SublaneReductionBuilder(const hw::Machine& machine, const Kernel& kernel, const ReductionOperator& reduction)
      : machine_(machine),
        kernel_(kernel),
        reduction_(reduction),
        type_(kernel.inputs[0].shape.element_type),
        rows_(kernel.inputs[0].shape.dimensions[0]),
        row_tiles_(base::divide_round_up(rows_, rows_per_tile)),
        columns_(column_blocks(kernel.inputs[0].shape.dimensions[1])) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    for (std::int64_t parts : part_counts(row_tiles_)) plans.push_back(plan(base::divide_round_up(row_tiles_, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    const hw::TilePhase row = repeated_work(machine_, [&](KernelBuilder& builder, std::int64_t repeats) {
      const Sums sums = start(builder, plan, {}, {});
      for (int i = 0; i < repeats; ++i) write_row(builder, {{{}}, {}}, sums);
    });
    const hw::TilePhase bounds =
        issued_work(machine_, [&](KernelBuilder& builder) { keep(builder, plan, {}, start(builder, plan, {}, {})); });
    const hw::TilePhase results = repeated_work(machine_, [&](KernelBuilder& builder, std::int64_t repeats) {
      const Sums sums = start(builder, plan, {}, {});
      for (int i = 0; i < repeats; ++i) write_results(builder, {}, sums);
    });
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t> indices) {
      std::vector<hw::TilePhase> phases{sum(bounds, times(plan.streams[input_stream].rows.length, row))};
      if (indices[1] == plan.counts[1] - 1) phases.push_back(results);
      return phases;
    });
  }

  hw::isa::Program program(const TilePlan* plan) const {
    KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      const KernelBuilder::VmemBuffer scratch = builder.vmem_rows(plan->scratch_rows);
      TileLoop loop(builder, *plan);
      loop.run([&](const TileLoop::Tile& tile) { write_tile(builder, *plan, tile, scratch); });
    }
    return std::move(builder).finish();
  }

 private:
  /// One register per lane tile of a block, and what says which sublanes are rows of the array.
  struct Sums {
    std::vector<VectorReg> lane_tiles;
    VectorReg sublanes;
    ScalarReg rows_left;  ///< from the row of tiles at hand on
  };

  TilePlan plan(std::int64_t rows) const {
    const std::int64_t words = tile_words(type_);
    TilePlan plan;
    plan.counts = {columns_.count(), base::divide_round_up(row_tiles_, rows)};
    TileStream input;
    input.name = kernel_.inputs[0].name;
    input.role = TileRole::input;
    input.address = kernel_.inputs[0].address;
    input.rows = TileWindow::cut(1, rows, row_tiles_);
    input.words = TileWindow::cut(0, columns_.block * words, columns_.lane_tiles() * words);
    input.hbm_stride = columns_.lane_tiles() * words;
    input.vmem_stride = columns_.block * words;
    input.vmem_rows = rows * input_pitch();
    TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = TileWindow::whole(1);
    output.words = TileWindow::cut(0, columns_.block * tile_lanes, columns_.columns);
    output.vmem_rows = columns_.block;
    plan.streams = {std::move(input), std::move(output)};
    if (plan.counts[1] > 1) plan.scratch_rows = columns_.block * rows_per_tile;
    return plan;
  }

  std::int64_t input_pitch() const { return columns_.block * tile_rows(type_); }

  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile,
                  const KernelBuilder::VmemBuffer& scratch) const {
    const RowAddress kept{builder.constant(scratch.row), 0, scratch.buffer};
    const ScalarReg block = tile.index(1);
    const Sums sums = start(builder, plan, kept, block);
    const RowStream stream{{tile.row(input_stream), 0, tile.buffer(input_stream)}, std::int32_t(input_pitch())};
    write_row_loop(builder, plan.streams[input_stream].rows.length, {&stream, 1},
                   [&](const RowPlace& place) { write_row(builder, place, sums); });
    keep(builder, plan, kept, sums);
    const PredicateReg last = builder.compare(Op::s_eq, block, std::int32_t(plan.counts[1] - 1));
    builder.when(last, false, [&] {
      write_results(builder, {tile.row(output_stream), 0, tile.buffer(output_stream)}, sums);
    });
  }

  /// What the blocks of rows before came to; of none, in the first.
  Sums start(KernelBuilder& builder, const TilePlan& plan, RowAddress kept, ScalarReg block) const {
    Sums sums{{}, builder.sublane_numbers(), builder.constant(std::int32_t(rows_))};
    for (std::int64_t i = 0; i < columns_.block; ++i) {
      sums.lane_tiles.push_back(builder.unary(Op::v_mov, reduction_.neutral));
    }
    if (plan.counts[1] == 1) return sums;
    const std::int32_t rows = std::int32_t(plan.streams[input_stream].rows.length * rows_per_tile);
    builder.assign(sums.rows_left, Op::s_sub, sums.rows_left, builder.op(Op::s_mul, block, rows));
    const MaskReg continued = builder.mask();
    builder.assign_splat(continued, block);
    for (const VectorReg& lane_tile : sums.lane_tiles) {
      builder.assign(lane_tile, Op::v_mov, {}, builder.load(kept), continued);
      kept.offset += std::int32_t(rows_per_tile);
    }
    return sums;
  }

  void write_row(KernelBuilder& builder, const RowPlace& place, const Sums& sums) const {
    const std::vector<VectorReg> row = load_row(builder, type_, place.at[0], columns_.block);
    const MaskReg mask = builder.compare(Op::v_lt_s32, sums.sublanes, builder.splat(sums.rows_left));
    for (std::size_t i = 0; i < row.size(); ++i) {
      builder.assign(sums.lane_tiles[i], reduction_.fold, sums.lane_tiles[i], row[i], mask);
    }
    builder.assign(sums.rows_left, Op::s_sub, sums.rows_left, std::int32_t(rows_per_tile));
  }

  void keep(KernelBuilder& builder, const TilePlan& plan, RowAddress kept, const Sums& sums) const {
    if (plan.counts[1] == 1) return;
    for (const VectorReg& lane_tile : sums.lane_tiles) {
      builder.store(kept, lane_tile);
      kept.offset += std::int32_t(rows_per_tile);
    }
  }

  void write_results(KernelBuilder& builder, RowAddress output, const Sums& sums) const {
    output.stride = 0;
    for (const VectorReg& lane_tile : sums.lane_tiles) builder.push_cross_lane(reduction_.over_sublanes, lane_tile);
    for (std::size_t i = 0; i < sums.lane_tiles.size(); ++i, ++output.offset) {
      VectorReg value = builder.pop(hw::isa::cross_lane_unit);
      if (reduction_.scale) value = builder.op(Op::v_mul_f32, value, *reduction_.scale);
      builder.store(output, value);
    }
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  ReductionOperator reduction_;
  ElementType type_;
  std::int64_t rows_, row_tiles_;
  ColumnBlocks columns_;
};

}  // namespace

void build_sublane_reduction(const hw::Machine& machine, Kernel& kernel, const ReductionOperator& reduction) {
  const SublaneReductionBuilder code(machine, kernel, reduction);
  build_fastest(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw
