// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"

namespace podsim::sw {

/// Positions in a program of blocks, both included: a row r (counted through all blocks, settling bundles included)
/// reads at 2 r and writes at 2 r + 1.
struct LiveRange {
  int begin = 0, end = 0;
};

/// Where the value of each virtual register is needed, in the order of the program, by Register::number(). A register
/// that a path does not write before it reads is alive on that path from its first mention on.
struct Liveness {
  std::vector<std::vector<LiveRange>> ranges;
  std::vector<int> block_rows;  ///< the first row of each block
};

Liveness find_liveness(const hw::Machine& machine, const BlockList& blocks);

}  // namespace podsim::sw
