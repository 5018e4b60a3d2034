// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/workload.h"

/// Networks of images as programs of the whole machine, whose batches or images are cut by a sharding.
namespace podsim::workloads {

/// "ssd": SSD with ResNet-34, 300 x 300 images, 8 per core.
WorkloadEntry ssd_entry();

/// "resnet50_global": the whole batch's ResNet-50, batch statistics over all of it.
WorkloadEntry resnet50_global_entry();

}  // namespace podsim::workloads
