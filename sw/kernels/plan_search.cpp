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
/// A quarter of VMEM for one kernel leaves room for what is kept or fetched for others. It also keeps tiles so small
/// that large arrays are read and written at once, as the kernels that were measured do: to read all and then write all
/// would save the memory bus its turnarounds.
constexpr std::int64_t vmem_share = 4;
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

/// The fastest plan of those that take no more VMEM than that, or their number if there is none.
std::size_t fastest_within(const hw::Machine& machine, std::span<const hw::TileOp> plans, base::Bytes vmem) {
  hw::TilePipeline pipeline(machine);
  std::size_t best = plans.size();
  base::Cycles best_cycles(std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].vmem > vmem) continue;
    const base::Cycles cycles = pipeline.estimate(with_loop_code(machine, plans[i]));
    if (cycles < best_cycles) best = i, best_cycles = cycles;
  }
  return best;
}

}  // namespace

std::size_t fastest_plan(const hw::Machine& machine, std::span<const hw::TileOp> plans) {
  std::size_t best = fastest_within(machine, plans, machine.vmem / vmem_share);
  if (best == plans.size()) best = fastest_within(machine, plans, machine.vmem);
  if (best == plans.size()) {
    const auto smallest = std::ranges::min_element(plans, {}, &hw::TileOp::vmem);
    throw base::InputError("the kernel needs " + (smallest == plans.end() ? "" : to_string(smallest->vmem) + " of ") +
                           "VMEM at least; a core has " + to_string(machine.vmem));
  }
  return best;
}

std::vector<std::int64_t> part_counts(std::int64_t units) {
  std::vector<std::int64_t> counts;
  for (std::int64_t parts = std::min(units, most_parts); parts > 0; parts = 2 * parts / 3) counts.push_back(parts);
  return counts;
}

}  // namespace podsim::sw
