// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "hlo/literal.h"
#include "sw/collectives/engine/algorithm_choice.h"
#include "sw/collectives/engine/collective_engine.h"
#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/target_machine.h"

/// Collectives that tests run, and operands to run them on.
namespace podsim::sw::collectives {

/// One group of all cores of a slice; for a collective-permute pairs from each core to the next.
inline CollectiveGroups groups_of(CollectiveKind kind, const noc::Topology& slice, int cores) {
  auto groups = CollectiveGroups::all(slice, cores);
  if (kind != CollectiveKind::collective_permute) return groups;
  const auto ranks = std::int32_t(groups.largest());
  std::vector<CollectiveGroups::Ranks> pairs;
  for (std::int32_t rank = 0; rank < ranks; ++rank) pairs.push_back({rank, (rank + 1) % ranks});
  return CollectiveGroups(std::move(pairs));
}

inline std::shared_ptr<const schedule::CollectiveSchedule> schedule_of(const sw::TargetMachine& machine,
                                                                       const noc::Topology& slice,
                                                                       const schedule::CollectiveRequest& request,
                                                                       Algorithm algorithm) {
  const int cores = int(machine.cores_per_chip);
  return std::make_shared<const schedule::CollectiveSchedule>(slice, cores, groups_of(request.kind, slice, cores),
                                                              request, algorithm,
                                                              schedule::segment_lengths(machine, request.type));
}

inline std::shared_ptr<const schedule::CollectiveSchedule> automatic(const sw::TargetMachine& machine,
                                                                     const noc::Topology& slice,
                                                                     const schedule::CollectiveRequest& request) {
  return engine::choose_algorithm(machine, slice, groups_of(request.kind, slice, int(machine.cores_per_chip)), request)
      .schedule;
}

inline engine::CollectiveOutcome simulate(const sw::TargetMachine& machine,
                                          const std::shared_ptr<const schedule::CollectiveSchedule>& schedule,
                                          const engine::CollectiveOptions& options = {}) {
  return engine::simulate_collective(machine, schedule, options);
}

inline double seconds(const engine::CollectiveOutcome& outcome) { return base::to_duration(outcome.duration).si(); }

/// Elements that a core brings to a collective.
inline std::int64_t operand_elements(const schedule::CollectiveSchedule& schedule, std::int32_t core) {
  const std::int64_t elements = schedule.request().elements;
  if (schedule.request().kind != CollectiveKind::all_gather) return elements;
  const auto& ranks = schedule.ranks(core);
  const std::int64_t block = base::divide_round_up(elements, std::int64_t(ranks.size()));
  const std::int64_t first = block * (std::ranges::find(ranks, core) - ranks.begin());
  return std::clamp<std::int64_t>(elements - first, 0, block);
}

template <class Value>
engine::CoreVectors operands_of(const schedule::CollectiveSchedule& schedule, Value&& value) {
  engine::CoreVectors operands(std::size_t(schedule.cores()));
  for (std::int32_t core = 0; core < schedule.cores(); ++core) {
    if (!schedule.takes_part(core)) continue;
    operands[std::size_t(core)].resize(std::size_t(operand_elements(schedule, core)));
    std::ranges::generate(operands[std::size_t(core)], value);
  }
  return operands;
}

}  // namespace podsim::sw::collectives
