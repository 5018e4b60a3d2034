// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/target_machine.h"

namespace podsim::sw::collectives::engine {

/// Times of collectives of a program whose slice is not chosen yet, as while it is compiled: CollectiveTimes::estimate
/// on the slice of schedule/assumed_slice.h. They order ops and choose branches; no time of a step contains them.
class AssumedTimes {
 public:
  using Groups = std::vector<CollectiveGroups::Ranks>;

  /// `devices` of the program; 1 if it does not tell how many cores run it. `machine` outlives this.
  AssumedTimes(const TargetMachine& machine, std::int64_t devices);

  /// The time of a collective on an idle network. No groups: one of all cores.
  base::Duration of(const schedule::CollectiveRequest& request, const Groups& groups);

 private:
  const TargetMachine& machine_;
  noc::Topology slice_;
  CollectiveTimes times_;
  std::map<std::tuple<CollectiveKind, hlo::ElementType, std::int64_t, Groups>, base::Duration> known_;
};

}  // namespace podsim::sw::collectives::engine
