// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/surroundings.h"

namespace podsim::sw::collectives::engine {

Surroundings::Surroundings(const TargetMachine& machine, const noc::FoldedTopology& topology)
    : machine_(machine),
      topology_(topology),
      cores_per_chip_(int(machine.cores_per_chip)),
      flag_latency_(base::to_time(machine.ici.end_latency())) {}

}  // namespace podsim::sw::collectives::engine
