// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "workloads/workload.h"

/// The built-in workloads, by name.
namespace podsim::workloads::models {

/// All workloads, in the order of listings.
const std::vector<WorkloadEntry>& workload_registry();

/// Builds the workload `name`. Throws base::InputError if there is none (suggesting the nearest name), if the batch or
/// the number of replicas is below one, and for settings that are not keys of the workload.
Workload build_workload(std::string_view name, const WorkloadOptions& options);

}  // namespace podsim::workloads::models
