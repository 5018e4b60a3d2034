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

/// A workload: the program of a training or inference step with the figures that reports need. WorkloadEntry::build
/// makes one from the options of a run.
namespace podsim::workloads {

struct WorkloadOptions {
  std::optional<std::int64_t> batch_per_core;  ///< samples; the workload's default if empty
  std::optional<OptimizerKind> optimizer;      ///< the workload's default if empty
  std::int64_t replicas = 1;                   ///< cores that share the batch
  /// For inference: batch norms are folded into kernels, nothing is dropped, and the step is the forward pass, without
  /// donations, or has it in it (TrainingStep::predictions).
  bool inference = false;
  /// The step of a decoder with a cache instead of a training step; `inference` is set too.
  bool decode = false;
  ModelSettings model;  ///< values of the entry's keys; other keys have their defaults
};

/// A program with the figures that reports need.
struct Workload {
  std::string name;
  std::int64_t samples = 0;            ///< in one step of all cores
  std::int64_t tokens_per_sample = 0;  ///< input tokens; 0 if samples have none
  /// True for the program of the whole machine, with the whole batch and whole weights and without collectives, which
  /// is annotated with shardings and partitioned. False for the program of one core, which has its collectives.
  bool global = false;
  /// FLOPs that the model requires in a step, without recomputation: in closed form, or for a network out of a file
  /// those of its program's products; 0 if neither is given.
  double model_flops = 0;
  std::vector<std::string> batched;  ///< parameters of a global program whose first dimension is the batch
  std::string sharding;              ///< text of its sharding file; empty: none
  TrainingStep step;
};

/// A workload that is not built yet.
struct WorkloadEntry {
  std::string name;
  std::string description;
  std::vector<ModelKey> keys;
  Workload (*build)(const WorkloadOptions& options);
  std::string left_out = {};  ///< what the published network has and this one does not; empty: nothing
};

/// The [sharding] section of a sharding file that splits only the batch, over all axes of a mesh.
std::string data_parallel_sharding(const Workload& workload, std::span<const std::string> axes);

}  // namespace podsim::workloads
