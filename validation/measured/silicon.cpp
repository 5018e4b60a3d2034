// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/silicon.h"

#include <fmt/format.h>

#include "base/host/interrupt.h"

namespace podsim::validation::measured {

CoreModel& Silicon::core(const std::string& machine) {
  if (const auto found = cores_.find(machine); found != cores_.end()) return found->second;
  return cores_.try_emplace(machine, sw::read_target(configure_(machine)), cache_).first->second;
}

void Silicon::end_if_interrupted() { base::host::end_if_interrupted(fmt::format("after {} points", points_++)); }

}  // namespace podsim::validation::measured
