// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tile_search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "sw/compiler/tile_maker.h"
#include "sw/graph/array_tile.h"

namespace podsim::sw {
namespace {

using base::Bytes;
using base::divide_round_up;

/// Of an op; more where no fewer fit VMEM.
constexpr std::array<std::int64_t, 3> kMostTiles{1024, 16384, 262144};

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
    TileBlocks blocks(work_, cuts, machine_);
    return std::max(compute_cycles(cuts, blocks), hbm_cycles(cuts, blocks));
  }

  /// Bytes between HBM and VMEM, those that are fetched again too.
  Bytes moved(const TileCuts& cuts) const { return moved(cuts, TileBlocks(work_, cuts, machine_)); }

 private:
  double compute_cycles(const TileCuts& cuts, const TileBlocks& blocks) const {
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

  double hbm_cycles(const TileCuts& cuts, const TileBlocks& blocks) const {
    return double(moved(cuts, blocks).value()) / machine_.hbm.stream_rate.si() * machine_.clock.si();
  }

  Bytes moved(const TileCuts& cuts, const TileBlocks& blocks) const {
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
      Bytes vmem = TileBlocks(work, cuts, machine).vmem();
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
