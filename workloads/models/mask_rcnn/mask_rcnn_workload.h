// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

namespace podsim::workloads::models::mask_rcnn {

/// "mask_rcnn"
WorkloadEntry mask_rcnn_entry();

}  // namespace podsim::workloads::models::mask_rcnn
