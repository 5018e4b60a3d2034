// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"

namespace podsim::hw::pod {

/// A part of a pod, which is a scope of its waveform unless it has no signals below: what it is, and how it is
/// connected.
struct TreeNode {
  std::string name = {};                  ///< "mxu0"
  std::string scope = {};                 ///< "chip(0,0).core0.mxu0"; empty for the pod and its fabric
  std::string unit = {};                  ///< what the scope stands for
  std::vector<std::string> ports = {};    ///< names of ports, exports and sockets of its modules
  std::vector<std::string> signals = {};  ///< names of its signals in a waveform
  std::vector<TreeNode> children = {};
};

/// A whole pod as a run elaborates it: the fabric with its links, and the first chip at tile detail, with its own.
/// Elaborates SystemC modules, so that a process that asks for it simulates nothing else.
TreeNode pod_tree(const Machine& machine);

}  // namespace podsim::hw::pod
