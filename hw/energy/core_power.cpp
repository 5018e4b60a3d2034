// SPDX-License-Identifier: Apache-2.0
#include "hw/energy/core_power.h"

#include "hw/energy/event_energy.h"
#include "hw/energy/static_power.h"

namespace podsim::hw::energy {

double idle_core_watts(const Machine& machine) { return idle_watts(machine) / double(machine.cores_per_chip); }

double core_watts(const Machine& machine, const TileOp& op, base::Cycles cycles) {
  if (cycles <= base::Cycles(0)) return idle_core_watts(machine);
  return sum(static_watts(machine)) / double(machine.cores_per_chip) +
         event_total(machine, activity(machine, op)) / (cycles / machine.clock).si();
}

}  // namespace podsim::hw::energy
