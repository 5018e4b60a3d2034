// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models {

/// "mbconv", a mobile network in evaluation mode: EfficientNet-B0's stages, or others of its search space.
WorkloadEntry mbconv_entry();

}  // namespace podsim::workloads::models
