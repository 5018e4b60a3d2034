// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::amoebanet {

/// "amoebanet_d": AmoebaNet-D with the batch of the whole machine, to be partitioned; 128 images per core.
WorkloadEntry amoebanet_d_entry();

}  // namespace podsim::workloads::models::amoebanet
