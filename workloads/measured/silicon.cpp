// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/silicon.h"

#include <fmt/format.h>

#include "base/host/interrupt.h"

namespace podsim::workloads::measured {

CoreModel& Silicon::core(const std::string& machine) {
  if (const auto found = cores_.find(machine); found != cores_.end()) return found->second;
  return cores_.try_emplace(machine, hw::read_machine(configure_(machine)), cache_).first->second;
}

void Silicon::end_if_interrupted() { base::host::end_if_interrupted(fmt::format("after {} points", points_++)); }

}  // namespace podsim::workloads::measured
