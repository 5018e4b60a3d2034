// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/machine_costs.h"

namespace podsim::sw::driver {

hlo::spmd::partition::PartitionCosts partition_costs(const TargetMachine& machine) {
  const double link = machine.passes.partition_link.si();
  return {link / machine.passes.partition_products, link / machine.passes.partition_memory.si()};
}

}  // namespace podsim::sw::driver
