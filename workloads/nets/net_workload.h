// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "workloads/nets/net.h"
#include "workloads/workload.h"

namespace podsim::workloads::nets {

/// True if a workload is a page of layers, *.toml, or a shared library that writes one, *.so.
bool is_net(const std::string& workload);

/// Reads the page that a workload names, is_net(), or has its library write it (podsim/net.h). `argument` names the
/// argument in messages. Throws base::InputError.
Net load_net(const std::string& argument, const std::string& workload, const ModelSettings& settings);

/// The step of a net with the batch, optimiser and cores of `options`, whose keys of the model load_net() has read.
Workload net_workload(const Net& net, const WorkloadOptions& options);

}  // namespace podsim::workloads::nets
