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
/// No tile of a stream takes more of VMEM, if that can be helped: large arrays are then read and written at once, as by
/// the kernels that were measured. To read all of an array and then write all would save the memory bus its
/// turnarounds.
constexpr std::int64_t vmem_share = 16;

/// A loop's iterations handle this many registers, loads or stores, whichever are more, and end in a branch.
constexpr std::int64_t registers_per_iteration = 8;
/// From an iteration's load to its store, beyond what it waits for the cross-lane unit.
constexpr std::int64_t iteration_latency = 30;

/// What a phase takes beyond the time of its busiest unit: the branches, and the depth of the loop. Iterations overlap
/// if there are enough of them to fill that depth.
std::int64_t loop_bundles(const hw::Machine& machine, const hw::TilePhase& phase) {
  const std::int64_t registers = std::max(phase.vector.loads, phase.vector.stores);
  const std::int64_t iterations = base::divide_round_up(registers, registers_per_iteration);
  const std::int64_t branch = machine.scalar.branch_penalty.value();
  std::int64_t depth = iteration_latency;
  if (phase.cross_lane_ops > 0) depth += machine.cross_lane.latency.value();
  const bool overlap = iterations * (registers_per_iteration + branch) >= depth;
  return overlap ? iterations * branch + depth : iterations * depth;
}

/// Both as work of the vector ALUs, the units that a phase of scalar code would leave idle anyway.
hw::TileOp with_loop_code(const hw::Machine& machine, hw::TileOp op) {
  for (hw::TileRun& run : op.runs) {
    std::int64_t bundles = bundles_per_tile;
    for (const hw::TilePhase& phase : run.work.phases) bundles += loop_bundles(machine, phase);
    run.work.phases.push_back({{}, {.alu_ops = bundles * machine.vector.alus}, 0});
  }
  return op;
}

base::Bytes largest_transfer(const hw::TileOp& op) {
  base::Bytes largest;
  for (const hw::TileRun& run : op.runs) {
    for (const hw::TileTransfer& read : run.work.reads) largest = std::max(largest, read.bytes);
    for (const hw::TileTransfer& write : run.work.writes) largest = std::max(largest, write.bytes);
  }
  return largest;
}

/// The fastest plan of those that fit VMEM and have no larger transfers, or their number if there is none.
std::size_t fastest_within(const hw::Machine& machine, std::span<const hw::TileOp> plans, base::Bytes transfer) {
  hw::TilePipeline pipeline(machine);
  std::size_t best = plans.size();
  base::Cycles best_cycles(std::numeric_limits<std::int64_t>::max());
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].vmem > machine.vmem || largest_transfer(plans[i]) > transfer) continue;
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
