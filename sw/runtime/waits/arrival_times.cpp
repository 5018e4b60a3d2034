// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/arrival_times.h"

#include <algorithm>
#include <vector>

namespace podsim::sw::runtime::waits {
namespace {

bool waits_for(const compiler::CollectiveOp& op, const std::vector<std::int32_t>& group, std::int32_t core) {
  if (op.kind == collectives::CollectiveKind::collective_permute) return group.back() == core;
  return std::ranges::find(group, core) != group.end();
}

std::size_t index_of(std::int32_t core, const noc::FoldedTopology& topology, int cores_per_chip) {
  return std::size_t(topology.representative_of(core / cores_per_chip) * cores_per_chip + core % cores_per_chip);
}

/// When the last core that sends data to `core` reached the collective.
base::Time last_to_come(const ExecutionTimes& times, const noc::FoldedTopology& topology, int cores_per_chip,
                        const compiler::CollectiveOp& op, std::int32_t core) {
  if (op.groups.empty()) return std::ranges::max(times.starts);
  base::Time last;
  for (const std::vector<std::int32_t>& group : op.groups) {
    if (!waits_for(op, group, core)) continue;
    for (const std::int32_t member : group) {
      last = std::max(last, times.starts[index_of(member, topology, cores_per_chip)]);
    }
  }
  return last;
}

}  // namespace

base::Time time_since_last_start(const ExecutionTimes& times) {
  return std::ranges::max(times.finishes) - std::ranges::max(times.starts);
}

base::Time transfer_time(const ExecutionTimes& times, const noc::FoldedTopology& topology, int cores_per_chip,
                         const compiler::CollectiveOp& op, std::int32_t core) {
  return times.finishes[index_of(core, topology, cores_per_chip)] -
         last_to_come(times, topology, cores_per_chip, op, core);
}

}  // namespace podsim::sw::runtime::waits
