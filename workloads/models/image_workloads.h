// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Image networks as programs of the whole machine; a sharding splits their batches or images.
namespace podsim::workloads::models {

/// "ssd": SSD with ResNet-34, 300 x 300 images, 8 per core.
WorkloadEntry ssd_entry();

/// "bit_resnet50": ResNet-50 v2 with group norms and standardised kernels, 64 images per core.
WorkloadEntry bit_resnet50_entry();

/// "resnet50_global": ResNet-50 with the batch of the whole machine, over which batch statistics are computed.
WorkloadEntry resnet50_global_entry();

}  // namespace podsim::workloads::models
