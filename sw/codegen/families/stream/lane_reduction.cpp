// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/lane_reduction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sw/codegen/builder/column_blocks.h"
#include "sw/codegen/builder/issued_work.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/row_loop.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"

namespace podsim::sw::codegen::families::stream {

using Op = hw::isa::Opcode;

namespace {

/// Number of rows of tiles with results that fill a row of 128 lanes.
constexpr std::int64_t row_tiles_per_result_row = 16;

class LaneReductionBuilder {
 public:
  LaneReductionBuilder(const TargetMachine& machine, const Kernel& kernel, const ReductionOperator& reduction)
      : machine_(machine),
        kernel_(kernel),
        reduction_(reduction),
        type_(kernel.inputs[0].shape.element_type),
        rows_(kernel.inputs[0].shape.dimensions[0]),
        row_tiles_(base::divide_round_up(rows_, builder::register_rows)),
        columns_(builder::column_blocks(kernel.inputs[0].shape.dimensions[1])) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    const std::int64_t units = base::divide_round_up(row_tiles_, row_tiles_per_result_row);
    for (std::int64_t parts : part_counts(units)) plans.push_back(plan(base::divide_round_up(units, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    const hw::TilePhase row =
        builder::repeated_work(machine_, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
          const Sums sums = this->sums(builder, builder::LaneResults(builder), registers::ScalarReg{}, {});
          for (int i = 0; i < repeats; ++i) write_row(builder, {{{}, {}}, {}}, sums);
        });
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return builder::loop_phases(plan.streams[input_stream].rows.length, row);
    });
  }

  hw::isa::Program program(const builder::TilePlan* plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      const builder::LaneResults results(builder);
      const builder::KernelBuilder::VmemBuffer scratch = builder.vmem_rows(plan->scratch_rows);
      builder::TileLoop loop(builder, *plan);
      loop.run([&](const builder::TileLoop::Tile& tile) { write_tile(builder, *plan, tile, results, scratch); });
    }
    return std::move(builder).finish();
  }

 private:
  static constexpr int input_stream = 0, output_stream = 1;

  /// Destination of the results of rows, and the masks of the columns that contribute.
  struct Sums {
    builder::LaneResults results;
    builder::LaneMasks masks;
    registers::MaskReg continued;  ///< no lanes in the first block of columns, all lanes in later ones
    registers::RowAddress output;
  };

  builder::TilePlan plan(std::int64_t result_rows) const {
    const std::int64_t rows = std::min(row_tiles_, result_rows * row_tiles_per_result_row);
    const std::int64_t words = builder::tile_words(type_);
    builder::TilePlan plan;
    plan.counts = {base::divide_round_up(row_tiles_, rows), columns_.count()};
    builder::TileStream input;
    input.name = kernel_.inputs[0].name;
    input.role = builder::TileRole::input;
    input.address = kernel_.inputs[0].address;
    input.rows = builder::TileWindow::tiled(0, rows, row_tiles_);
    input.words = builder::TileWindow::tiled(1, columns_.block * words, columns_.lane_tiles() * words);
    input.hbm_stride = columns_.lane_tiles() * words;
    input.vmem_stride = columns_.block * words;
    input.vmem_rows = rows * input_pitch();
    builder::TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = builder::TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = builder::TileWindow::whole(1);
    output.words = builder::TileWindow::tiled(0, rows * builder::register_rows, rows_);
    output.vmem_rows = result_rows;
    plan.streams = {std::move(input), std::move(output)};
    if (columns_.count() > 1) plan.scratch_rows = rows * builder::register_rows;
    return plan;
  }

  Sums sums(builder::KernelBuilder& builder, const builder::LaneResults& results, registers::ScalarReg block,
            const registers::RowAddress& output) const {
    if (columns_.count() == 1) return {results, builder::lane_masks(builder, columns_, 0), {}, output};
    Sums sums{results, builder::lane_masks(builder, columns_, block), builder.mask(), output};
    builder.assign_splat(sums.continued, block);
    return sums;
  }

  std::int64_t input_pitch() const { return columns_.block * builder::tile_rows(type_); }

  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan, const builder::TileLoop::Tile& tile,
                  const builder::LaneResults& results, const builder::KernelBuilder::VmemBuffer& scratch) const {
    const Sums sums =
        this->sums(builder, results, tile.index(1), {tile.row(output_stream), 0, tile.buffer(output_stream)});
    const builder::RowStream streams[] = {
        {{tile.row(input_stream), 0, tile.buffer(input_stream)}, std::int32_t(input_pitch())},
        {{builder.constant(scratch.row), 0, scratch.buffer}, builder::register_rows}};
    builder::write_row_loop(builder, plan.streams[input_stream].rows.length, streams,
                            [&](const builder::RowPosition& position) { write_row(builder, position, sums); });
  }

  /// Writes the code for a row of tiles. Rows beyond the last tile also give results, which do not leave VMEM.
  void write_row(builder::KernelBuilder& builder, const builder::RowPosition& position, const Sums& sums) const {
    const std::vector<registers::VectorReg> row = builder::load_row(builder, type_, position.at[0], columns_.block);
    const registers::VectorReg folded =
        builder::fold_row(builder, reduction_.fold, reduction_.neutral, row, sums.masks);
    registers::VectorReg value = builder.cross_lane(reduction_.over_lanes, folded);
    if (columns_.count() > 1) {
      const registers::VectorReg before = builder.load(position.at[1]);
      const registers::VectorReg start = builder.unary(Op::v_mov, reduction_.neutral);
      builder.assign(start, Op::v_mov, {}, before, sums.continued);
      value = builder.op(reduction_.fold, start, value);
      builder.store(position.at[1], value);
    }
    if (reduction_.scale) value = builder.op(Op::v_mul_f32, value, *reduction_.scale);
    sums.results.store(builder, sums.output, position, value);
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  ReductionOperator reduction_;
  hlo::ElementType type_;
  std::int64_t rows_, row_tiles_;
  builder::ColumnBlocks columns_;
};

}  // namespace

void build_lane_reduction(const TargetMachine& machine, Kernel& kernel, const ReductionOperator& reduction) {
  const LaneReductionBuilder code(machine, kernel, reduction);
  build_compiled(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw::codegen::families::stream
