// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Entries of the registry for Transformers.
namespace podsim::workloads::models {

/// "transformer": a language model of any size with Adam; 12 layers of width 768 by default.
WorkloadEntry transformer_entry();

/// "dense_137b": LaMDA's size, with GSPMD's two-dimensional sharding over 2048 cores.
WorkloadEntry dense_137b_entry();

/// "gshard_moe": GShard's size, with one expert of each mixture on each of 2048 cores.
WorkloadEntry gshard_moe_entry();

}  // namespace podsim::workloads::models
