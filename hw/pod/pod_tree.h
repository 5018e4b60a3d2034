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

/// Level of detail of the chip that is shown: cores with durations only; with their units, over streams; or over the
/// on-chip switch and the banks.
enum class TreeDetail { replay, tile, chip };

/// A whole pod as a run elaborates it: the fabric with its links, and the first chip with its own parts. Parts that
/// differ by their number only, more than two, are shown once, named "bank0 to 15". Elaborates SystemC modules, so that
/// a process that asks for it simulates nothing else.
TreeNode pod_tree(const Machine& machine, TreeDetail detail);

}  // namespace podsim::hw::pod
