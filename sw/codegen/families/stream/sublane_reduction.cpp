// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/stream/sublane_reduction.h"

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

class SublaneReductionBuilder {
 public:
  SublaneReductionBuilder(const TargetMachine& machine, const Kernel& kernel, const ReductionOperator& reduction)
      : machine_(machine),
        kernel_(kernel),
        reduction_(reduction),
        type_(kernel.inputs[0].shape.element_type),
        rows_(kernel.inputs[0].shape.dimensions[0]),
        row_tiles_(base::divide_round_up(rows_, builder::register_rows)),
        columns_(builder::column_blocks(kernel.inputs[0].shape.dimensions[1])) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    for (std::int64_t parts : part_counts(row_tiles_)) plans.push_back(plan(base::divide_round_up(row_tiles_, parts)));
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    const hw::TilePhase row =
        builder::repeated_work(machine_, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
          const Sums sums = start(builder, plan, {}, {});
          for (int i = 0; i < repeats; ++i) write_row(builder, {{{}}, {}}, sums);
        });
    const hw::TilePhase bounds = builder::issued_work(
        machine_, [&](builder::KernelBuilder& builder) { keep(builder, plan, {}, start(builder, plan, {}, {})); });
    const hw::TilePhase results =
        builder::repeated_work(machine_, [&](builder::KernelBuilder& builder, std::int64_t repeats) {
          const Sums sums = start(builder, plan, {}, {});
          for (int i = 0; i < repeats; ++i) write_results(builder, {}, sums);
        });
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t> indices) {
      std::vector<hw::TilePhase> phases{
          builder::sum(bounds, builder::times(plan.streams[input_stream].rows.length, row))};
      if (indices[1] == plan.counts[1] - 1) phases.push_back(results);
      return phases;
    });
  }

  hw::isa::Program program(const builder::TilePlan* plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) {
      const builder::KernelBuilder::VmemBuffer scratch = builder.vmem_rows(plan->scratch_rows);
      builder::TileLoop loop(builder, *plan);
      loop.run([&](const builder::TileLoop::Tile& tile) { write_tile(builder, *plan, tile, scratch); });
    }
    return std::move(builder).finish();
  }

 private:
  static constexpr int input_stream = 0, output_stream = 1;

  /// A register per lane tile of a block, and the values that tell which sublanes are rows of the array.
  struct Sums {
    std::vector<registers::VectorReg> lane_tiles;
    registers::VectorReg sublanes;
    registers::ScalarReg rows_left;  ///< rows of the array from the current row of tiles
  };

  builder::TilePlan plan(std::int64_t rows) const {
    const std::int64_t words = builder::tile_words(type_);
    builder::TilePlan plan;
    plan.counts = {columns_.count(), base::divide_round_up(row_tiles_, rows)};
    builder::TileStream input;
    input.name = kernel_.inputs[0].name;
    input.role = builder::TileRole::input;
    input.address = kernel_.inputs[0].address;
    input.rows = builder::TileWindow::tiled(1, rows, row_tiles_);
    input.words = builder::TileWindow::tiled(0, columns_.block * words, columns_.lane_tiles() * words);
    input.hbm_stride = columns_.lane_tiles() * words;
    input.vmem_stride = columns_.block * words;
    input.vmem_rows = rows * input_pitch();
    builder::TileStream output;
    output.name = kernel_.outputs[0].name;
    output.role = builder::TileRole::output;
    output.address = kernel_.outputs[0].address;
    output.rows = builder::TileWindow::whole(1);
    output.words = builder::TileWindow::tiled(0, columns_.block * builder::register_lanes, columns_.columns);
    output.vmem_rows = columns_.block;
    plan.streams = {std::move(input), std::move(output)};
    if (plan.counts[1] > 1) plan.scratch_rows = columns_.block * builder::register_rows;
    return plan;
  }

  std::int64_t input_pitch() const { return columns_.block * builder::tile_rows(type_); }

  void write_tile(builder::KernelBuilder& builder, const builder::TilePlan& plan, const builder::TileLoop::Tile& tile,
                  const builder::KernelBuilder::VmemBuffer& scratch) const {
    const registers::RowAddress kept{builder.constant(scratch.row), 0, scratch.buffer};
    const registers::ScalarReg block = tile.index(1);
    const Sums sums = start(builder, plan, kept, block);
    const builder::RowStream stream{{tile.row(input_stream), 0, tile.buffer(input_stream)},
                                    std::int32_t(input_pitch())};
    builder::write_row_loop(builder, plan.streams[input_stream].rows.length, {&stream, 1},
                            [&](const builder::RowPosition& position) { write_row(builder, position, sums); });
    keep(builder, plan, kept, sums);
    const registers::PredicateReg last = builder.compare(Op::s_eq, block, std::int32_t(plan.counts[1] - 1));
    builder.when(last, false, [&] {
      write_results(builder, {tile.row(output_stream), 0, tile.buffer(output_stream)}, sums);
    });
  }

  /// Loads the results of the previous blocks of rows; for the first block, the neutral element.
  Sums start(builder::KernelBuilder& builder, const builder::TilePlan& plan, registers::RowAddress kept,
             registers::ScalarReg block) const {
    Sums sums{{}, builder.sublane_numbers(), builder.constant(std::int32_t(rows_))};
    for (std::int64_t i = 0; i < columns_.block; ++i) {
      sums.lane_tiles.push_back(builder.unary(Op::v_mov, reduction_.neutral));
    }
    if (plan.counts[1] == 1) return sums;
    const std::int32_t rows = std::int32_t(plan.streams[input_stream].rows.length * builder::register_rows);
    builder.assign(sums.rows_left, Op::s_sub, sums.rows_left, builder.op(Op::s_mul, block, rows));
    const registers::MaskReg continued = builder.mask();
    builder.assign_splat(continued, block);
    for (const registers::VectorReg& lane_tile : sums.lane_tiles) {
      builder.assign(lane_tile, Op::v_mov, {}, builder.load(kept), continued);
      kept.offset += builder::register_rows;
    }
    return sums;
  }

  void write_row(builder::KernelBuilder& builder, const builder::RowPosition& position, const Sums& sums) const {
    const std::vector<registers::VectorReg> row = builder::load_row(builder, type_, position.at[0], columns_.block);
    const registers::MaskReg mask = builder.compare(Op::v_lt_s32, sums.sublanes, builder.splat(sums.rows_left));
    for (std::size_t i = 0; i < row.size(); ++i) {
      builder.assign(sums.lane_tiles[i], reduction_.fold, sums.lane_tiles[i], row[i], mask);
    }
    builder.assign(sums.rows_left, Op::s_sub, sums.rows_left, builder::register_rows);
  }

  void keep(builder::KernelBuilder& builder, const builder::TilePlan& plan, registers::RowAddress kept,
            const Sums& sums) const {
    if (plan.counts[1] == 1) return;
    for (const registers::VectorReg& lane_tile : sums.lane_tiles) {
      builder.store(kept, lane_tile);
      kept.offset += builder::register_rows;
    }
  }

  void write_results(builder::KernelBuilder& builder, registers::RowAddress output, const Sums& sums) const {
    output.stride = 0;
    for (const registers::VectorReg& lane_tile : sums.lane_tiles)
      builder.push_cross_lane(reduction_.over_sublanes, lane_tile);
    for (std::size_t i = 0; i < sums.lane_tiles.size(); ++i, ++output.offset) {
      registers::VectorReg value = builder.pop(hw::isa::cross_lane_unit);
      if (reduction_.scale) value = builder.op(Op::v_mul_f32, value, *reduction_.scale);
      builder.store(output, value);
    }
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  ReductionOperator reduction_;
  hlo::ElementType type_;
  std::int64_t rows_, row_tiles_;
  builder::ColumnBlocks columns_;
};

}  // namespace

void build_sublane_reduction(const TargetMachine& machine, Kernel& kernel, const ReductionOperator& reduction) {
  const SublaneReductionBuilder code(machine, kernel, reduction);
  build_compiled(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw::codegen::families::stream
