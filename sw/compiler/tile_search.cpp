// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tile_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "base/diagnostic.h"

namespace podsim::sw {
namespace {

using base::Bytes;
using base::divide_round_up;
using base::round_up;

/// Of an op; more where no fewer fit VMEM.
constexpr std::array<std::int64_t, 3> kMostTiles{1024, 16384, 262144};
constexpr std::int64_t kSublanes = 8;

Bytes share(Bytes bytes, std::int64_t parts) { return Bytes(divide_round_up(bytes.value(), parts)); }

hw::VectorWork share(const hw::VectorWork& work, double parts) {
  auto part = [&](std::int64_t n) { return std::int64_t(std::ceil(double(n) / parts)); };
  return {.loads = part(work.loads),
          .stores = part(work.stores),
          .alu_ops = part(work.alu_ops),
          .transcendentals = part(work.transcendentals)};
}

hw::VectorWork sum(const hw::VectorWork& a, const hw::VectorWork& b) {
  return {.loads = a.loads + b.loads,
          .stores = a.stores + b.stores,
          .alu_ops = a.alu_ops + b.alu_ops,
          .transcendentals = a.transcendentals + b.transcendentals};
}

hw::VectorWork scaled(const hw::VectorWork& work, double factor) {
  auto part = [&](std::int64_t n) { return std::int64_t(std::llround(double(n) * factor)); };
  return {.loads = part(work.loads),
          .stores = part(work.stores),
          .alu_ops = part(work.alu_ops),
          .transcendentals = part(work.transcendentals)};
}

IndexedRows share(const IndexedRows& rows, std::int64_t parts) {
  return {divide_round_up(rows.slices, parts), divide_round_up(rows.pieces, parts), rows.piece, rows.span};
}

hw::TileTransfer transfer_of(const IndexedRows& rows) {
  return {rows.bytes(), hw::AccessShape::scattered(rows.piece, rows.span)};
}

bool any(const hw::VectorWork& work) { return work != hw::VectorWork{}; }

/// The blocks that one tile works on, and how often each operand's block is loaded.
class Blocks {
 public:
  Blocks(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine)
      : work_(work), cuts_(cuts), machine_(machine) {}

  Bytes row_block() const { return with_halo(share(work_.row_bytes, cuts_.batch * cuts_.rows * cuts_.contraction), 0); }
  Bytes lane_block() const {
    return with_halo(share(work_.lane_bytes, cuts_.batch * cuts_.lanes * cuts_.contraction), 1);
  }
  Bytes output_side_block() const { return share(work_.output_side_bytes, output_tiles()); }
  Bytes written_block() const { return share(work_.written_bytes, output_tiles()); }
  IndexedRows gathered_block() const { return share(work_.gathered, output_tiles()); }
  IndexedRows updated_block() const { return share(work_.updated, output_tiles()); }
  std::int64_t output_tiles() const { return cuts_.batch * cuts_.rows * cuts_.lanes; }

  /// A tile's share of a matmul whose result stays in VMEM.
  hw::MxuWork earlier_mxu(const MatmulProblem& problem) const {
    return spread({.weight_tiles = divide_round_up(problem.weight_tiles(machine_.mxu.size), cuts_.tiles()),
                   .rows = round_up(problem.rows, kSublanes)});
  }

  hw::MxuWork mxu() const {
    const MatmulProblem& problem = *work_.matmul;
    std::int64_t lane_tiles = divide_round_up(problem.lanes, machine_.mxu.size);
    std::int64_t lane_cuts = std::min(cuts_.lanes, lane_tiles);
    std::int64_t block_cuts = divide_round_up(cuts_.lanes, lane_cuts);
    std::int64_t stationary =
        divide_round_up(lane_tiles, lane_cuts) * divide_round_up(problem.stationary_blocks, block_cuts);
    return spread({.weight_tiles = divide_round_up(problem.batch, cuts_.batch) * stationary *
                                   divide_round_up(problem.contraction_tiles, cuts_.contraction),
                   .rows = round_up(divide_round_up(problem.rows, cuts_.rows), kSublanes)});
  }

  /// fp32 partial sums of one output block.
  Bytes accumulator() const {
    if (!work_.matmul) return Bytes(0);
    std::int64_t lanes = round_up(work_.matmul->lanes, machine_.vector.lanes);
    return share(Bytes(work_.matmul->output_rows * lanes * 4), output_tiles());
  }

  Bytes vmem() const {
    bool one_row_block = cuts_.batch * cuts_.rows * cuts_.contraction == 1;
    bool one_lane_block = cuts_.batch * cuts_.lanes * cuts_.contraction == 1;
    return row_block() * (one_row_block ? 1 : 2) + lane_block() * (one_lane_block ? 1 : 2) + accumulator() +
           2 * (output_side_block() + written_block() + gathered_block().bytes()) + 4 * updated_block().bytes() +
           work_.small_bytes;
  }

 private:
  /// Weight tiles that do not divide over the MXUs are held by all of them, and the rows divided instead, when that is
  /// faster.
  hw::MxuWork spread(const hw::MxuWork& whole) const {
    std::int64_t units = machine_.mxu.count;
    hw::MxuWork divided{whole.weight_tiles * units, round_up(divide_round_up(whole.rows, units), kSublanes)};
    auto cycles = [&](const hw::MxuWork& work) {
      return divide_round_up(work.weight_tiles, units) * std::max(work.rows, machine_.mxu.weight_load.value());
    };
    return cycles(divided) < cycles(whole) ? divided : whole;
  }

  /// Cuts between rows of pixels re-read what the window overlaps; `operand` is the hero's operand number of a side.
  Bytes with_halo(Bytes block, int side) const {
    if (!work_.matmul) return block;
    const MatmulProblem& problem = *work_.matmul;
    int operand = side == 0 ? problem.row_operand : problem.lane_operand;
    std::int64_t cuts = side == 0 ? cuts_.rows : cuts_.lanes;
    if (operand != 0 || cuts <= problem.cuts_without_halo) return block;
    double per_block = double(divide_round_up(cuts, problem.cuts_without_halo)) * problem.halo_per_cut;
    return Bytes(std::int64_t(double(block.value()) * (1 + per_block)));
  }

  const OpWork& work_;
  const TileCuts& cuts_;
  const hw::Machine& machine_;
};

/// Results popped from the MXU go to VMEM; those of the second and later contraction tiles are added to fp32 partial
/// sums there: a load, an addition and a store per register.
hw::VectorWork accumulation(const hw::MxuWork& mxu, const MatmulProblem& problem, const hw::Machine& machine) {
  std::int64_t registers_per_row = divide_round_up(machine.mxu.size, machine.vector.lanes);
  std::int64_t registers = mxu.weight_tiles * (mxu.rows / kSublanes) * registers_per_row;
  bool sums = problem.contraction_tiles > 1;
  return {.loads = sums ? registers : 0, .stores = registers, .alu_ops = sums ? registers : 0, .transcendentals = 0};
}

class TileMaker {
 public:
  TileMaker(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine)
      : work_(work), cuts_(cuts), machine_(machine), blocks_(work, cuts, machine) {}

  std::vector<hw::TileRun> run() {
    std::int64_t outer = cuts_.rows_outer ? cuts_.rows : cuts_.lanes;
    std::int64_t inner = cuts_.rows_outer ? cuts_.lanes : cuts_.rows;
    for (std::int64_t b = 0; b < cuts_.batch; ++b) {
      for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t i = 0; i < inner; ++i) {
          for (std::int64_t k = 0; k < cuts_.contraction; ++k) {
            add_tile(cuts_.rows_outer ? o : i, cuts_.rows_outer ? i : o, b, k);
          }
        }
      }
    }
    if (work_.updated.pieces > 0) add_updates();
    add_launch();
    return std::move(runs_);
  }

 private:
  struct Key {
    std::int64_t batch, cut, contraction;
    bool operator==(const Key&) const = default;
  };

  /// What tells the work of a tile from that of others.
  struct TileKind {
    bool first;                  ///< of the op
    bool loads_row, loads_lane;  ///< blocks that are not there yet
    bool last;                   ///< of the contraction
    bool operator==(const TileKind&) const = default;
  };

  void add_tile(std::int64_t row, std::int64_t lane, std::int64_t batch, std::int64_t k) {
    const Key row_key{batch, row, k}, lane_key{batch, lane, k};
    const TileKind kind{runs_.empty(), row_key != loaded_row_, lane_key != loaded_lane_, k == cuts_.contraction - 1};
    loaded_row_ = row_key;
    loaded_lane_ = lane_key;
    if (kind == kind_before_) {
      ++runs_.back().count;
    } else {
      append(tile_of(kind));
    }
    kind_before_ = kind;
  }

  hw::TileWork tile_of(const TileKind& kind) const {
    hw::TileWork tile;
    auto read = [&](Bytes bytes) {
      if (bytes > Bytes(0)) tile.reads.push_back({bytes});
    };
    if (kind.first) read(work_.small_bytes);
    if (kind.loads_row) read(blocks_.row_block());
    if (kind.loads_lane) read(blocks_.lane_block());
    if (kind.last) {
      if (work_.updated.pieces == 0) read(blocks_.output_side_block());
      if (work_.gathered.pieces > 0) tile.reads.push_back(transfer_of(blocks_.gathered_block()));
      if (Bytes written = blocks_.written_block(); written > Bytes(0)) tile.writes.push_back({written});
    }
    tile.phases = work_.matmul ? matmul_phases(kind.last) : vector_phases();
    if (kind.last) tile.phases.front().scalar = lookup(blocks_.gathered_block(), machine_.compiler.row_read);
    return tile;
  }

  /// Behind what the op writes in order: the tiles that read rows, combine and write them back.
  void add_updates() {
    hw::TileWork tile;
    const IndexedRows rows = blocks_.updated_block();
    if (Bytes beside = blocks_.output_side_block(); beside > Bytes(0)) tile.reads.push_back({beside});
    tile.reads.push_back(transfer_of(rows));
    tile.writes.push_back(transfer_of(rows));
    // Two operands and a result for a piece at a time, which fills no more than a register.
    hw::TilePhase phase;
    phase.vector = {.loads = 2 * rows.pieces, .stores = rows.pieces, .alu_ops = rows.pieces, .transcendentals = 0};
    phase.scalar = lookup(rows, machine_.compiler.row_update);
    tile.phases.push_back(phase);
    append(std::move(tile));
    runs_.back().count += blocks_.output_tiles() - 1;
  }

  void add_launch() {
    hw::TileRun& first = runs_.front();
    if (machine_.compiler.op_launch == base::Cycles(0)) return;
    if (first.count > 1) {
      hw::TileRun rest = first;
      --rest.count;
      first.count = 1;
      runs_.insert(runs_.begin() + 1, std::move(rest));
    }
    hw::TilePhase launch;
    launch.scalar = machine_.compiler.op_launch;
    runs_.front().work.phases.push_back(launch);
  }

  base::Cycles lookup(const IndexedRows& rows, base::Cycles piece) const {
    return rows.slices * machine_.compiler.row_lookup + rows.pieces * piece;
  }

  void append(hw::TileWork tile) {
    if (!runs_.empty() && runs_.back().work == tile) {
      ++runs_.back().count;
    } else {
      runs_.push_back({1, std::move(tile)});
    }
  }

  std::vector<hw::TilePhase> vector_phases() const {
    const std::int64_t parts = blocks_.output_tiles() * work_.passes;
    hw::TilePhase phase;
    phase.vector = share(work_.epilogue, double(parts));
    phase.cross_lane_ops = divide_round_up(work_.cross_lane_ops, parts);
    std::vector<hw::TilePhase> phases(std::size_t(work_.passes), phase);
    if (work_.loops > 1) {
      // The phase has one loop; the others start as well, and scalar code issues a DMA for each of their arrays.
      hw::TilePhase starts;
      starts.scalar = divide_round_up(work_.loops - 1, blocks_.output_tiles()) * machine_.tile_level.vector_loop +
                      divide_round_up(work_.loop_arrays, blocks_.output_tiles()) * machine_.compiler.row_read;
      phases.push_back(starts);
    }
    if (work_.serial_transfers > 0) {
      hw::TilePhase waiting;
      waiting.scalar = divide_round_up(work_.serial_transfers, blocks_.output_tiles()) *
                       (machine_.dma.read_latency + machine_.dma.write_latency);
      phases.push_back(waiting);
    }
    return phases;
  }

  /// What the vector and cross-lane units do before or after a tile's matmul.
  struct Beside {
    hw::VectorWork vector;
    double relayouts = 0;
  };

  Beside prologue() const {
    const auto rows = double(cuts_.batch * cuts_.rows * cuts_.contraction);
    const auto lanes = double(cuts_.batch * cuts_.lanes * cuts_.contraction);
    return {sum(share(work_.row_prologue, rows), share(work_.lane_prologue, lanes)),
            double(work_.row_relayouts) / rows + double(work_.lane_relayouts) / lanes};
  }

  Beside epilogue() const {
    const auto parts = double(blocks_.output_tiles());
    return {share(work_.epilogue, parts), double(work_.output_relayouts) / parts};
  }

  std::vector<hw::TilePhase> matmul_phases(bool last) const {
    const Beside before = prologue(), after = last ? epilogue() : Beside{};
    std::vector<hw::TilePhase> phases;
    add_exposed(before, phases);
    for (const MatmulProblem& earlier : work_.earlier_matmuls) {
      hw::TilePhase phase;
      phase.mxu = blocks_.earlier_mxu(earlier);
      phases.push_back(phase);
    }
    phases.push_back(matmul_phase(before, after));
    add_exposed(after, phases);
    return phases;
  }

  hw::TilePhase matmul_phase(const Beside& before, const Beside& after) const {
    const double hidden = 1 - machine_.compiler.exposed_vector_fraction;
    hw::TilePhase phase;
    phase.mxu = blocks_.mxu();
    phase.vector =
        sum(scaled(sum(before.vector, after.vector), hidden), accumulation(phase.mxu, *work_.matmul, machine_));
    phase.cross_lane_ops = std::int64_t(std::ceil(double(work_.cross_lane_ops) / double(cuts_.tiles()) +
                                                  hidden * (before.relayouts + after.relayouts)));
    return phase;
  }

  void add_exposed(const Beside& beside, std::vector<hw::TilePhase>& phases) const {
    const double exposed = machine_.compiler.exposed_vector_fraction;
    hw::TilePhase vector, moves;
    vector.vector = scaled(beside.vector, exposed);
    if (any(vector.vector)) phases.push_back(vector);
    moves.cross_lane_ops = std::int64_t(std::ceil(exposed * beside.relayouts));
    if (moves.cross_lane_ops > 0) phases.push_back(moves);
  }

  const OpWork& work_;
  const TileCuts& cuts_;
  const hw::Machine& machine_;
  Blocks blocks_;
  std::optional<TileKind> kind_before_;
  Key loaded_row_{-1, -1, -1};
  Key loaded_lane_{-1, -1, -1};
  std::vector<hw::TileRun> runs_;
};

std::vector<std::int64_t> powers_up_to(std::int64_t limit) {
  std::vector<std::int64_t> powers;
  for (std::int64_t p = 1; p <= limit; p *= 2) powers.push_back(p);
  return powers;
}

std::vector<TileCuts> candidates(const OpWork& work, const hw::Machine& machine, std::int64_t most_tiles) {
  std::vector<TileCuts> found;
  if (!work.matmul) {
    for (std::int64_t rows : powers_up_to(most_tiles)) found.push_back({.rows = rows});
    return found;
  }
  const MatmulProblem& problem = *work.matmul;
  std::int64_t lane_tiles = divide_round_up(problem.lanes, machine.mxu.size);
  bool pixels = problem.stationary_blocks > 1;
  std::int64_t most_columns = std::max<std::int64_t>(1, machine.compiler.prologue_columns / machine.mxu.size);
  for (std::int64_t batch : powers_up_to(problem.batch)) {
    for (std::int64_t rows : powers_up_to(problem.rows / kSublanes)) {
      for (std::int64_t lanes : powers_up_to(problem.stationary_blocks * lane_tiles)) {
        if (!pixels && divide_round_up(lane_tiles, lanes) > most_columns) continue;
        for (std::int64_t contraction : powers_up_to(problem.contraction_tiles)) {
          TileCuts cuts{batch, rows, lanes, contraction, true};
          if (cuts.tiles() > most_tiles) break;
          found.push_back(cuts);
          cuts.rows_outer = false;
          if (rows > 1 && lanes > 1) found.push_back(cuts);
        }
      }
    }
  }
  return found;
}

/// A lower bound of an op's cycles that needs no tiles: the MXU's time for its work with the vector work exposed beside
/// it, or the HBM's time for the blocks that are fetched, whichever is longer.
class LowerBound {
 public:
  LowerBound(const OpWork& work, const hw::Machine& machine) : work_(work), machine_(machine) {}

  double cycles(const TileCuts& cuts) const {
    Blocks blocks(work_, cuts, machine_);
    return std::max(compute_cycles(cuts, blocks), hbm_cycles(cuts, blocks));
  }

  /// Bytes between HBM and VMEM, those that are fetched again too.
  Bytes moved(const TileCuts& cuts) const { return moved(cuts, Blocks(work_, cuts, machine_)); }

 private:
  double compute_cycles(const TileCuts& cuts, const Blocks& blocks) const {
    if (!work_.matmul) return vector_cycles(work_.epilogue);
    hw::MxuWork mxu = blocks.mxu();
    double rows = double(std::max(mxu.rows, machine_.mxu.weight_load.value()));
    double streaming = double(cuts.tiles()) * double(mxu.weight_tiles) / double(machine_.mxu.count) * rows;
    double exposed = vector_cycles(work_.row_prologue) * double(cuts.lanes) +
                     vector_cycles(work_.lane_prologue) * double(cuts.rows) + vector_cycles(work_.epilogue);
    return streaming + earlier_cycles() + machine_.compiler.exposed_vector_fraction * exposed;
  }

  double earlier_cycles() const {
    double sum = 0;
    for (const MatmulProblem& problem : work_.earlier_matmuls) {
      sum += double(problem.weight_tiles(machine_.mxu.size)) / double(machine_.mxu.count) * double(problem.rows);
    }
    return sum;
  }

  double vector_cycles(const hw::VectorWork& work) const {
    return std::max({double(work.loads) / double(machine_.vector.loads),
                     double(work.stores) / double(machine_.vector.stores),
                     double(work.alu_ops) / double(machine_.vector.alus)});
  }

  double hbm_cycles(const TileCuts& cuts, const Blocks& blocks) const {
    return double(moved(cuts, blocks).value()) / machine_.hbm.stream_rate.si() * machine_.clock.si();
  }

  Bytes moved(const TileCuts& cuts, const Blocks& blocks) const {
    // A block stays while the tiles that follow need it.
    std::int64_t tiles = cuts.tiles();
    bool row_stays = cuts.contraction == 1 && (cuts.rows_outer || cuts.rows == 1);
    bool lane_stays = cuts.contraction == 1 && (!cuts.rows_outer || cuts.lanes == 1);
    std::int64_t row_fetches = row_stays ? cuts.batch * cuts.rows : tiles;
    std::int64_t lane_fetches = lane_stays ? cuts.batch * cuts.lanes : tiles;
    return row_fetches * blocks.row_block() + lane_fetches * blocks.lane_block() + work_.output_side_bytes +
           work_.written_bytes + work_.gathered.bytes() + 2 * work_.updated.bytes();
  }

  const OpWork& work_;
  const hw::Machine& machine_;
};

/// Every tile is charged two millionths of the op, so that small tiles, which cost descriptors and simulation time,
/// must gain something.
double score(double cycles, const TileCuts& cuts) { return cycles * (1 + 2e-6 * double(cuts.tiles())); }

struct Candidate {
  TileCuts cuts;
  double least_score;
};

/// Drops cuts into tiles that move less than compiler.least_tile, or into more than need be where VMEM holds none that
/// are as large.
void keep_large_tiles(const LowerBound& bound, Bytes least, std::vector<Candidate>& fitting) {
  std::int64_t fewest = kMostTiles.back();
  for (const Candidate& candidate : fitting) fewest = std::min(fewest, candidate.cuts.tiles());
  std::erase_if(fitting, [&](const Candidate& candidate) {
    const std::int64_t tiles = candidate.cuts.tiles();
    return tiles > fewest && bound.moved(candidate.cuts) < tiles * least;
  });
}

/// Those that fit VMEM, the most promising first.
std::vector<Candidate> fitting_candidates(const OpWork& work, const hw::Machine& machine, const std::string& name) {
  LowerBound bound(work, machine);
  std::vector<Candidate> fitting;
  std::optional<Bytes> smallest;
  for (std::int64_t most_tiles : kMostTiles) {
    for (const TileCuts& cuts : candidates(work, machine, most_tiles)) {
      Bytes vmem = Blocks(work, cuts, machine).vmem();
      smallest = std::min(smallest.value_or(vmem), vmem);
      if (vmem <= machine.vmem) fitting.push_back({cuts, score(bound.cycles(cuts), cuts)});
    }
    if (!fitting.empty()) break;
  }
  if (fitting.empty()) {
    throw base::SimulationError("op '" + name + "' needs " + to_string(smallest.value_or(Bytes(0))) +
                                " of VMEM when cut into at most " + std::to_string(kMostTiles.back()) +
                                " tiles; a core has " + to_string(machine.vmem));
  }
  // Rows that are looked up move one by one, whatever the tile.
  if (work.gathered.pieces + work.updated.pieces == 0) keep_large_tiles(bound, machine.compiler.least_tile, fitting);
  std::ranges::stable_sort(fitting, {}, &Candidate::least_score);
  return fitting;
}

}  // namespace

hw::TileOp make_tiles(const OpWork& work, const TileCuts& cuts, const hw::Machine& machine, std::string name) {
  hw::TileOp op;
  op.name = std::move(name);
  op.runs = TileMaker(work, cuts, machine).run();
  op.vmem = Blocks(work, cuts, machine).vmem();
  return op;
}

TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, hw::TilePipeline& pipeline,
                     const std::string& name) {
  std::vector<Candidate> fitting = fitting_candidates(work, machine, name);
  TileCuts best = fitting.front().cuts;
  double best_score = std::numeric_limits<double>::infinity();
  for (const Candidate& candidate : fitting) {
    if (candidate.least_score >= best_score) break;
    double cycles = double(pipeline.estimate(make_tiles(work, candidate.cuts, machine, name)).value());
    if (double found = score(cycles, candidate.cuts); found < best_score) {
      best = candidate.cuts;
      best_score = found;
    }
  }
  return best;
}

TileCuts choose_cuts(const OpWork& work, const hw::Machine& machine, const std::string& name) {
  hw::TilePipeline pipeline(machine);
  return choose_cuts(work, machine, pipeline, name);
}

}  // namespace podsim::sw
