// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/matmul_search.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/codegen/builder/register_size.h"
#include "sw/codegen/families/block_sizes.h"
#include "sw/codegen/families/matrix/matrix_grid.h"

namespace podsim::sw::codegen::families::matrix {

using base::divide_round_up;

namespace {

/// Maximum number of tiles of a plan; making the TileOp of a larger plan would take too long.
constexpr std::int64_t max_matmul_tiles = 2048;

/// A plan with a lower bound of its cycles, by its matrix passes and its traffic.
struct Candidate {
  MatmulPlan plan;
  base::Cycles least;
};

class MatmulSearch {
 public:
  MatmulSearch(const hw::Machine& machine, const KernelMatmul& problem, const MatmulAddresses& addresses)
      : machine_(machine), problem_(problem), addresses_(addresses) {}

  std::optional<MatmulPlan> best_of_streaming() const {
    const std::int64_t rows = problem_.row_blocks(), lanes = problem_.lane_blocks();
    const std::int64_t contraction = std::max<std::int64_t>(1, problem_.contraction_tiles());
    std::vector<MatmulTiling> tiling;
    for (std::int64_t size : block_sizes(rows)) tiling.push_back({size, lanes, contraction, true, {}, 0});
    for (std::int64_t size : block_sizes(lanes)) tiling.push_back({rows, size, contraction, false, {}, 0});
    return best(tiling);
  }

  std::optional<MatmulPlan> best_of_all() const {
    std::vector<MatmulTiling> tiling;
    for (std::int64_t contraction : block_sizes(problem_.contraction_tiles())) {
      for (std::int64_t rows : block_sizes(problem_.row_blocks())) {
        for (std::int64_t lanes : block_sizes(problem_.lane_blocks())) {
          for (bool lanes_outer : {true, false}) tiling.push_back({rows, lanes, contraction, lanes_outer, {}, 0});
        }
      }
    }
    return best(tiling);
  }

  MatmulPlan single_tile() const {
    const std::int64_t contraction = std::max<std::int64_t>(1, problem_.contraction_tiles());
    MatmulPlan whole = plan({problem_.row_blocks(), problem_.lane_blocks(), contraction, true, {}, 0});
    if (fits(whole)) return whole;
    throw base::InputError("the operands and the result need " +
                           base::to_string(base::Bytes(whole.tiles().vmem_rows() * builder::vmem_row_bytes)) +
                           " of VMEM; a core has " + base::to_string(machine_.vmem));
  }

 private:
  MatmulPlan plan(MatmulTiling tiling) const {
    const MatrixPassGrid chosen =
        choose_grid(machine_, tiling.rows, tiling.lanes, weight_cycles(machine_, problem_.transposed));
    tiling.grid = chosen.grid;
    tiling.registers = chosen.registers;
    return MatmulPlan(problem_, tiling, addresses_);
  }
  bool fits(const MatmulPlan& plan) const {
    return plan.tiles().vmem_rows() * builder::vmem_row_bytes <= machine_.vmem.value();
  }

  /// Returns the cheapest plan. Ties go to the candidate with the smaller lower bound, then to the first.
  std::optional<MatmulPlan> best(const std::vector<MatmulTiling>& all) const {
    std::vector<Candidate> candidates;
    for (const MatmulTiling& tiling : all) {
      MatmulPlan candidate = plan(tiling);
      if (candidate.tiles().tiles() > max_matmul_tiles || !fits(candidate)) continue;
      const base::Cycles least = std::max(matrix_cycles(candidate), traffic_cycles(candidate)) + charge(candidate);
      candidates.push_back({std::move(candidate), least});
    }
    std::ranges::stable_sort(candidates, {}, &Candidate::least);
    hw::timing::TilePipeline pipeline(machine_);
    const Candidate* best = nullptr;
    base::Cycles best_cycles;
    for (const Candidate& candidate : candidates) {
      if (best != nullptr && candidate.least >= best_cycles) break;
      const base::Cycles cycles = pipeline.estimate(candidate.plan.tile_op("")) + charge(candidate.plan);
      if (best != nullptr && cycles >= best_cycles) continue;
      best = &candidate;
      best_cycles = cycles;
    }
    if (best == nullptr) return std::nullopt;
    return best->plan;
  }

  base::Cycles charge(const MatmulPlan& plan) const {
    return plan.tiles().tiles() * (machine_.dma.read_latency + machine_.dma.write_latency);
  }
  /// Cycles of the matrix passes of whole blocks.
  base::Cycles matrix_cycles(const MatmulPlan& plan) const {
    const std::int64_t rows = problem_.row_blocks() / plan.tiling().rows,
                       lanes = problem_.lane_blocks() / plan.tiling().lanes;
    const std::int64_t step = std::max<std::int64_t>(builder::register_rows * plan.tiling().registers,
                                                     weight_cycles(machine_, problem_.transposed));
    return base::Cycles(rows * plan.row_steps(false) * lanes * plan.lane_steps(false) * problem_.contraction_tiles() *
                        step);
  }
  base::Cycles traffic_cycles(const MatmulPlan& plan) const {
    double bytes = 0;
    for (const builder::TileStream& stream : plan.tiles().streams) {
      bytes += 4.0 * double(plan.tiles().passes(stream) * stream.rows.total * stream.words.total);
    }
    return base::Cycles(std::int64_t(bytes / machine_.hbm.stream_rate.si() * machine_.clock.si()));
  }

  const hw::Machine& machine_;
  const KernelMatmul& problem_;
  const MatmulAddresses& addresses_;
};

}  // namespace

MatmulPlan fastest_matmul_plan(const hw::Machine& machine, const KernelMatmul& problem,
                               const MatmulAddresses& addresses) {
  const MatmulSearch search(machine, problem, addresses);
  if (problem.in_vmem) return search.single_tile();
  if (const auto plan = search.best_of_streaming()) return *plan;
  if (const auto plan = search.best_of_all()) return *plan;
  throw base::InputError("a matmul of this size has no tiles that fit " + base::to_string(machine.vmem) + " of VMEM");
}

}  // namespace podsim::sw::codegen::families::matrix
