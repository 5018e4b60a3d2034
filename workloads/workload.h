// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/training_step.h"

namespace podsim::workloads {

struct WorkloadOptions {
  std::optional<std::int64_t> batch_per_core;  ///< samples; the workload's own default where not given
  std::optional<OptimizerKind> optimizer;      ///< likewise
  std::int64_t replicas = 1;                   ///< cores that share the batch
};

/// A program of one core and what a report needs to know of it.
struct Workload {
  std::string name;
  std::int64_t samples_per_core = 0;  ///< in one step
  TrainingStep step;
};

/// A workload by its name, not built yet.
struct WorkloadEntry {
  std::string name;
  std::string description;
  Workload (*build)(const WorkloadOptions& options);
};

/// In the order to list them.
const std::vector<WorkloadEntry>& workload_registry();

/// Builds `name`. Throws base::InputError for a name that does not exist (with the nearest one) and for a batch or a
/// number of replicas below one.
Workload build_workload(std::string_view name, const WorkloadOptions& options);

}  // namespace podsim::workloads
