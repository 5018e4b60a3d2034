// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/lane_reduction.h"

#include <algorithm>
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
constexpr std::int64_t rows_per_tile = 8;
/// Rows of tiles whose results fill a row of lanes.
constexpr std::int64_t row_tiles_per_result_row = 16;

class LaneReductionBuilder {
 public:
  LaneReductionBuilder(const hw::Machine& machine, const Kernel& kernel, const ReductionOperator& reduction)
      : machine_(machine),
        kernel_(kernel),
        reduction_(reduction),
        type_(kernel.inputs[0].shape.element_type),
        rows_(kernel.inputs[0].shape.dimensions[0]),
        row_tiles_(base::divide_round_up(rows_, rows_per_tile)),
        columns_(column_blocks(kernel.inputs[0].shape.dimensions[1])) {}

  std::vector<TilePlan> plans() const {
    std::vector<TilePlan> plans;
    const std::int64_t units = base::divide_round_up(row_tiles_, row_tiles_per_result_row);
    for (std::int64_t parts : part_counts(units)) plans.push_back(plan(base::divide_round_up(units, parts)));
    return plans;
  }

  hw::TileOp tile_op(const TilePlan& plan) const {
    const hw::TilePhase row = repeated_work(machine_, [&](KernelBuilder& builder, std::int64_t repeats) {
      const Sums sums = this->sums(builder, LaneResults(builder), ScalarReg{}, {});
      for (int i = 0; i < repeats; ++i) write_row(builder, {{{}, {}}, {}}, sums);
    });
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return loop_phases(plan.streams[input_stream].rows.length, row);
    });
  }

  hw::isa::Program program(const TilePlan* plan) const {
    KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      const LaneResults results(builder);
      const KernelBuilder::VmemBuffer scratch = builder.vmem_rows(plan->scratch_rows);
      TileLoop loop(builder, *plan);
      loop.run([&](const TileLoop::Tile& tile) { write_tile(builder, *plan, tile, results, scratch); });
    }
    return std::move(builder).finish();
  }

 private:
  /// What rows come to: where it goes and what of the columns goes into it.
  struct Sums {
    LaneResults results;
    LaneMasks masks;
    MaskReg continued;  ///< all lanes, but in the first block of columns none
    RowAddress output;
  };

  TilePlan plan(std::int64_t result_rows) const {
    const std::int64_t rows = std::min(row_tiles_, result_rows * row_tiles_per_result_row);
    const std::int64_t words = tile_words(type_);
    TilePlan plan;
    plan.counts = {base::divide_round_up(row_tiles_, rows), columns_.count()};
    TileStream input;
    input.name = kernel_.inputs[0].name;
    input.role = TileRole::input;
    input.address = kernel_.inputs[0].address;
    input.rows = TileWindow::cut(0, rows, row_tiles_);
    input.words = TileWindow::cut(1, columns_.block * words, columns_.lane_tiles() * words);
    input.hbm_stride = columns_.lane_tiles() * words;
    input.vmem_stride = columns_.block * words;
    input.vmem_rows = rows * input_pitch();
    TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = TileWindow::whole(1);
    output.words = TileWindow::cut(0, rows * rows_per_tile, rows_);
    output.vmem_rows = result_rows;
    plan.streams = {std::move(input), std::move(output)};
    if (columns_.count() > 1) plan.scratch_rows = rows * rows_per_tile;
    return plan;
  }

  Sums sums(KernelBuilder& builder, const LaneResults& results, ScalarReg block, const RowAddress& output) const {
    if (columns_.count() == 1) return {results, lane_masks(builder, columns_, 0), {}, output};
    Sums sums{results, lane_masks(builder, columns_, block), builder.mask(), output};
    builder.assign_splat(sums.continued, block);
    return sums;
  }

  std::int64_t input_pitch() const { return columns_.block * tile_rows(type_); }

  void write_tile(KernelBuilder& builder, const TilePlan& plan, const TileLoop::Tile& tile, const LaneResults& results,
                  const KernelBuilder::VmemBuffer& scratch) const {
    const Sums sums =
        this->sums(builder, results, tile.index(1), {tile.row(output_stream), 0, tile.buffer(output_stream)});
    const RowStream streams[] = {{{tile.row(input_stream), 0, tile.buffer(input_stream)}, std::int32_t(input_pitch())},
                                 {{builder.constant(scratch.row), 0, scratch.buffer}, std::int32_t(rows_per_tile)}};
    write_row_loop(builder, plan.streams[input_stream].rows.length, streams,
                   [&](const RowPlace& place) { write_row(builder, place, sums); });
  }

  /// Rows that the last tile does not have come to something as well; it does not leave VMEM.
  void write_row(KernelBuilder& builder, const RowPlace& place, const Sums& sums) const {
    const std::vector<VectorReg> row = load_row(builder, type_, place.at[0], columns_.block);
    const VectorReg folded = fold_row(builder, reduction_.fold, reduction_.neutral, row, sums.masks);
    VectorReg value = builder.cross_lane(reduction_.over_lanes, folded);
    if (columns_.count() > 1) {
      const VectorReg before = builder.load(place.at[1]);
      const VectorReg start = builder.unary(Op::v_mov, reduction_.neutral);
      builder.assign(start, Op::v_mov, {}, before, sums.continued);
      value = builder.op(reduction_.fold, start, value);
      builder.store(place.at[1], value);
    }
    if (reduction_.scale) value = builder.op(Op::v_mul_f32, value, *reduction_.scale);
    sums.results.store(builder, sums.output, place, value);
  }

  const hw::Machine& machine_;
  const Kernel& kernel_;
  ReductionOperator reduction_;
  ElementType type_;
  std::int64_t rows_, row_tiles_;
  ColumnBlocks columns_;
};

}  // namespace

void build_lane_reduction(const hw::Machine& machine, Kernel& kernel, const ReductionOperator& reduction) {
  const LaneReductionBuilder code(machine, kernel, reduction);
  build_fastest(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw
