// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/partition_costs.h"

namespace podsim::sw::spmd::partition {

PartitionCosts partition_costs(const hw::Machine& machine) {
  const double link = machine.compiler.partition_link.si();
  return {link / machine.compiler.partition_products, link / machine.compiler.partition_memory.si()};
}

}  // namespace podsim::sw::spmd::partition
