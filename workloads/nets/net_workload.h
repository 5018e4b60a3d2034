// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/nets/net.h"
#include "workloads/workload.h"

namespace podsim::workloads::nets {

/// True if a workload is a page of layers, *.toml, or a shared library that writes one, *.so.
bool is_net(const std::string& workload);

/// True if a workload's keys of the model are in its file: a net, or a function of Python.
bool has_keys_of_its_own(const std::string& workload);

/// Reads the page that a workload names, is_net(), or has its library write it (podsim/net.h). `argument` names the
/// argument in messages. Throws base::InputError.
Net load_net(const std::string& argument, const std::string& workload, const ModelSettings& settings);

/// The step of a net with the batch, optimiser and cores of `options`, whose keys of the model load_net() has read. For
/// inference batch norms are folded into kernels, and the parameters of a net that has some are then in the type of the
/// activations, as those of resnet_inference() are (workloads/models/resnet50.h).
Workload net_workload(const Net& net, const WorkloadOptions& options);

}  // namespace podsim::workloads::nets
