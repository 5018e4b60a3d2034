// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/model_options.h"
#include "workloads/training_step.h"

namespace podsim::workloads {

struct WorkloadOptions {
  std::optional<std::int64_t> batch_per_core;  ///< samples; the workload's own default where not given
  std::optional<OptimizerKind> optimizer;      ///< likewise
  std::int64_t replicas = 1;                   ///< cores that share the batch
  ModelSettings model;                         ///< of the entry's keys; the others have their defaults
};

/// A program and what a report needs to know of it.
struct Workload {
  std::string name;
  std::int64_t samples = 0;            ///< of all cores together in one step
  std::int64_t tokens_per_sample = 0;  ///< 0: samples have no tokens
  /// The whole machine's program, whole batch and whole weights, without collectives: to be annotated with shardings
  /// and partitioned. Else the program of one core with collectives of its own.
  bool global = false;
  /// FLOPs of a step that the model asks for, in closed form, nothing computed twice; 0 where no form is given.
  double model_flops = 0;
  std::vector<std::string> batched;  ///< parameters whose first dimension is the batch, of a global program
  std::string sharding;              ///< text of the sharding file that comes with it; empty: none
  TrainingStep step;
};

/// A workload by its name, not built yet.
struct WorkloadEntry {
  std::string name;
  std::string description;
  std::vector<ModelKey> keys;
  Workload (*build)(const WorkloadOptions& options);
};

/// In the order to list them.
const std::vector<WorkloadEntry>& workload_registry();

/// Builds `name`. Throws base::InputError for a name that does not exist (with the nearest one), for a batch or a
/// number of replicas below one, and for settings that are not of the workload's keys.
Workload build_workload(std::string_view name, const WorkloadOptions& options);

/// The [sharding] section of a sharding file that cuts the batch along all axes of a mesh and nothing else.
std::string data_parallel_sharding(const Workload& workload, std::span<const std::string> axes);

}  // namespace podsim::workloads
