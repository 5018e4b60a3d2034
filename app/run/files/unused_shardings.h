// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hlo/text/module.h"
#include "sw/driver/step.h"

namespace podsim::app::run::files {

/// Warnings for what the shardings of a partitioned text say and the partitioner does not use, each kind once, with the
/// location of the first and the number of others: values on one device that are on all, annotations that others
/// overrule, groups of shardings (shard_as), unreduced devices, and attributes of Shardy: rules of operations
/// (xla.sdy.sharding_rule), priorities, unreduced axes, dimensions that may take more axes ('?'), and any other but
/// meshes, shardings and manual computations.
std::vector<std::string> unused_shardings(const hlo::text::Module& text, const sw::driver::Partitioned& partitioned);

}  // namespace podsim::app::run::files
