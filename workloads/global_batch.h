// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/workload.h"

/// The batch of a program of the whole machine: model.batch, or the batch per core times the number of cores.
namespace podsim::workloads {

/// Adds the key "model.batch"; a value of 0 makes the batch proportional to the number of cores.
void add_batch_key(ModelKeys& keys, std::int64_t& field);

/// Samples in a step: options.batch_per_core for each core if given, else `batch` (the value of model.batch) if it is
/// not 0, else `default_per_core` for each core. Throws base::InputError if both are given.
std::int64_t global_batch(const WorkloadOptions& options, std::int64_t batch, std::int64_t default_per_core);

/// Groups of neighbouring cores with common batch statistics: `replicas` cores in groups of `cores`, at most all of
/// them; 0: one group. Throws base::InputError if groups, or their shares of `batch` images, are not equal.
std::int64_t norm_groups(std::int64_t cores, std::int64_t replicas, std::int64_t batch);

}  // namespace podsim::workloads
