// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sw/collectives/schedule/collective_schedule.h"

namespace podsim::hw {
struct Machine;
}

namespace podsim::sw::collectives::schedule {

/// The algorithm with the shortest modelled time, and the reason in words.
struct AlgorithmChoice {
  struct Candidate {
    Algorithm algorithm;
    base::Duration modelled;
  };
  std::shared_ptr<const CollectiveSchedule> schedule;
  std::vector<Candidate> candidates;  ///< fastest first
  std::string reason;
};
AlgorithmChoice choose_algorithm(const hw::Machine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                                 const CollectiveRequest& request);

}  // namespace podsim::sw::collectives::schedule
