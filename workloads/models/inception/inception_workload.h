// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::inception {

/// "inception_v3": Inception-v3 with the batch of the whole machine, to be partitioned; 128 images per core.
WorkloadEntry inception_v3_entry();

}  // namespace podsim::workloads::models::inception
