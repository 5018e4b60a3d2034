// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/plan_search.h"

#include <algorithm>
#include <limits>

#include "base/diagnostic.h"
#include "hw/timing/tile_pipeline.h"

namespace podsim::sw::codegen::families {

namespace {

/// Bundles per tile that wait, compute addresses and start transfers, and that fill and drain the tile's loop.
constexpr std::int64_t bundles_per_tile = 100;
/// Plans with more tiles are not worth the time to try them.
constexpr std::int64_t max_parts = 4096;
/// Tiles of a stream take at most this fraction (1 / vmem_share) of VMEM if possible. Then reads and writes of large
/// arrays overlap, as in the kernels that were measured. Reading a whole array before writing it would save the memory
/// bus its turnarounds.
constexpr std::int64_t vmem_share = 32;

/// Adds the code of the loop to each tile, as work of the vector ALUs, which would be idle during scalar code anyway.
hw::TileOp with_loop_code(const hw::Machine& machine, hw::TileOp op) {
  const hw::TilePhase loop_code(hw::VectorWork{.alu_ops = bundles_per_tile * machine.vector.alus});
  for (hw::TileRun& run : op.runs) run.work.phases.push_back(loop_code);
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

/// Returns the index of the fastest plan that fits VMEM without larger transfers, or plans.size() if there is none.
std::size_t fastest_within(const hw::Machine& machine, std::span<const hw::TileOp> plans, base::Bytes transfer) {
  hw::timing::TilePipeline pipeline(machine);
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
    throw base::InputError("the kernel needs " +
                           (smallest == plans.end() ? "" : base::to_string(smallest->vmem) + " of ") +
                           "VMEM at least; a core has " + base::to_string(machine.vmem));
  }
  return best;
}

std::vector<std::int64_t> part_counts(std::int64_t units) {
  std::vector<std::int64_t> counts;
  for (std::int64_t parts = std::min(units, max_parts); parts > 0; parts = 2 * parts / 3) counts.push_back(parts);
  return counts;
}

}  // namespace podsim::sw::codegen::families
