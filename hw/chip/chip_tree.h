// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "hw/machine.h"

namespace podsim::hw::chip {

/// A scope of a chip's waveform: a unit, what it is, and how it is connected.
struct TreeNode {
  std::string name;                  ///< "mxu0"
  std::string scope;                 ///< "chip(0,0).core0.mxu0"
  std::string unit;                  ///< what the scope stands for
  std::vector<std::string> ports;    ///< names of ports, exports and sockets of its modules
  std::vector<std::string> signals;  ///< names of its signals in a waveform
  std::vector<TreeNode> children;
};

/// The first chip of a pod as a run elaborates it at tile detail, with all links. Elaborates SystemC modules, so that a
/// process that asks for it simulates nothing else.
TreeNode chip_tree(const Machine& machine);

}  // namespace podsim::hw::chip
