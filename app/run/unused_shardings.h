// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/hlo/module.h"
#include "sw/spmd/propagate/device_branches.h"

namespace podsim::app::run {

/// Warnings for what the shardings of a partitioned text say and the partitioner does not use, each kind once, with the
/// place of the first and the number of others: `unplaced` values on one device, and attributes of Shardy: rules of
/// operations (xla.sdy.sharding_rule), priorities, unreduced axes, dimensions that may take more axes ('?'), and any
/// other but meshes and shardings.
std::vector<std::string> unused_shardings(const sw::hlo::Module& text,
                                          const std::vector<sw::spmd::propagate::UnplacedValue>& unplaced);

}  // namespace podsim::app::run
