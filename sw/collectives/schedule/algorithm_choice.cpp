// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/algorithm_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "sw/collectives/schedule/collective_estimate.h"

namespace podsim::sw::collectives::schedule {

AlgorithmChoice choose_algorithm(const hw::Machine& machine, const noc::Topology& slice, const CollectiveGroups& groups,
                                 const CollectiveRequest& request) {
  AlgorithmChoice choice;
  const SegmentLengths lengths = segment_lengths(machine, request.type);
  for (Algorithm algorithm : algorithms_for(request.kind, slice.dimensions())) {
    auto schedule = std::make_shared<const CollectiveSchedule>(slice, int(machine.cores_per_chip), groups, request,
                                                               algorithm, lengths);
    const base::Duration modelled = modelled_time(machine, *schedule);
    const bool best = choice.candidates.empty() || modelled < choice.candidates[0].modelled;
    choice.candidates.insert(best ? choice.candidates.begin() : choice.candidates.end(), {algorithm, modelled});
    if (best) choice.schedule = std::move(schedule);
  }
  std::ranges::stable_sort(choice.candidates, {}, &AlgorithmChoice::Candidate::modelled);
  const AlgorithmChoice::Candidate& first = choice.candidates[0];
  choice.reason = fmt::format("{} is modelled at {}", to_string(first.algorithm), base::to_string(first.modelled));
  if (choice.candidates.size() == 1) choice.reason = fmt::format("{} is the only one", to_string(first.algorithm));
  for (std::size_t i = 1; i < choice.candidates.size(); ++i) {
    choice.reason += fmt::format("{}{} at {}", i == 1 ? "; " : ", ", to_string(choice.candidates[i].algorithm),
                                 base::to_string(choice.candidates[i].modelled));
  }
  return choice;
}

}  // namespace podsim::sw::collectives::schedule
