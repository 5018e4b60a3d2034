// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "workloads/workload.h"

/// The batch of a program of the whole machine: model.batch, or the batch of a core times the cores.
namespace podsim::workloads {

/// "model.batch"; a field of 0 says that the batch goes with the cores.
void add_batch_key(ModelKeys& keys, std::int64_t& field);

/// Samples of a step: options.batch_per_core for each core if given, else `batch`, which is the value of model.batch,
/// else `default_per_core` for each core. base::InputError where both are given.
std::int64_t global_batch(const WorkloadOptions& options, std::int64_t batch, std::int64_t default_per_core);

}  // namespace podsim::workloads
