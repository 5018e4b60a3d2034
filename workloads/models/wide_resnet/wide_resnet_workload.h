// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::wide_resnet {

/// "wide_resnet": WRN-28-10, 32 x 32 images, 128 per core.
WorkloadEntry wide_resnet_entry();

}  // namespace podsim::workloads::models::wide_resnet
