// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/tile_search.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "hlo/array_tile.h"
#include "sw/compiler/tiles/tile_maker.h"

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;
using base::divide_round_up;

/// Limits on the tiles of an op; a larger limit applies only if nothing fits VMEM under the smaller one.
constexpr std::array<std::int64_t, 3> tile_limits{1024, 16384, 262144};
constexpr std::int64_t max_tiles_at_all = std::int64_t(1) << 24;

std::vector<std::int64_t> powers_up_to(std::int64_t limit) {
  std::vector<std::int64_t> powers;
  for (std::int64_t p = 1; p <= limit; p *= 2) powers.push_back(p);
  return powers;
}

/// Numbers of blocks of 1, 2, 4 and so on of the products that a loop over columns consists of.
std::vector<std::int64_t> loop_blocks(std::int64_t products) {
  std::vector<std::int64_t> counts;
  for (std::int64_t block = 1; block < 2 * products; block *= 2) counts.push_back(divide_round_up(products, block));
  std::ranges::sort(counts);
  return counts;
}

/// Numbers of blocks along the lanes: powers of two, and divisors of the weight tiles that give blocks of almost
/// `max_columns`, since a power of two that does not divide them leaves the last block part empty.
std::vector<std::int64_t> lane_blocks(std::int64_t blocks, std::int64_t lane_tiles, std::int64_t max_columns) {
  std::vector<std::int64_t> counts = powers_up_to(blocks);
  if (blocks != lane_tiles) return counts;
  for (std::int64_t columns = max_columns; columns > max_columns / 2; --columns) {
    if (columns > 1 && lane_tiles % columns == 0) counts.push_back(lane_tiles / columns);
  }
  std::ranges::sort(counts);
  const auto repeated = std::ranges::unique(counts);
  counts.erase(repeated.begin(), repeated.end());
  return counts;
}

std::vector<Tiling> candidates(const OpWork& work, const TargetMachine& machine, std::int64_t max_tiles) {
  std::vector<Tiling> found;
  if (!work.matmul) {
    for (std::int64_t rows : powers_up_to(max_tiles)) found.push_back({.rows = rows});
    return found;
  }
  const MatmulProblem& problem = *work.matmul;
  std::int64_t lane_tiles = base::divide_round_up(problem.lanes, machine.mxu.size);
  bool pixels = problem.stationary_blocks > 1;
  std::int64_t max_columns = std::max<std::int64_t>(1, machine.compiler.prologue_columns / machine.mxu.size);
  const std::int64_t products = problem.stationary.column_products();
  const std::vector<std::int64_t> lane_counts =
      products > 1 ? loop_blocks(products)
                   : lane_blocks(problem.stationary_blocks * lane_tiles, lane_tiles, max_columns);
  for (std::int64_t batch : powers_up_to(problem.batch)) {
    for (std::int64_t rows : powers_up_to(problem.rows / hlo::tile_sublanes)) {
      for (std::int64_t lanes : lane_counts) {
        if (!pixels && base::divide_round_up(lane_tiles, lanes * products) > max_columns) continue;
        for (std::int64_t contraction : powers_up_to(problem.contraction_tiles)) {
          Tiling tiling{batch, rows, lanes, contraction, true};
          if (tiling.tiles() > max_tiles) break;
          found.push_back(tiling);
          tiling.rows_outer = false;
          if (rows > 1 && lanes > 1) found.push_back(tiling);
        }
      }
    }
  }
  return found;
}

/// A lower bound of an op's cycles that needs no tiles: the MXU's time with the exposed vector work added, or a
/// memory's time for the blocks that are fetched, whichever is longest.
class LowerBound {
 public:
  LowerBound(const OpWork& work, const TargetMachine& machine) : work_(work), machine_(machine) {}

  double cycles(const Tiling& tiling) const {
    TileBlocks blocks(work_, tiling, machine_);
    return std::max(compute_cycles(tiling, blocks), memory_cycles(moved(tiling, blocks)));
  }

  /// Bytes between VMEM and other memories, including blocks that are fetched again.
  Bytes moved(const Tiling& tiling) const { return moved(tiling, TileBlocks(work_, tiling, machine_)).total(); }

 private:
  double compute_cycles(const Tiling& tiling, const TileBlocks& blocks) const {
    if (!work_.matmul) return vector_cycles(work_.epilogue);
    hw::MxuWork mxu = blocks.mxu();
    double rows = double(std::max(mxu.rows, machine_.mxu.weight_load(mxu.depth).value()));
    double streaming = double(tiling.tiles()) * double(mxu.weight_tiles) / double(machine_.mxu.count) * rows /
                       double(machine_.mxu.products(mxu.product));
    double exposed = vector_cycles(work_.row_prologue) * double(tiling.lanes) +
                     vector_cycles(work_.lane_prologue) * double(tiling.rows) + vector_cycles(work_.epilogue);
    return streaming + earlier_cycles() + machine_.compiler.exposed_vector_fraction * exposed;
  }

  double earlier_cycles() const {
    double sum = 0;
    for (const MatmulProblem& problem : work_.earlier_matmuls) {
      sum += double(problem.weight_tiles(machine_.mxu.size)) / double(machine_.mxu.count) * double(problem.rows) /
             double(machine_.mxu.products(problem.product));
    }
    return sum;
  }

  double vector_cycles(const hw::VectorWork& work) const {
    return std::max({double(work.loads) / double(machine_.vector.loads),
                     double(work.stores) / double(machine_.vector.stores),
                     double(work.alu_ops) / double(machine_.vector.alus)});
  }

  /// Reads and writes of a declared level go on at the same time.
  double memory_cycles(const hw::LevelBytes& moved) const {
    double cycles = double(moved[hw::level::hbm].value()) / machine_.hbm.stream_rate.si() * machine_.clock.si();
    for (int number = hw::level::first_declared; const hw::parts::level::Parameters& level : machine_.levels) {
      const double rate = level.core_read_rate().si() + level.core_write_rate().si();
      cycles = std::max(cycles, double(moved[number++].value()) / rate * machine_.clock.si());
    }
    return cycles;
  }

  hw::LevelBytes moved(const Tiling& tiling, const TileBlocks& blocks) const {
    // A block stays in VMEM while the following tiles need it.
    std::int64_t tiles = tiling.tiles();
    bool row_stays = tiling.contraction == 1 && (tiling.rows_outer || tiling.rows == 1);
    bool lane_stays = tiling.contraction == 1 && (!tiling.rows_outer || tiling.lanes == 1);
    std::int64_t row_fetches = row_stays ? tiling.batch * tiling.rows : tiles;
    std::int64_t lane_fetches = lane_stays ? tiling.batch * tiling.lanes : tiles;
    return row_fetches * blocks.row_block() + lane_fetches * blocks.lane_block() + work_.output_side_bytes +
           work_.written_bytes + work_.table_bytes + work_.gathered.at_level() + 2 * work_.updated.at_level();
  }

  const OpWork& work_;
  const TargetMachine& machine_;
};

struct Candidate {
  Tiling tiling;
  double min_cycles;
};

/// Drops tilings with tiles that move less than compiler.min_tile on average, unless they have the fewest tiles of
/// all that fit.
void keep_large_tiles(const LowerBound& bound, Bytes least, std::vector<Candidate>& fitting) {
  std::int64_t fewest = tile_limits.back();
  for (const Candidate& candidate : fitting) fewest = std::min(fewest, candidate.tiling.tiles());
  std::erase_if(fitting, [&](const Candidate& candidate) {
    const std::int64_t tiles = candidate.tiling.tiles();
    return tiles > fewest && bound.moved(candidate.tiling) < tiles * least;
  });
}

/// A tiling that fits VMEM, whatever the extents of the loops: from one tile on, the operand with the larger block is
/// halved. Padding makes the tiles cost what a full register or weight tile does.
Tiling finest_tiling(const OpWork& work, const TargetMachine& machine, const std::string& name) {
  Tiling tiling;
  while (true) {
    const TileBlocks blocks(work, tiling, machine);
    if (blocks.vmem() <= machine.vmem_for_tiles()) return tiling;
    if (tiling.tiles() > max_tiles_at_all) {
      throw base::SimulationError("op '" + name + "' needs " + base::to_string(blocks.vmem()) +
                                  " of VMEM in every tile; a core has " + base::to_string(machine.vmem_for_tiles()));
    }
    (blocks.lane_block().total() > blocks.row_block().total() ? tiling.lanes : tiling.rows) *= 2;
  }
}

/// Tilings that fit VMEM, by ascending lower bound of their cycles.
std::vector<Candidate> fitting_candidates(const OpWork& work, const TargetMachine& machine, const std::string& name,
                                          const std::function<bool(const Tiling& tiling)>& accepts) {
  LowerBound bound(work, machine);
  std::vector<Candidate> fitting;
  for (std::int64_t max_tiles : tile_limits) {
    for (const Tiling& tiling : candidates(work, machine, max_tiles)) {
      Bytes vmem = TileBlocks(work, tiling, machine).vmem();
      if (vmem > machine.vmem_for_tiles() || (accepts && !accepts(tiling))) continue;
      fitting.push_back({tiling, bound.cycles(tiling)});
    }
    if (!fitting.empty()) break;
  }
  if (fitting.empty()) return {{accepts ? Tiling{} : finest_tiling(work, machine, name), 0}};
  // Rows that are looked up move one by one, whatever the tile.
  if (work.gathered.pieces + work.updated.pieces == 0) keep_large_tiles(bound, machine.compiler.min_tile, fitting);
  std::ranges::stable_sort(fitting, {}, &Candidate::min_cycles);
  return fitting;
}

Tiling fastest_tiling(const OpWork& work, const TargetMachine& machine, hw::timing::TilePipeline& pipeline,
                      const std::string& name, const std::function<bool(const Tiling& tiling)>& accepts) {
  const std::vector<Candidate> fitting = fitting_candidates(work, machine, name, accepts);
  Tiling best = fitting.front().tiling;
  std::optional<base::Cycles> fewest;
  for (const Candidate& candidate : fitting) {
    if (fewest && candidate.min_cycles > double(fewest->value())) break;
    const base::Cycles cycles = pipeline.estimate(make_tiles(work, candidate.tiling, machine, name));
    if (fewest && std::pair(cycles, candidate.tiling.tiles()) >= std::pair(*fewest, best.tiles())) continue;
    best = candidate.tiling;
    fewest = cycles;
  }
  return best;
}

}  // namespace

Tiling choose_tiling(const OpWork& work, const TargetMachine& machine, hw::timing::TilePipeline& pipeline,
                     const std::string& name) {
  return fastest_tiling(work, machine, pipeline, name, {});
}

Tiling choose_tiling(const OpWork& work, const TargetMachine& machine, const std::string& name,
                     const std::function<bool(const Tiling& tiling)>& accepts) {
  hw::timing::TilePipeline pipeline(machine);
  return fastest_tiling(work, machine, pipeline, name, accepts);
}

}  // namespace podsim::sw::compiler::tiles
