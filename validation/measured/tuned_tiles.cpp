// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/tuned_tiles.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

#include "base/diagnostic.h"
#include "base/units.h"
#include "hlo/api/hlo.h"
#include "hlo/array_tile.h"
#include "hlo/proto/tuning_data.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/fuse/inline_fusions.h"
#include "sw/compiler/tiles/op_work.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "validation/measured/point.h"
#include "validation/measured/tile_pieces.h"

namespace podsim::validation::measured {
namespace {

namespace tiles = sw::compiler::tiles;
using Bounds = std::vector<std::int64_t>;

/// Blocks of an array along each of its physical dimensions, major to minor.
Bounds blocks_of(const hlo::Shape& shape, const Bounds& bounds) {
  Bounds blocks;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    const std::int64_t unit = i == 0 ? hlo::tile_lanes : i == 1 ? hlo::tile_sublanes : 1;
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
hlo::Computation body_of(const hlo::Module& module) {
  const hlo::Computation& entry = module.entry_computation();
  const hlo::Instruction& root = entry[entry.root];
  return root.opcode == hlo::Opcode::fusion
             ? sw::compiler::fuse::inline_fusions(module, module.computations[std::size_t(root.called.front())])
             : entry;
}

/// Blocks of a product: rows and lanes of the output, and the kernel's contracted dimensions.
tiles::Tiling product_tiling(const hlo::Computation& body, const hlo::Instruction& product_of,
                             const hlo::proto::TunedRun& run) {
  tiles::Tiling tiling;
  if (int(run.output_bounds.size()) == product_of.shape.rank() && !run.output_bounds.empty()) {
    Bounds blocks = blocks_of(product_of.shape, run.output_bounds);
    tiling.lanes = blocks.back();
    blocks.pop_back();
    tiling.rows = product(blocks);
  }
  const hlo::Shape& kernel = body[product_of.operands[1]].shape;
  if (product_of.opcode == hlo::Opcode::convolution && int(run.kernel_bounds.size()) == kernel.rank()) {
    const Bounds blocks = blocks_of(kernel, run.kernel_bounds);
    for (int i = 0; i < kernel.rank(); ++i) {
      const bool contracted = kernel.minor_dimension(i) != product_of.convolution->kernel_output_feature;
      if (contracted) tiling.contraction *= blocks[std::size_t(kernel.rank() - 1 - i)];
    }
  }
  return tiling;
}

/// The array that the bounds of an op without a product divide: its result, or what it reduces.
const hlo::Shape* divided_array(const hlo::Computation& body, const hlo::proto::TunedRun& run) {
  const auto rank = int(run.output_bounds.size());
  const hlo::Instruction& root = body[body.root];
  if (rank == 0) return nullptr;
  if (root.shape.rank() == rank) return &root.shape;
  for (const hlo::InstructionId operand : root.operands) {
    if (body[operand].shape.rank() == rank) return &body[operand].shape;
  }
  return nullptr;
}

/// What all tiles of an op read and write in memory. No pieces: contiguous.
struct Pieces {
  TilePieces read, written;
};

Pieces pieces_of(const hlo::Computation& body, const hlo::Shape& divided, const hlo::proto::TunedRun& run) {
  const Bounds extents = tile_extents(divided, run.output_bounds);
  Pieces pieces;
  base::Bytes largest_transfer;
  for (const hlo::InstructionId parameter : body.parameters) {
    const hlo::Shape& shape = body[parameter].shape;
    if (shape.dimensions != divided.dimensions || hlo::padded_bytes(shape) <= largest_transfer) continue;
    largest_transfer = hlo::padded_bytes(shape);
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
    run.work.phases.back().of<hw::Scalar>().cycles = scalar;
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

std::string bounds_text(const hlo::proto::TunedRun& run) {
  std::vector<std::string> parts;
  if (!run.kernel_bounds.empty()) parts.push_back(fmt::format("kernel {}", fmt::join(run.kernel_bounds, "x")));
  if (!run.output_bounds.empty()) parts.push_back(fmt::format("output {}", fmt::join(run.output_bounds, "x")));
  return parts.empty() ? "whole" : fmt::format("{}", fmt::join(parts, ", "));
}

/// The op of one kernel, and its time under any tiling.
class TunedOp {
 public:
  TunedOp(const hlo::Module& module, sw::compiler::OpCosts& costs)
      : machine_(costs.machine()),
        costs_(costs),
        body_(body_of(module)),
        work_(tiles::op_work(module, module.entry_computation(), module.entry_computation().root, machine_)) {
    for (const hlo::Instruction& instruction : body_.instructions) {
      if (hlo::transform::is_matmul(instruction.opcode)) product_ = &instruction;
    }
  }

  double chosen_s(const std::string& name) { return seconds(costs_.tiling(work_, name)); }

  std::optional<double> seconds_under(const hlo::proto::TunedRun& run) {
    const hlo::Shape* divided = work_.matmul ? nullptr : divided_array(body_, run);
    tiles::Tiling tiling = work_.matmul && product_ ? product_tiling(body_, *product_, run) : tiles::Tiling{};
    if (divided) tiling.rows = product(blocks_of(*divided, run.output_bounds));
    if (tiling.tiles() < 1 || tiling.tiles() > max_tiles ||
        tiles::TileBlocks(work_, tiling, machine_).vmem() > machine_.vmem) {
      return std::nullopt;
    }
    const double first = seconds(tiling, divided ? pieces_of(body_, *divided, run) : Pieces{});
    if (tiling.rows == 1 || tiling.lanes == 1) return first;
    tiling.rows_outer = false;
    return std::min(first, seconds(tiling));
  }

 private:
  static constexpr std::int64_t max_tiles = 1 << 20;

  double seconds(const tiles::Tiling& tiling, const Pieces& pieces = {}) {
    hw::TileOp op = tiles::make_tiles(work_, tiling, machine_, "kernel");
    issue_pieces(pieces, tiling.tiles(), machine_.compiler.row_read, op);
    for (hw::TileRun& run : op.runs) {
      move_words(pieces.read, tiling.tiles(), run.work.reads);
      move_words(pieces.written, tiling.tiles(), run.work.writes);
    }
    return double(costs_.simulate(op).cycles.value()) / machine_.clock.si();
  }

  const sw::TargetMachine& machine_;
  sw::compiler::OpCosts& costs_;
  hlo::Computation body_;
  tiles::OpWork work_;
  const hlo::Instruction* product_ = nullptr;
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
  for (const hlo::proto::TunedKernel& tuned : hlo::proto::tuning_data(file, bytes)) {
    const hlo::Module module = hlo::api::read_graph(file, tuned.text);
    TiledKernel kernel{.name = module.name, .runs = {}};
    TunedOp op(module, costs);
    kernel.chosen_s = op.chosen_s(module.name);
    for (const hlo::proto::TunedRun& run : tuned.runs) {
      kernel.runs.push_back({bounds_text(run), run.seconds, op.seconds_under(run), run.is_default});
    }
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace podsim::validation::measured
