// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/all_reduce_time.h"

#include "sw/collectives/engine/algorithm_choice.h"

namespace podsim::sw::runtime {

base::Time all_reduce_time(const TargetMachine& machine, const noc::Topology& slice, std::int64_t numbers) {
  const auto groups = collectives::CollectiveGroups::all(slice, int(machine.cores_per_chip));
  return base::to_time(collectives::engine::CollectiveTimes(machine).min_time(
      slice, groups, {collectives::CollectiveKind::all_reduce, hlo::ElementType::f32, numbers}));
}

}  // namespace podsim::sw::runtime
