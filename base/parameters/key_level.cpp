// SPDX-License-Identifier: Apache-2.0
#include "base/parameters/key_level.h"

#include <array>

namespace podsim::base::parameters {

std::string name_of(KeyLevel level) {
  static const std::array<const char*, 14> names{"ops",      "collectives", "packets",    "banks",  "chip",
                                                 "kernels",  "inputs",      "jobs",       "starts", "checkpoints",
                                                 "failures", "watts",       "frameworks", "limits"};
  return names[std::size_t(level)];
}

std::string to_string(KeyLevel level) {
  using enum KeyLevel;
  switch (level) {
    case ops:
      return "ops (podsim run, podsim ops)";
    case collectives:
      return "collectives (podsim run, podsim collective)";
    case packets:
      return "packets (podsim collective --network packet)";
    case banks:
      return "banks of the memory (podsim memory, podsim run --memory bank)";
    case chip:
      return "the parts of a chip (podsim memory --through switch, podsim run --detail chip)";
    case kernels:
      return "bundles (podsim kernel)";
    case inputs:
      return "hosts that feed (podsim run --input on, podsim run --loop, podsim train)";
    case jobs:
      return "loops of steps (podsim run --loop, podsim train)";
    case starts:
      return "the start of a job (podsim train)";
    case checkpoints:
      return "checkpoints (podsim run --loop with checkpoint=N, podsim train --checkpoint and --restore)";
    case failures:
      return "failures over days (podsim goodput)";
    case watts:
      return "joules, watts and areas (podsim run, podsim kernel)";
    case frameworks:
      return "measured networks of a framework (podsim validate)";
    case limits:
      break;
  }
  return "limits (what goes beyond it is refused)";
}

}  // namespace podsim::base::parameters
