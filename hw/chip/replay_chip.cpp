// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/replay_chip.h"

namespace podsim::hw::chip {

ReplayChip::ReplayChip(sc_core::sc_module_name name, const Machine& machine, int number, core::CoreRuntime& runtime,
                       const Trace& trace, const IciBinding& ici, const noc::ChipSpeed& speed)
    : Chip(name, machine, number, trace, ici, speed) {
  for (int index = 0; index < int(machine.cores_per_chip); ++index) {
    cores_.emplace_back(("core" + std::to_string(index)).c_str(), machine, core::CoreId{number, index},
                        occupancy(index), runtime, speed);
    cores_.back().to_host.bind(host().queues);
  }
}

}  // namespace podsim::hw::chip
