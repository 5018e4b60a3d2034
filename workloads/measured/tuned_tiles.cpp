// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/tuned_tiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/diagnostic.h"
#include "base/units.h"
#include "sw/compiler/fuse/inline_fusions.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "sw/hlo/graph/to_graph.h"
#include "sw/hlo/proto/tuning_data.h"
#include "sw/hlo/reader.h"
#include "sw/ir/array_tile.h"
#include "sw/ir/transform/flops.h"
#include "workloads/measured/point.h"
#include "workloads/measured/tile_pieces.h"

namespace podsim::workloads::measured {
namespace {

namespace tiles = sw::compiler::tiles;
using Bounds = std::vector<std::int64_t>;

/// Blocks of an array along each of its physical dimensions, major to minor.
Bounds blocks_of(const sw::ir::Shape& shape, const Bounds& bounds) {
  Bounds blocks;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const std::int64_t unit = i == 0 ? sw::ir::tile_lanes : i == 1 ? sw::ir::tile_sublanes : 1;
    const std::int64_t size = base::divide_round_up(shape.dimensions[std::size_t(shape.minor_dimension(i))], unit);
    blocks.push_back(base::divide_round_up(size, bounds[blocks.size()]));
  }
  return blocks;
}

std::int64_t product(const Bounds& blocks) {
  std::int64_t all = 1;
  for (const std::int64_t n : blocks) all *= n;
  return all;
}

/// The instructions of the module's only op, without fusions.
sw::ir::Computation body_of(const sw::ir::Module& module) {
  const sw::ir::Computation& entry = module.entry_computation();
  const sw::ir::Instruction& root = entry[entry.root];
  return root.opcode == sw::ir::Opcode::fusion
             ? sw::compiler::fuse::inline_fusions(module, module.computations[std::size_t(root.called.front())])
             : entry;
}

/// Blocks of a product: rows and lanes of the output, and the kernel's contracted dimensions.
tiles::Tiling product_tiling(const sw::ir::Computation& body, const sw::ir::Instruction& product_of,
                             const sw::hlo::proto::TunedRun& run) {
  tiles::Tiling tiling;
  if (int(run.output_bounds.size()) == product_of.shape.rank() && !run.output_bounds.empty()) {
    Bounds blocks = blocks_of(product_of.shape, run.output_bounds);
    tiling.lanes = blocks.back();
    blocks.pop_back();
    tiling.rows = product(blocks);
  }
  const sw::ir::Shape& kernel = body[product_of.operands[1]].shape;
  if (product_of.opcode == sw::ir::Opcode::convolution && int(run.kernel_bounds.size()) == kernel.rank()) {
    const Bounds blocks = blocks_of(kernel, run.kernel_bounds);
    for (int i = 0; i < kernel.rank(); ++i) {
      const bool contracted = kernel.minor_dimension(i) != product_of.convolution->kernel_output_feature;
      if (contracted) tiling.contraction *= blocks[std::size_t(kernel.rank() - 1 - i)];
    }
  }
  return tiling;
}

/// The array that the bounds of an op without a product divide: its result, or what it reduces.
const sw::ir::Shape* divided_array(const sw::ir::Computation& body, const sw::hlo::proto::TunedRun& run) {
  const auto rank = int(run.output_bounds.size());
  const sw::ir::Instruction& root = body[body.root];
  if (rank == 0) return nullptr;
  if (root.shape.rank() == rank) return &root.shape;
  for (const sw::ir::InstructionId operand : root.operands) {
    if (body[operand].shape.rank() == rank) return &body[operand].shape;
  }
  return nullptr;
}

/// What all tiles of an op read and write in memory. No pieces: contiguous.
struct Pieces {
  TilePieces read, written;
};

Pieces pieces_of(const sw::ir::Computation& body, const sw::ir::Shape& divided, const sw::hlo::proto::TunedRun& run) {
  const Bounds extents = tile_extents(divided, run.output_bounds);
  Pieces pieces;
  base::Bytes largest_transfer;
  for (const sw::ir::InstructionId parameter : body.parameters) {
    const sw::ir::Shape& shape = body[parameter].shape;
    if (shape.dimensions != divided.dimensions || sw::ir::padded_bytes(shape) <= largest_transfer) continue;
    largest_transfer = sw::ir::padded_bytes(shape);
    pieces.read = tile_pieces(shape, extents);
  }
  if (body[body.root].shape.dimensions == divided.dimensions) {
    pieces.written = tile_pieces(body[body.root].shape, extents);
  }
  return pieces;
}

/// Adds the scalar code that issues a DMA for each contiguous piece, as for a row that is looked up. The first piece of
/// a tile is in hw::timing::ControlTiming. With a tile go its writes and the reads of a later one; the reads of the
/// second tile are issued while those of the first arrive.
void issue_pieces(const Pieces& pieces, std::int64_t tiles, base::Cycles each, hw::TileOp& op) {
  const auto cycles = [&](const TilePieces& of) {
    return base::Cycles(std::max<std::int64_t>(0, of.count - tiles) * each.value() / tiles);
  };
  hw::TileRun last = op.runs.back();
  last.count = 1;
  --op.runs.back().count;
  if (op.runs.back().count == 0) op.runs.pop_back();
  const auto append = [](base::Cycles scalar, hw::TileRun& run) {
    if (scalar == base::Cycles(0)) return;
    run.work.phases.emplace_back();
    run.work.phases.back().scalar = scalar;
  };
  for (hw::TileRun& run : op.runs) append(cycles(pieces.read) + cycles(pieces.written), run);
  append(op.runs.empty() ? cycles(pieces.read) + cycles(pieces.written) : cycles(pieces.written), last);
  op.runs.push_back(last);
}

/// A tile that begins within a word of several rows moves the whole word.
void move_words(const TilePieces& pieces, std::int64_t tiles, std::vector<hw::TileTransfer>& transfers) {
  const auto largest_transfer = std::ranges::max_element(transfers, {}, &hw::TileTransfer::bytes);
  if (largest_transfer == transfers.end()) return;
  largest_transfer->bytes =
      std::max(largest_transfer->bytes, base::Bytes(base::divide_round_up(pieces.bytes.value(), tiles)));
}

std::string bounds_text(const sw::hlo::proto::TunedRun& run) {
  std::vector<std::string> parts;
  if (!run.kernel_bounds.empty()) parts.push_back(fmt::format("kernel {}", fmt::join(run.kernel_bounds, "x")));
  if (!run.output_bounds.empty()) parts.push_back(fmt::format("output {}", fmt::join(run.output_bounds, "x")));
  return parts.empty() ? "whole" : fmt::format("{}", fmt::join(parts, ", "));
}

/// The op of one kernel, and its time under any tiling.
class TunedOp {
 public:
  TunedOp(const sw::ir::Module& module, sw::compiler::OpCosts& costs)
      : machine_(costs.machine()),
        costs_(costs),
        body_(body_of(module)),
        work_(tiles::op_work(module, module.entry_computation(), module.entry_computation().root, machine_)) {
    for (const sw::ir::Instruction& instruction : body_.instructions) {
      if (sw::ir::transform::is_matmul(instruction.opcode)) product_ = &instruction;
    }
  }

  double chosen_s(const std::string& name) { return seconds(costs_.tiling(work_, name)); }

  std::optional<double> seconds_under(const sw::hlo::proto::TunedRun& run) {
    const sw::ir::Shape* divided = work_.matmul ? nullptr : divided_array(body_, run);
    tiles::Tiling tiling = work_.matmul && product_ ? product_tiling(body_, *product_, run) : tiles::Tiling{};
    if (divided) tiling.rows = product(blocks_of(*divided, run.output_bounds));
    if (tiling.tiles() < 1 || tiling.tiles() > most_tiles ||
        tiles::TileBlocks(work_, tiling, machine_).vmem() > machine_.vmem) {
      return std::nullopt;
    }
    const double first = seconds(tiling, divided ? pieces_of(body_, *divided, run) : Pieces{});
    if (tiling.rows == 1 || tiling.lanes == 1) return first;
    tiling.rows_outer = false;
    return std::min(first, seconds(tiling));
  }

 private:
  static constexpr std::int64_t most_tiles = 1 << 20;

  double seconds(const tiles::Tiling& tiling, const Pieces& pieces = {}) {
    hw::TileOp op = tiles::make_tiles(work_, tiling, machine_, "kernel");
    issue_pieces(pieces, tiling.tiles(), machine_.compiler.row_read, op);
    for (hw::TileRun& run : op.runs) {
      move_words(pieces.read, tiling.tiles(), run.work.reads);
      move_words(pieces.written, tiling.tiles(), run.work.writes);
    }
    return double(costs_.simulate(op).cycles.value()) / machine_.clock.si();
  }

  const hw::Machine& machine_;
  sw::compiler::OpCosts& costs_;
  sw::ir::Computation body_;
  tiles::OpWork work_;
  const sw::ir::Instruction* product_ = nullptr;
};

}  // namespace

std::optional<double> TiledKernel::tau() const {
  std::vector<double> measured, modelled;
  for (const TiledRun& run : runs) {
    if (!run.modelled_s) continue;
    measured.push_back(run.measured_s);
    modelled.push_back(*run.modelled_s);
  }
  return measured.size() < 3 ? std::nullopt : std::optional(kendall_tau(measured, modelled));
}

const TiledRun* TiledKernel::by_default() const {
  const auto found = std::ranges::find(runs, true, &TiledRun::is_default);
  return found == runs.end() ? nullptr : &*found;
}

const TiledRun* TiledKernel::by_model() const {
  const TiledRun* best = nullptr;
  for (const TiledRun& run : runs) {
    if (run.modelled_s && (best == nullptr || *run.modelled_s < *best->modelled_s)) best = &run;
  }
  return best;
}

double TiledKernel::best_measured_s() const {
  return runs.empty() ? 0 : std::ranges::min(runs, {}, &TiledRun::measured_s).measured_s;
}

std::vector<TiledKernel> tuned_tiles(const std::string& file, std::string_view bytes, sw::compiler::OpCosts& costs) {
  std::vector<TiledKernel> kernels;
  for (const sw::hlo::proto::TunedKernel& tuned : sw::hlo::proto::tuning_data(file, bytes)) {
    sw::hlo::ReadResult read = sw::hlo::read(file, tuned.text);
    if (!read.ok() || read.modules.empty()) throw base::InputError(read.diagnostics);
    const sw::ir::Module module = sw::hlo::graph::to_graph(read.modules.front());
    TiledKernel kernel{.name = module.name, .runs = {}};
    TunedOp op(module, costs);
    kernel.chosen_s = op.chosen_s(module.name);
    for (const sw::hlo::proto::TunedRun& run : tuned.runs) {
      kernel.runs.push_back({bounds_text(run), run.seconds, op.seconds_under(run), run.is_default});
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace podsim::workloads::measured
