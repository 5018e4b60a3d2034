// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/streamed_rows.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "sw/kernels/plan_search.h"
#include "sw/kernels/row_parameters.h"
#include "sw/kernels/tile_loop.h"

namespace podsim::sw {

using Op = hw::isa::Opcode;

namespace {

constexpr std::int64_t rows_per_tile = 8;
constexpr std::int64_t vmem_row_bytes = 512;
/// Dimensions of a pass's grid.
constexpr int part_dimension = 0, row_dimension = 1, column_dimension = 2;
constexpr int source_stream = 0, target_stream = 1;
/// The loop that follows reads its first two tiles when all but the last four of this one are written (tile_loop.h).
constexpr std::int64_t tiles_until_written = 4;
/// Tiles without work at the tile level, so that what comes after them is read when all before them is written: it
/// reads two tiles ahead, and a tile waits for the writes of the second one before it.
constexpr std::int64_t until_written = 3;

/// Parts of a matrix's rows, one after the other, all of the same number of rows of tiles.
struct RowParts {
  std::int64_t first = 0;  ///< rows of tiles before them
  std::int64_t count = 1;
  std::int64_t row_tiles = 0;  ///< of each
};

struct StreamedPlan {
  std::vector<std::vector<TilePlan>> passes;  ///< [group of parts][pass]
  std::int64_t kept_rows = 0;                 ///< VMEM rows of statistics and parameters
  std::int64_t statistic_rows = 0;            ///< VMEM rows of one statistic
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
    hw::TileOp op{kernel_.name, {}, base::Bytes(plan.kept_rows * vmem_row_bytes)};
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
    KernelBuilder builder(machine_, kernel_.name);
    if (plan != nullptr) write(builder, *plan);
    return std::move(builder).finish();
  }

 private:
  /// As many equal parts as statistics in a quarter of VMEM need, and what is left.
  std::vector<RowParts> cut() const {
    std::vector<RowParts> parts;
    const std::int64_t row_bytes = rows_.statistics * rows_per_tile * vmem_row_bytes;
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
    plan.statistic_rows = base::round_up(parts_[0].row_tiles, row_tiles) * rows_per_tile;
    plan.kept_rows = rows_.statistics * plan.statistic_rows + RowParameters::rows(rows_, shape_);
    for (const RowParts& parts : parts_) {
      std::vector<TilePlan>& passes = plan.passes.emplace_back();
      for (const RowPass& pass : rows_.passes) passes.push_back(pass_plan(pass, parts, row_tiles));
    }
    return plan;
  }

  TilePlan pass_plan(const RowPass& pass, const RowParts& parts, std::int64_t row_tiles) const {
    TilePlan plan;
    plan.counts = {parts.count, base::divide_round_up(parts.row_tiles, row_tiles), shape_.columns.count()};
    plan.in_parts = true;
    plan.streams.push_back(stream(pass.source, TileRole::input, parts, row_tiles));
    if (pass.target) plan.streams.push_back(stream(*pass.target, TileRole::output, parts, row_tiles));
    return plan;
  }

  TileStream stream(const KernelArray& array, TileRole role, const RowParts& parts, std::int64_t row_tiles) const {
    const std::int64_t words = tile_words(array.shape.element_type);
    TileStream stream;
    stream.name = array.name;
    stream.role = role;
    stream.rows = TileWindow::cut(row_dimension, row_tiles, parts.row_tiles);
    stream.words = TileWindow::cut(column_dimension, shape_.columns.block * words, shape_.columns.lane_tiles() * words);
    stream.hbm_stride = stream.words.total;
    stream.vmem_stride = stream.words.length;
    stream.address = array.address + std::uint32_t(parts.first * stream.hbm_stride);
    stream.steps = {parts.row_tiles * stream.hbm_stride};
    stream.vmem_rows = row_tiles * pitch(array);
    return stream;
  }

  std::int64_t pitch(const KernelArray& array) const {
    return shape_.columns.block * tile_rows(array.shape.element_type);
  }

  /// One part's run over a pass's tiles.
  hw::TileOp pass_op(TilePlan plan, const hw::TilePhase& row_work) const {
    plan.counts[part_dimension] = 1;
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t>) {
      return loop_phases(plan.streams[source_stream].rows.length, row_work);
    });
  }

  /// They come in with the first tile.
  void with_parameters(hw::TileOp& op) const {
    if (rows_.parameters.empty()) return;
    hw::TileRun first{1, op.runs.front().work};
    const std::vector<hw::TileTransfer> transfers = RowParameters::transfers(rows_);
    first.work.reads.insert(first.work.reads.begin(), transfers.begin(), transfers.end());
    if (--op.runs.front().count == 0) op.runs.erase(op.runs.begin());
    op.runs.insert(op.runs.begin(), std::move(first));
  }

  /// What the code of all passes shares.
  struct Code {
    KernelBuilder& builder;
    RowParameters parameters;
    std::vector<KernelBuilder::VmemBuffer> statistics;
  };
  using Loops = std::vector<std::unique_ptr<TileLoop>>;

  void write(KernelBuilder& builder, const StreamedPlan& plan) const {
    Code code{builder, {builder, rows_, shape_}, {}};
    for (std::int64_t i = 0; i < rows_.statistics; ++i)
      code.statistics.push_back(builder.vmem_rows(plan.statistic_rows));
    code.parameters.start();
    std::vector<Loops> groups;
    int flag = 1;
    for (const std::vector<TilePlan>& passes : plan.passes) {
      Loops& loops = groups.emplace_back();
      for (const TilePlan& pass : passes) {
        loops.push_back(std::make_unique<TileLoop>(builder, pass, flag));
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

  /// All passes for one part after the other; the reads of the first have been started.
  void write_group(Code& code, const RowParts& parts, const std::vector<TilePlan>& plans, const Loops& loops) const {
    if (parts.count == 1) return write_passes(code, plans, loops, {});
    KernelBuilder& builder = code.builder;
    const ScalarReg left = builder.constant(std::int32_t(parts.count - 1));
    builder.loop(std::int32_t(parts.count), {}, [&] {
      const ScalarReg last = builder.op(Op::s_xor, builder.op(Op::s_min, left, 1), 1);
      write_passes(code, plans, loops, {loops.front().get(), last});
      builder.assign(left, Op::s_sub, left, 1);
    });
  }

  void write_passes(Code& code, const std::vector<TilePlan>& plans, const Loops& loops,
                    const FollowingLoop& next_part) const {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const bool last = i + 1 == loops.size();
      const bool follows_at_once = !last && can_follow(i, plans[i]);
      const auto body = [&](const TileLoop::Tile& tile) { write_tile(code, rows_.passes[i], plans[i], tile); };
      loops[i]->run_tiles(body, last ? next_part : FollowingLoop{follows_at_once ? loops[i + 1].get() : nullptr, 0});
      if (last) return;
      if (rows_.passes[i].target) loops[i]->wait_for_writes();
      if (!follows_at_once) loops[i + 1]->start();
    }
  }

  /// Whether the next pass may read its first tiles while the last ones of this pass are still to be written.
  bool can_follow(std::size_t pass, const TilePlan& plan) const {
    const std::optional<KernelArray>& target = rows_.passes[pass].target;
    return !target || target->name != rows_.passes[pass + 1].source.name || plan.tiles_in_run() >= tiles_until_written;
  }

  void write_tile(Code& code, const RowPass& pass, const TilePlan& plan, const TileLoop::Tile& tile) const {
    const ScalarReg block = tile.index(column_dimension);
    RowMemory memory = this->memory(code, pass, tile, plan);
    memory.parameters = code.parameters.at(block);
    RowSweep(pass, shape_).write(code.builder, plan.streams[source_stream].rows.length, block, memory);
  }

  RowMemory memory(Code& code, const RowPass& pass, const TileLoop::Tile& tile, const TilePlan& plan) const {
    KernelBuilder& builder = code.builder;
    RowMemory memory;
    memory.source = {{tile.row(source_stream), 0, tile.buffer(source_stream)}, std::int32_t(pitch(pass.source))};
    if (pass.target) {
      memory.target = {{tile.row(target_stream), 0, tile.buffer(target_stream)}, std::int32_t(pitch(*pass.target))};
    }
    const ScalarReg row_tile = builder.op(Op::s_add, {}, tile.begin(plan.streams[source_stream].rows));
    const ScalarReg row = builder.op(Op::s_mul, row_tile, std::int32_t(rows_per_tile));
    for (const KernelBuilder::VmemBuffer& buffer : code.statistics) {
      memory.statistics.push_back(
          {{builder.op(Op::s_add, row, buffer.row), 0, buffer.buffer}, std::int32_t(rows_per_tile)});
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

}  // namespace podsim::sw
