// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/resident_rows.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/rows/row_parameters.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

class ResidentRowsBuilder {
 public:
  ResidentRowsBuilder(const TargetMachine& machine, const Kernel& kernel, const RowKernel& rows)
      : machine_(machine), kernel_(kernel), rows_(rows), shape_(rows.passes[0].source.shape) {}

  std::vector<builder::TilePlan> plans() const {
    std::vector<builder::TilePlan> plans;
    if (shape_.columns.columns == 0) return plans;
    for (std::int64_t count : part_counts(shape_.row_tiles)) {
      plans.push_back(plan(base::divide_round_up(shape_.row_tiles, count)));
    }
    return plans;
  }

  hw::TileOp tile_op(const builder::TilePlan& plan) const {
    std::vector<hw::TilePhase> row_work;
    for (const RowPass& pass : rows_.passes) row_work.push_back(RowSweep(pass, shape_).row_work(machine_, rows_));
    const std::int64_t rows = plan.streams[source_stream].rows.length * shape_.columns.count();
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      std::vector<hw::TilePhase> phases;
      for (const hw::TilePhase& work : row_work)
        std::ranges::copy(builder::loop_phases(rows, work), std::back_inserter(phases));
      return phases;
    });
  }

  hw::isa::Program program(const builder::TilePlan* plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) write(builder, *plan);
    return std::move(builder).finish();
  }

 private:
  const KernelArray& source() const { return rows_.passes.front().source; }
  const KernelArray& target() const { return *rows_.passes.back().target; }

  builder::TilePlan plan(std::int64_t row_tiles) const {
    builder::TilePlan plan;
    plan.counts = {base::divide_round_up(shape_.row_tiles, row_tiles)};
    plan.streams = {stream(source(), builder::TileRole::input, row_tiles),
                    stream(target(), builder::TileRole::output, row_tiles)};
    for (std::size_t i = 0; i < rows_.parameters.size(); ++i)
      plan.streams.push_back(parameter_stream(rows_.parameters[i]));
    plan.scratch_rows = rows_.statistics * statistic_rows(row_tiles);
    return plan;
  }

  builder::TileStream stream(const KernelArray& array, builder::TileRole role, std::int64_t row_tiles) const {
    const std::int64_t words = builder::tile_words(array.shape.element_type);
    builder::TileStream stream;
    stream.name = array.name;
    stream.role = role;
    stream.address = array.address;
    stream.rows = builder::TileWindow::tiled(0, row_tiles, shape_.row_tiles);
    stream.words = builder::TileWindow::whole(shape_.columns.lane_tiles() * words);
    stream.hbm_stride = stream.words.total;
    stream.vmem_stride = shape_.columns.count() * shape_.columns.block * words;
    stream.vmem_rows = row_tiles * pitch(array);
    return stream;
  }

  builder::TileStream parameter_stream(const KernelArray& array) const {
    builder::TileStream stream;
    stream.name = array.name;
    stream.address = array.address;
    stream.rows = builder::TileWindow::whole(1);
    stream.words = builder::TileWindow::whole(shape_.columns.columns);
    stream.vmem_rows = shape_.columns.count() * shape_.columns.block;
    return stream;
  }

  std::int64_t statistic_rows(std::int64_t row_tiles) const { return row_tiles * builder::register_rows; }

  /// VMEM rows of a row of tiles. The last block of columns may extend beyond the array's lane tiles.
  std::int64_t pitch(const KernelArray& array) const {
    return shape_.columns.count() * shape_.columns.block * builder::tile_rows(array.shape.element_type);
  }

  void write(builder::KernelBuilder& builder, const builder::TilePlan& plan) const {
    const builder::KernelBuilder::VmemBuffer statistics = builder.vmem_rows(plan.scratch_rows);
    builder::TileLoop loop(builder, plan);
    loop.run([&](const builder::TileLoop::Tile& tile) {
      for (const RowPass& pass : rows_.passes) {
        if (shape_.columns.count() == 1) {
          write_block(builder, pass, plan, tile, statistics, registers::ScalarReg{});
          continue;
        }
        const registers::ScalarReg block = builder.constant(0);
        builder.loop(std::int32_t(shape_.columns.count()), {}, [&] {
          write_block(builder, pass, plan, tile, statistics, block);
          builder.assign(block, Op::s_add, block, 1);
        });
      }
    });
  }

  void write_block(builder::KernelBuilder& builder, const RowPass& pass, const builder::TilePlan& plan,
                   const builder::TileLoop::Tile& tile, const builder::KernelBuilder::VmemBuffer& statistics,
                   registers::ScalarReg block) const {
    const auto begin = [&](int stream, std::int64_t rows_per_block) {
      const registers::ScalarReg before = builder.op(Op::s_mul, block, std::int32_t(rows_per_block));
      return registers::RowAddress{builder.op(Op::s_add, tile.row(stream), before), 0, tile.buffer(stream)};
    };
    const auto matrix = [&](int stream, const KernelArray& array) {
      const std::int64_t rows = shape_.columns.block * builder::tile_rows(array.shape.element_type);
      return builder::RowStream{begin(stream, rows), std::int32_t(pitch(array))};
    };
    RowMemory memory;
    memory.source = matrix(source_stream, source());
    if (pass.target) memory.target = matrix(target_stream, target());
    const std::int64_t rows = plan.streams[source_stream].rows.length;
    for (std::int64_t i = 0; i < rows_.statistics; ++i) {
      const std::int64_t row = statistics.row + i * statistic_rows(rows);
      memory.statistics.push_back(
          {{builder.constant(std::int32_t(row)), 0, statistics.buffer}, builder::register_rows});
    }
    for (std::size_t i = 0; i < rows_.parameters.size(); ++i) {
      memory.parameters.push_back(begin(target_stream + 1 + int(i), shape_.columns.block));
    }
    RowSweep(pass, shape_).write(builder, rows, block, memory);
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  const RowKernel& rows_;
  RowShape shape_;
};

}  // namespace

void build_resident_rows(const TargetMachine& machine, Kernel& kernel, const RowKernel& rows) {
  const ResidentRowsBuilder code(machine, kernel, rows);
  build_compiled(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw::codegen::families::rows
