// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Transformers as entries of the registry.
namespace podsim::workloads {

/// "transformer": a language model of any size, 12 layers of 768 by default, Adam.
WorkloadEntry transformer_entry();

/// "dense_137b": LaMDA's size, with GSPMD's two-dimensional sharding over 2048 cores.
WorkloadEntry dense_137b_entry();

/// "gshard_moe": GShard's size, an expert on each of 2048 cores.
WorkloadEntry gshard_moe_entry();

}  // namespace podsim::workloads
