// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/machine.h"
#include "sw/kernels/block.h"
#include "sw/kernels/register_set.h"

namespace podsim::sw {

/// Virtual registers whose values are needed where a block begins and where it ends. A value that no path to that place
/// has written is not.
struct BlockLiveness {
  RegisterSet in, out;
};
std::vector<BlockLiveness> find_block_liveness(const BlockList& blocks);

/// Positions in a program of blocks, both included: a row r (counted through all blocks, settling bundles included)
/// reads at 2 r and writes at 2 r + 1.
struct LiveRange {
  int begin = 0, end = 0;
};

/// Where the value of each virtual register is needed, in the order of the program, by Register::number(). After a
/// write it is for at least the latency of the write. A register that a path does not write before it reads is alive on
/// that path from its first mention on.
struct LiveRanges {
  std::vector<std::vector<LiveRange>> of;
  std::vector<int> block_rows;  ///< the first row of each block
};
LiveRanges find_live_ranges(const hw::Machine& machine, const BlockList& blocks);

}  // namespace podsim::sw
