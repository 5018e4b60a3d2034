// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/partition/partition_costs.h"
#include "sw/target_machine.h"

namespace podsim::sw::driver {

/// The costs by which the partitioner compares work with collectives, on a machine.
hlo::spmd::partition::PartitionCosts partition_costs(const TargetMachine& machine);

}  // namespace podsim::sw::driver
