// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/matmul_search.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "base/diagnostic.h"
#include "hw/tile_pipeline.h"
#include "sw/kernels/block_sizes.h"
#include "sw/kernels/matrix_grid.h"

namespace podsim::sw {

using base::divide_round_up;

namespace {

/// Beyond these a plan is not looked at: its TileOp would take longer to make than it is worth.
constexpr std::int64_t most_tiles = 4096;
constexpr std::int64_t vmem_row_bytes = 512;

class Search {
 public:
  Search(const hw::Machine& machine, const MatmulProblem& problem, const MatmulAddresses& addresses)
      : machine_(machine), problem_(problem), addresses_(addresses), pipeline_(machine) {}

  std::optional<MatmulPlan> best_of_streaming() {
    const std::int64_t rows = problem_.row_blocks(), lanes = problem_.lane_blocks();
    const std::int64_t contraction = std::max<std::int64_t>(1, problem_.contraction_tiles());
    for (std::int64_t size : block_sizes(rows)) consider({size, lanes, contraction, true, {}, 0});
    for (std::int64_t size : block_sizes(lanes)) consider({rows, size, contraction, false, {}, 0});
    return best_;
  }

  std::optional<MatmulPlan> best_of_all() {
    for (std::int64_t contraction : block_sizes(problem_.contraction_tiles())) {
      for (std::int64_t rows : block_sizes(problem_.row_blocks())) {
        for (std::int64_t lanes : block_sizes(problem_.lane_blocks())) {
          for (bool lanes_outer : {true, false}) consider({rows, lanes, contraction, lanes_outer, {}, 0});
        }
      }
    }
    return best_;
  }

  MatmulPlan plan(MatmulCuts cuts) const {
    const MatrixPassGrid chosen =
        choose_grid(machine_, cuts.rows, cuts.lanes, weight_cycles(machine_, problem_.transposed));
    cuts.grid = chosen.grid;
    cuts.registers = chosen.registers;
    return MatmulPlan(problem_, cuts, addresses_);
  }
  bool fits(const MatmulPlan& plan) const { return plan.tiles().vmem_rows() * vmem_row_bytes <= machine_.vmem.value(); }

 private:
  void consider(const MatmulCuts& cuts) {
    const MatmulPlan candidate = plan(cuts);
    if (beyond_best(candidate) || candidate.tiles().tiles() > most_tiles || !fits(candidate)) return;
    const base::Cycles charge = candidate.tiles().tiles() * (machine_.dma.read_latency + machine_.dma.write_latency);
    const base::Cycles cycles = pipeline_.estimate(candidate.tile_op("")) + charge;
    if (best_ && cycles >= best_cycles_) return;
    best_ = candidate;
    best_cycles_ = cycles;
  }

  /// Whether the matrix passes alone take longer than the best plan.
  bool beyond_best(const MatmulPlan& plan) const {
    const std::int64_t rows = problem_.row_blocks() / plan.cuts().rows,
                       lanes = problem_.lane_blocks() / plan.cuts().lanes;
    const std::int64_t step =
        std::max<std::int64_t>(8 * plan.cuts().registers, weight_cycles(machine_, problem_.transposed));
    const std::int64_t steps =
        rows * plan.row_steps(false) * lanes * plan.lane_steps(false) * problem_.contraction_tiles();
    return best_ && base::Cycles(steps * step) >= best_cycles_;
  }

  const hw::Machine& machine_;
  const MatmulProblem& problem_;
  const MatmulAddresses& addresses_;
  hw::TilePipeline pipeline_;
  std::optional<MatmulPlan> best_;
  base::Cycles best_cycles_;
};

}  // namespace

MatmulPlan fastest_matmul_plan(const hw::Machine& machine, const MatmulProblem& problem,
                               const MatmulAddresses& addresses) {
  Search search(machine, problem, addresses);
  if (const auto plan = search.best_of_streaming()) return *plan;
  if (const auto plan = search.best_of_all()) return *plan;
  throw base::InputError("a matmul of this size has no tiles that fit " + to_string(machine.vmem) + " of VMEM");
}

MatmulPlan single_tile_matmul_plan(const hw::Machine& machine, const MatmulProblem& problem,
                                   const MatmulAddresses& addresses) {
  const Search search(machine, problem, addresses);
  const MatmulPlan plan = search.plan({problem.row_blocks(),
                                       problem.lane_blocks(),
                                       std::max<std::int64_t>(1, problem.contraction_tiles()),
                                       true,
                                       {},
                                       0});
  if (!search.fits(plan)) {
    throw base::InputError("the operands and the result need " +
                           to_string(base::Bytes(plan.tiles().vmem_rows() * vmem_row_bytes)) + " of VMEM; a core has " +
                           to_string(machine.vmem));
  }
  return plan;
}

}  // namespace podsim::sw
