// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/waits/arrival_times.h"

#include <algorithm>
#include <vector>

namespace podsim::sw::runtime::waits {
namespace {

using collectives::engine::CollectiveRun;

bool waits_for(const compiler::CollectiveOp& op, const std::vector<std::int32_t>& group, std::int32_t core) {
  if (op.kind == collectives::CollectiveKind::collective_permute) return group.back() == core;
  return std::ranges::find(group, core) != group.end();
}

base::Time last_start(const CollectiveRun& run, const noc::FoldedTopology& topology) {
  base::Time last;
  for (noc::NodeId chip = 0; chip < topology.representatives().nodes(); ++chip) {
    for (int core = 0; core < run.schedule().cores_per_chip(); ++core)
      last = std::max(last, run.started_at(chip, core));
  }
  return last;
}

base::Time last_finish(const CollectiveRun& run, const noc::FoldedTopology& topology) {
  base::Time last;
  for (noc::NodeId chip = 0; chip < topology.representatives().nodes(); ++chip) {
    for (int core = 0; core < run.schedule().cores_per_chip(); ++core) {
      last = std::max(last, run.finished_at(chip, core));
    }
  }
  return last;
}

/// When the last core that sends data to `core` reached the collective.
base::Time last_to_come(const CollectiveRun& run, const noc::FoldedTopology& topology, const compiler::CollectiveOp& op,
                        std::int32_t core) {
  if (op.groups.empty()) return last_start(run, topology);
  const auto cores = std::int32_t(run.schedule().cores_per_chip());
  base::Time last;
  for (const std::vector<std::int32_t>& group : op.groups) {
    if (!waits_for(op, group, core)) continue;
    for (const std::int32_t member : group) {
      last = std::max(last, run.started_at(topology.representative_of(member / cores), member % cores));
    }
  }
  return last;
}

}  // namespace

base::Time time_since_last_start(const CollectiveRun& run, const noc::FoldedTopology& topology) {
  return last_finish(run, topology) - last_start(run, topology);
}

base::Time transfer_time(const CollectiveRun& run, const noc::FoldedTopology& topology,
                         const compiler::CollectiveOp& op, std::int32_t core) {
  const auto cores = std::int32_t(run.schedule().cores_per_chip());
  return run.finished_at(topology.representative_of(core / cores), core % cores) -
         last_to_come(run, topology, op, core);
}

}  // namespace podsim::sw::runtime::waits
