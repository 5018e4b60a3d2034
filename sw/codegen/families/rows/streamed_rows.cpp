// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/streamed_rows.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/families/plan_search.h"
#include "sw/codegen/families/rows/row_parameters.h"

namespace podsim::sw::codegen::families::rows {

using Op = hw::isa::Opcode;

namespace {

/// Dimensions of a pass's grid.
constexpr int part_dimension = 0, row_dimension = 1, column_dimension = 2;
/// A following loop reads its first two tiles when all tiles of this loop except the last four are written
/// (sw/codegen/builder/tile_loop.h).
constexpr std::int64_t tiles_until_written = 4;
/// Number of tiles without work between passes at the tile level, so that the next pass reads only after the previous
/// one has been written. The tile level reads two tiles ahead, and tile i waits for the writes of tile i - 2.
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
  StreamedRowsBuilder(const hw::Machine& machine, const Kernel& kernel, const RowKernel& rows)
      : machine_(machine), kernel_(kernel), rows_(rows), shape_(rows.passes[0].source.shape), parts_(cut()) {}

  std::vector<StreamedPlan> plans() const {
    std::vector<StreamedPlan> plans;
    if (shape_.columns.columns == 0 || parts_.empty()) return plans;
    const std::int64_t row_tiles = parts_[0].row_tiles;
    for (std::int64_t count : part_counts(row_tiles)) plans.push_back(plan(base::divide_round_up(row_tiles, count)));
    return plans;
  }

  hw::TileOp tile_op(const StreamedPlan& plan) const {
    std::vector<hw::TilePhase> row_work;
    for (const RowPass& pass : rows_.passes) row_work.push_back(RowSweep(pass, shape_).row_work(machine_, rows_));
    hw::TileOp op{kernel_.name, {}, base::Bytes(plan.kept_rows * builder::vmem_row_bytes)};
    for (std::size_t group = 0; group < parts_.size(); ++group) {
      std::vector<hw::TileRun> runs;
      for (std::size_t pass = 0; pass < rows_.passes.size(); ++pass) {
        hw::TileOp one = pass_op(plan.passes[group][pass], row_work[pass]);
        op.vmem += one.vmem;
        std::ranges::move(one.runs, std::back_inserter(runs));
        if (pass + 1 < rows_.passes.size() && !can_follow(pass, plan.passes[group][pass]))
          runs.push_back({until_written, {}});
      }
      for (std::int64_t i = 0; i < parts_[group].count; ++i) std::ranges::copy(runs, std::back_inserter(op.runs));
    }
    with_parameters(op);
    return op;
  }

  hw::isa::Program program(const StreamedPlan* plan) const {
    builder::KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) write(builder, *plan);
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

  StreamedPlan plan(std::int64_t row_tiles) const {
    StreamedPlan plan;
    plan.statistic_rows = base::round_up(parts_[0].row_tiles, row_tiles) * builder::register_rows;
    plan.kept_rows = rows_.statistics * plan.statistic_rows + RowParameters::rows(rows_, shape_);
    for (const RowParts& parts : parts_) {
      std::vector<builder::TilePlan>& passes = plan.passes.emplace_back();
      for (const RowPass& pass : rows_.passes) passes.push_back(pass_plan(pass, parts, row_tiles));
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
        loops.push_back(std::make_unique<builder::TileLoop>(builder, pass, flag));
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
      const bool follows_at_once = !last && can_follow(i, plans[i]);
      const auto body = [&](const builder::TileLoop::Tile& tile) { write_tile(code, rows_.passes[i], plans[i], tile); };
      loops[i]->run_tiles(body,
                          last ? next_part : builder::FollowingLoop{follows_at_once ? loops[i + 1].get() : nullptr, 0});
      if (last) return;
      if (rows_.passes[i].target) loops[i]->wait_for_writes();
      if (!follows_at_once) loops[i + 1]->start();
    }
  }

  /// Returns true if the next pass may read its first tiles before the last tiles of this pass are written.
  bool can_follow(std::size_t pass, const builder::TilePlan& plan) const {
    const std::optional<KernelArray>& target = rows_.passes[pass].target;
    return !target || target->name != rows_.passes[pass + 1].source.name || plan.tiles_in_run() >= tiles_until_written;
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

  const hw::Machine& machine_;
  const Kernel& kernel_;
  const RowKernel& rows_;
  RowShape shape_;
  std::vector<RowParts> parts_;
};

}  // namespace

void build_streamed_rows(const hw::Machine& machine, Kernel& kernel, const RowKernel& rows) {
  const StreamedRowsBuilder code(machine, kernel, rows);
  build_fastest(machine, kernel, code.plans(), code);
}

}  // namespace podsim::sw::codegen::families::rows
