// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/assumed_times.h"

#include "sw/collectives/schedule/assumed_slice.h"

namespace podsim::sw::collectives::engine {

AssumedTimes::AssumedTimes(const TargetMachine& machine, std::int64_t devices)
    : machine_(machine), slice_(schedule::assumed_slice(machine, devices > 1 ? devices : 0)), times_(machine) {}

base::Duration AssumedTimes::of(const schedule::CollectiveRequest& request, const Groups& groups) {
  const auto [known, is_new] = known_.try_emplace({request.kind, request.type, request.elements, groups});
  if (!is_new) return known->second;
  const CollectiveGroups all =
      groups.empty() ? CollectiveGroups::all(slice_, int(machine_.cores_per_chip)) : CollectiveGroups(groups);
  return known->second = times_.estimate(slice_, all, request);
}

}  // namespace podsim::sw::collectives::engine
