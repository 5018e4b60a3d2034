// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Transformers as entries of the registry.
namespace podsim::workloads {

/// "transformer": a language model of any size, 12 layers of 768 by default, Adam.
WorkloadEntry transformer_entry();

}  // namespace podsim::workloads
