// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/plan_search.h"

#include <algorithm>
#include <limits>

#include "base/diagnostic.h"
#include "hw/tile_pipeline.h"

namespace podsim::sw {

namespace {

/// Bundles per tile that wait, find the tile's place and start transfers, and the fill and drain of its loop.
constexpr std::int64_t bundles_per_tile = 100;
/// Plans with more tiles are not worth the time that it takes to try them.
constexpr std::int64_t most_parts = 4096;
/// With fewer tiles, hardly anything is read while something is written. That saves turnarounds of the memory bus, but
/// leaves a kernel exposed to all that its tiles wait for, and takes VMEM from its neighbours.
constexpr std::int64_t least_parts = 8;

/// Loads or stores, whichever are more, in an iteration of a loop that ends in a branch.
constexpr std::int64_t registers_per_branch = 8;

/// Both as work of the vector ALUs, the units that a phase of scalar code would leave idle anyway.
hw::TileOp with_loop_code(const hw::Machine& machine, hw::TileOp op) {
  for (hw::TileRun& run : op.runs) {
    std::int64_t bundles = bundles_per_tile;
    for (const hw::TilePhase& phase : run.work.phases) {
      const std::int64_t branches = std::max(phase.vector.loads, phase.vector.stores) / registers_per_branch;
      bundles += branches * machine.scalar.branch_penalty.value();
    }
    run.work.phases.push_back({{}, {.alu_ops = bundles * machine.vector.alus}, 0});
  }
  return op;
}

}  // namespace

std::size_t fastest_plan(const hw::Machine& machine, std::span<const hw::TileOp> plans) {
  hw::TilePipeline pipeline(machine);
  std::size_t best = plans.size();
  base::Cycles best_cycles(std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].vmem > machine.vmem) continue;
    const base::Cycles cycles = pipeline.estimate(with_loop_code(machine, plans[i]));
    if (cycles < best_cycles) best = i, best_cycles = cycles;
  }
  if (best == plans.size()) {
    const auto smallest = std::ranges::min_element(plans, {}, &hw::TileOp::vmem);
    throw base::InputError("the kernel needs " + (smallest == plans.end() ? "" : to_string(smallest->vmem) + " of ") +
                           "VMEM at least; a core has " + to_string(machine.vmem));
  }
  return best;
}

std::vector<std::int64_t> part_counts(std::int64_t units) {
  std::vector<std::int64_t> counts;
  const std::int64_t least = std::min(units, least_parts);
  for (std::int64_t parts = std::min(units, most_parts); parts > 0 && parts >= least; parts = 2 * parts / 3) {
    counts.push_back(parts);
  }
  return counts;
}

}  // namespace podsim::sw
