// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/nets/net.h"
#include "workloads/workload.h"

namespace podsim::workloads::nets {

/// The step of a net with the batch, optimiser and cores of `options`, whose keys of the model read_net() has read. For
/// inference batch norms are folded into kernels, and the parameters of a net that has some are then in the type of the
/// activations, as those of resnet_inference() are (workloads/models/resnet50.h).
Workload net_workload(const Net& net, const WorkloadOptions& options);

/// The sharding of a page with a mesh for its step of decoding with the options (models::decode_sharding).
hlo::spmd::mesh::ShardingFile net_decode_sharding(const Net& net, const WorkloadOptions& options);

}  // namespace podsim::workloads::nets
