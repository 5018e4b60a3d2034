// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/streamed_rows.h"

#include <algorithm>
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
/// What a tile has written is in HBM when the second tile behind it has been worked on (tile_loop.h); two more are read
/// ahead.
constexpr std::int64_t tiles_until_written = 4;

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
    const std::int64_t units = base::divide_round_up(parts_[0].row_tiles, shape_.unroll);
    for (std::int64_t count : part_counts(units)) {
      plans.push_back(plan(base::divide_round_up(units, count) * shape_.unroll));
    }
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
    const std::int64_t most = std::max(shape_.unroll, machine_.vmem.value() / 4 / row_bytes);
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
    plan.statistic_rows = (shape_.rounded(parts_[0].row_tiles) + shape_.unroll) * rows_per_tile;
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
    stream.vmem_rows = shape_.rounded(row_tiles) * pitch(array);
    return stream;
  }

  std::int64_t pitch(const KernelArray& array) const {
    return shape_.columns.block * tile_rows(array.shape.element_type);
  }

  /// One part's run over a pass's tiles.
  hw::TileOp pass_op(TilePlan plan, const hw::TilePhase& row_work) const {
    plan.counts[part_dimension] = 1;
    return make_tile_op(plan, kernel_.name, [&](std::span<const std::int64_t> indices) {
      const TileWindow& rows = plan.streams[source_stream].rows;
      const std::int64_t index = indices[row_dimension];
      return std::vector<hw::TilePhase>{times(shape_.rounded(rows.end(index) - rows.begin(index)), row_work)};
    });
  }

  /// They come in with the first tile.
  void with_parameters(hw::TileOp& op) const {
    if (rows_.parameters.empty()) return;
    hw::TileRun first{1, op.runs.front().work};
    first.work.reads.insert(first.work.reads.begin(), {RowParameters::bytes(rows_)});
    if (--op.runs.front().count == 0) op.runs.erase(op.runs.begin());
    op.runs.insert(op.runs.begin(), std::move(first));
  }

  void write(KernelBuilder& builder, const StreamedPlan& plan) const {
    RowParameters parameters(builder, rows_, shape_);
    std::vector<KernelBuilder::VmemBuffer> statistics;
    for (std::int64_t i = 0; i < rows_.statistics; ++i) statistics.push_back(builder.vmem_rows(plan.statistic_rows));
    parameters.start();
    int flag = 1;
    for (std::size_t group = 0; group < parts_.size(); ++group) {
      std::vector<std::unique_ptr<TileLoop>> loops;
      for (const TilePlan& pass : plan.passes[group]) {
        loops.push_back(std::make_unique<TileLoop>(builder, pass, flag));
        flag += 2 * int(pass.streams.size());
      }
      const auto write_part = [&] { write_passes(builder, plan.passes[group], loops, statistics, parameters); };
      if (parts_[group].count == 1) {
        write_part();
      } else {
        builder.loop(std::int32_t(parts_[group].count), {}, write_part);
      }
    }
  }

  void write_passes(KernelBuilder& builder, const std::vector<TilePlan>& plans,
                    const std::vector<std::unique_ptr<TileLoop>>& loops,
                    const std::vector<KernelBuilder::VmemBuffer>& statistics, RowParameters& parameters) const {
    start_readers(nullptr, loops);
    parameters.wait();
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const RowPass& pass = rows_.passes[i];
      loops[i]->run_tiles([&](const TileLoop::Tile& tile) {
        const ScalarReg block = tile.index(column_dimension);
        const RowMemory memory = this->memory(builder, pass, tile, plans[i], statistics, parameters.at(block));
        RowSweep(pass, shape_).write(builder, tile.length(plans[i].streams[source_stream].rows), block, memory);
      });
      if (!pass.target) continue;
      const bool written = plans[i].tiles_in_run() >= tiles_until_written;
      if (written) start_readers(&*pass.target, loops);
      loops[i]->wait_for_writes();
      if (!written) start_readers(&*pass.target, loops);
    }
  }

  /// The first reads of all passes over an array, or over those that no pass writes.
  void start_readers(const KernelArray* array, const std::vector<std::unique_ptr<TileLoop>>& loops) const {
    for (std::size_t i = 0; i < loops.size(); ++i) {
      const std::string& source = rows_.passes[i].source.name;
      const bool wanted = array != nullptr ? source == array->name : !is_written(source);
      if (wanted) loops[i]->start();
    }
  }
  bool is_written(const std::string& name) const {
    return std::ranges::any_of(rows_.passes,
                               [&](const RowPass& pass) { return pass.target && pass.target->name == name; });
  }

  RowMemory memory(KernelBuilder& builder, const RowPass& pass, const TileLoop::Tile& tile, const TilePlan& plan,
                   const std::vector<KernelBuilder::VmemBuffer>& statistics, std::vector<RowAddress> parameters) const {
    RowMemory memory;
    memory.source = {{tile.row(source_stream), 0, tile.buffer(source_stream)}, std::int32_t(pitch(pass.source))};
    if (pass.target) {
      memory.target = {{tile.row(target_stream), 0, tile.buffer(target_stream)}, std::int32_t(pitch(*pass.target))};
    }
    const ScalarReg row_tile = builder.op(Op::s_add, {}, tile.begin(plan.streams[source_stream].rows));
    const ScalarReg row = builder.op(Op::s_mul, row_tile, std::int32_t(rows_per_tile));
    for (const KernelBuilder::VmemBuffer& buffer : statistics) {
      memory.statistics.push_back(
          {{builder.op(Op::s_add, row, buffer.row), 0, buffer.buffer}, std::int32_t(rows_per_tile)});
    }
    memory.parameters = std::move(parameters);
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
