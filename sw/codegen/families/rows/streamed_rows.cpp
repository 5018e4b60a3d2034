// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/streamed_rows.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/compiled_tiles.h"
#include "sw/codegen/families/rows/row_parameters.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

/// Dimensions of a pass's grid.
constexpr int part_dimension = 0, row_dimension = 1, column_dimension = 2;
/// Number of tiles without work between passes at the tile level, so that the next pass reads only after the previous
/// one has been computed and written, as an op of a run does. The tile level reads two tiles ahead, and tile i waits
/// for the writes of tile i - 2.
constexpr std::int64_t until_written = 3;

/// Consecutive parts of a matrix's rows, all with the same number of rows of tiles.
struct RowParts {
  std::int64_t first = 0;  ///< rows of tiles before these parts
  std::int64_t count = 1;
  std::int64_t row_tiles = 0;  ///< rows of tiles of each part
};

struct StreamedPlan {
  std::vector<std::vector<builder::TilePlan>> passes;  ///< [group of parts][pass]
  std::int64_t kept_rows = 0;                          ///< VMEM rows of statistics and parameters
  std::int64_t statistic_rows = 0;                     ///< VMEM rows of one statistic
};

class StreamedRowsBuilder {
 public:
  StreamedRowsBuilder(const TargetMachine& machine, const Kernel& kernel, const RowKernel& rows)
      : machine_(machine), kernel_(kernel), rows_(rows), shape_(rows.passes[0].source.shape), parts_(cut()) {}

  /// The plan with the compiler's tiles in each pass, or with smaller ones if those do not fit VMEM; std::nullopt if
  /// there is nothing to do.
  std::optional<StreamedPlan> plan() const {
    if (shape_.columns.columns == 0 || parts_.empty()) return std::nullopt;
    std::vector<std::int64_t> row_tiles;
    for (const RowPass& pass : rows_.passes) row_tiles.push_back(compiled_row_tiles(pass));
    while (true) {
      StreamedPlan plan = plan_of(row_tiles);
      const base::Bytes vmem = vmem_of(plan);
      if (vmem <= machine_.vmem) return plan;
      if (std::ranges::all_of(row_tiles, [](std::int64_t tiles) { return tiles == 1; })) reject_vmem(vmem, machine_);
      for (std::int64_t& tiles : row_tiles) tiles = base::divide_round_up(tiles, std::int64_t(2));
    }
  }

  hw::TileOp tile_op(const StreamedPlan& plan) const {
    std::vector<hw::TilePhase> row_work;
    for (const RowPass& pass : rows_.passes) row_work.push_back(RowSweep(pass, shape_).row_work(machine_, rows_));
    hw::TileOp op{kernel_.name, {}, vmem_of(plan)};
    for (std::size_t group = 0; group < parts_.size(); ++group) {
      std::vector<hw::TileRun> runs;
      for (std::size_t pass = 0; pass < rows_.passes.size(); ++pass) {
        hw::TileOp one = pass_op(plan.passes[group][pass], row_work[pass]);
        std::ranges::move(one.runs, std::back_inserter(runs));
        if (pass + 1 < rows_.passes.size()) runs.push_back({until_written, {}});
      }
      for (std::int64_t i = 0; i < parts_[group].count; ++i) std::ranges::copy(runs, std::back_inserter(op.runs));
    }
    with_parameters(op);
    return op;
  }

  hw::isa::Program program(const std::optional<StreamedPlan>& plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan) write(builder, *plan);
    return std::move(builder).finish();
  }

 private:
  /// Divides the rows into equal parts with statistics that fit a quarter of VMEM, and a smaller part for the rest.
  std::vector<RowParts> cut() const {
    std::vector<RowParts> parts;
    const std::int64_t row_bytes = rows_.statistics * builder::register_rows * builder::vmem_row_bytes;
    const std::int64_t most = std::max<std::int64_t>(1, machine_.vmem.value() / 4 / row_bytes);
    const std::int64_t count = base::divide_round_up(shape_.row_tiles, most);
    if (count == 0) return parts;
    const std::int64_t row_tiles = base::divide_round_up(shape_.row_tiles, count);
    const std::int64_t whole = shape_.row_tiles / row_tiles;
    parts.push_back({0, whole, row_tiles});
    if (const std::int64_t left = shape_.row_tiles % row_tiles; left > 0) parts.push_back({whole * row_tiles, 1, left});
    return parts;
  }

  /// Rows of tiles in a tile of a pass. A tile has one block of columns.
  std::int64_t compiled_row_tiles(const RowPass& pass) const {
    const auto bytes = [](const KernelArray& array) { return base::Bytes(std::int64_t(4 * array_words(array.shape))); };
    const base::Bytes written = pass.target ? bytes(*pass.target) : base::Bytes(0);
    const std::int64_t parts = compiled_parts({bytes(pass.source), written, {}}, machine_);
    return base::divide_round_up(shape_.row_tiles, base::divide_round_up(parts, shape_.columns.count()));
  }

  /// VMEM of what all passes keep, and of the tiles of the passes. A pass ends before the next begins, so that all
  /// share their VMEM; with several parts of rows, the first pass of a part reads while the last one still computes.
  base::Bytes vmem_of(const StreamedPlan& plan) const {
    std::int64_t sum = 0, largest_pass = 0;
    for (const std::vector<builder::TilePlan>& passes : plan.passes) {
      for (const builder::TilePlan& pass : passes) {
        sum += pass.vmem_rows();
        largest_pass = std::max(largest_pass, pass.vmem_rows());
      }
    }
    return base::Bytes((plan.kept_rows + (in_one_part() ? largest_pass : sum)) * builder::vmem_row_bytes);
  }
  bool in_one_part() const { return parts_.size() == 1 && parts_.front().count == 1; }

  /// `row_tiles` of a tile of each pass, at most.
  StreamedPlan plan_of(const std::vector<std::int64_t>& row_tiles) const {
    StreamedPlan plan;
    for (const std::int64_t tiles : row_tiles) {
      const std::int64_t padded = base::round_up(parts_[0].row_tiles, std::min(tiles, parts_[0].row_tiles));
      plan.statistic_rows = std::max(plan.statistic_rows, padded * builder::register_rows);
    }
    plan.kept_rows = rows_.statistics * plan.statistic_rows + RowParameters::rows(rows_, shape_);
    for (const RowParts& parts : parts_) {
      std::vector<builder::TilePlan>& passes = plan.passes.emplace_back();
      for (std::size_t i = 0; i < rows_.passes.size(); ++i) {
        passes.push_back(pass_plan(rows_.passes[i], parts, std::min(row_tiles[i], parts.row_tiles)));
      }
    }
    return plan;
  }

  builder::TilePlan pass_plan(const RowPass& pass, const RowParts& parts, std::int64_t row_tiles) const {
    builder::TilePlan plan;
    plan.counts = {parts.count, base::divide_round_up(parts.row_tiles, row_tiles), shape_.columns.count()};
    plan.in_parts = true;
    plan.streams.push_back(stream(pass.source, builder::TileRole::input, parts, row_tiles));
    if (pass.target) plan.streams.push_back(stream(*pass.target, builder::TileRole::output, parts, row_tiles));
    return plan;
  }

  builder::TileStream stream(const KernelArray& array, builder::TileRole role, const RowParts& parts,
                             std::int64_t row_tiles) const {
    const std::int64_t words = builder::tile_words(array.shape.element_type);
    builder::TileStream stream;
    stream.name = array.name;
    stream.role = role;
    stream.rows = builder::TileWindow::tiled(row_dimension, row_tiles, parts.row_tiles);
    stream.words =
        builder::TileWindow::tiled(column_dimension, shape_.columns.block * words, shape_.columns.lane_tiles() * words);
    stream.hbm_stride = stream.words.total;
    stream.vmem_stride = stream.words.length;
    stream.address = array.address + std::uint32_t(parts.first * stream.hbm_stride);
    stream.steps = {parts.row_tiles * stream.hbm_stride};
    stream.vmem_rows = row_tiles * pitch(array);
    return stream;
  }

  std::int64_t pitch(const KernelArray& array) const {
    return shape_.columns.block * builder::tile_rows(array.shape.element_type);
  }

  /// Makes the TileOp of a pass over one part.
  hw::TileOp pass_op(builder::TilePlan plan, const hw::TilePhase& row_work) const {
    plan.counts[part_dimension] = 1;
    return builder::make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return builder::loop_phases(plan.streams[source_stream].rows.length, row_work);
    });
  }

  /// Adds the parameters to the reads of the first tile.
  void with_parameters(hw::TileOp& op) const {
    if (rows_.parameters.empty()) return;
    hw::TileRun first{1, op.runs.front().work};
    const std::vector<hw::TileTransfer> transfers = RowParameters::transfers(rows_);
    first.work.reads.insert(first.work.reads.begin(), transfers.begin(), transfers.end());
    if (--op.runs.front().count == 0) op.runs.erase(op.runs.begin());
    op.runs.insert(op.runs.begin(), std::move(first));
  }

  /// Data that the code of all passes shares.
  struct Code {
    builder::KernelBuilder& builder;
    RowParameters parameters;
    std::vector<builder::KernelBuilder::VmemBuffer> statistics;
  };
  using Loops = std::vector<std::unique_ptr<builder::TileLoop>>;

  void write(builder::KernelBuilder& builder, const StreamedPlan& plan) const {
    Code code{builder, {builder, rows_, shape_}, {}};
    for (std::int64_t i = 0; i < rows_.statistics; ++i)
      code.statistics.push_back(builder.vmem_rows(plan.statistic_rows));
    code.parameters.start();
    std::vector<Loops> groups;
    int flag = 1;
    for (const std::vector<builder::TilePlan>& passes : plan.passes) {
      Loops& loops = groups.emplace_back();
      for (const builder::TilePlan& pass : passes) {
        const std::int64_t free = builder.vmem_rows_free();
        loops.push_back(std::make_unique<builder::TileLoop>(builder, pass, flag));
        if (in_one_part()) builder.free_vmem(free);
        flag += 2 * int(pass.streams.size());
      }
    }
    for (std::size_t group = 0; group < groups.size(); ++group) {
      groups[group].front()->start();
      if (group == 0) code.parameters.wait();
      write_group(code, parts_[group], plan.passes[group], groups[group]);
    }
    for (const Loops& loops : groups) loops.back()->wait_for_writes();
  }

  /// Writes all passes for each of the parts in turn. The reads of the first part have been started.
  void write_group(Code& code, const RowParts& parts, const std::vector<builder::TilePlan>& plans,
                   const Loops& loops) const {
    if (parts.count == 1) return write_passes(code, plans, loops, {});
    builder::KernelBuilder& builder = code.builder;
    const registers::ScalarReg left = builder.constant(std::int32_t(parts.count - 1));
    builder.loop(std::int32_t(parts.count), {}, [&] {
      const registers::ScalarReg last = builder.op(Op::s_xor, builder.op(Op::s_min, left, 1), 1);
      write_passes(code, plans, loops, {loops.front().get(), last});
      builder.assign(left, Op::s_sub, left, 1);
    });
  }

  void write_passes(Code& code, const std::vector<builder::TilePlan>& plans, const Loops& loops,
                    const builder::FollowingLoop& next_part) const {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const bool last = i + 1 == loops.size();
      const auto body = [&](const builder::TileLoop::Tile& tile) { write_tile(code, rows_.passes[i], plans[i], tile); };
      loops[i]->run_tiles(body, last ? next_part : builder::FollowingLoop{});
      if (last) return;
      if (rows_.passes[i].target) loops[i]->wait_for_writes();
      loops[i + 1]->start();
    }
  }

  void write_tile(Code& code, const RowPass& pass, const builder::TilePlan& plan,
                  const builder::TileLoop::Tile& tile) const {
    const registers::ScalarReg block = tile.index(column_dimension);
    RowMemory memory = this->memory(code, pass, tile, plan);
    memory.parameters = code.parameters.at(block);
    RowSweep(pass, shape_).write(code.builder, plan.streams[source_stream].rows.length, block, memory);
  }

  RowMemory memory(Code& code, const RowPass& pass, const builder::TileLoop::Tile& tile,
                   const builder::TilePlan& plan) const {
    builder::KernelBuilder& builder = code.builder;
    RowMemory memory;
    memory.source = {{tile.row(source_stream), 0, tile.buffer(source_stream)}, std::int32_t(pitch(pass.source))};
    if (pass.target) {
      memory.target = {{tile.row(target_stream), 0, tile.buffer(target_stream)}, std::int32_t(pitch(*pass.target))};
    }
    const registers::ScalarReg row_tile = builder.op(Op::s_add, {}, tile.begin(plan.streams[source_stream].rows));
    const registers::ScalarReg row = builder.op(Op::s_mul, row_tile, builder::register_rows);
    for (const builder::KernelBuilder::VmemBuffer& buffer : code.statistics) {
      memory.statistics.push_back({{builder.op(Op::s_add, row, buffer.row), 0, buffer.buffer}, builder::register_rows});
    }
    return memory;
  }

  const TargetMachine& machine_;
  const Kernel& kernel_;
  const RowKernel& rows_;
  RowShape shape_;
  std::vector<RowParts> parts_;
};

}  // namespace

void build_streamed_rows(const TargetMachine& machine, Kernel& kernel, const RowKernel& rows) {
  const StreamedRowsBuilder code(machine, kernel, rows);
  kernel.tile_op.name = kernel.name;
  const std::optional<StreamedPlan> plan = code.plan();
  if (plan) kernel.tile_op = code.tile_op(*plan);
  kernel.program = code.program(plan);
}

}  // namespace podsim::sw::codegen::families::rows
