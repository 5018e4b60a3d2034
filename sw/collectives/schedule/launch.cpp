// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/launch.h"

#include <algorithm>
#include <cmath>

namespace podsim::sw::collectives::schedule {

std::int64_t hosts_reached(const TargetMachine& machine, const GroupSchedule& group) {
  if (traits(group.kind()).pairwise) return 1;
  const std::int64_t hosts = base::divide_round_up(std::int64_t(group.box()), machine.pod.host_chips);
  return std::min(hosts, std::int64_t(group.chips()));
}

base::Duration launch(const TargetMachine& machine, const GroupSchedule& group) {
  const double doublings = std::log2(double(hosts_reached(machine, group)));
  return machine.collective_code.launch + machine.collective_code.launch_doubling * doublings;
}

base::Duration launch(const TargetMachine& machine, const CollectiveSchedule& schedule) {
  base::Duration longest;
  for (std::size_t group = 0; group < schedule.groups(); ++group) {
    longest = std::max(longest, launch(machine, schedule.group_program(group)));
  }
  return longest;
}

}  // namespace podsim::sw::collectives::schedule
