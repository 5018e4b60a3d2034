// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "hw/machine.h"
#include "sw/codegen/registers/block.h"
#include "sw/codegen/registers/register_set.h"

namespace podsim::sw::codegen::registers {

/// Virtual registers that are live at the beginning and at the end of a block. A register that no path to that point
/// has written is not live.
struct BlockLiveness {
  RegisterSet in, out;
};
std::vector<BlockLiveness> find_block_liveness(const BlockList& blocks);

/// Range of positions in a program, both ends included: row r (counted through all blocks, including settling bundles)
/// reads at position 2 r and writes at 2 r + 1.
struct LiveRange {
  int begin = 0, end = 0;
};

/// Ranges in which each virtual register is live, in program order, by Register::number(). After a write a register is
/// live for at least the latency of the write. A register that a path reads before writing it is live on that path from
/// its first occurrence.
struct LiveRanges {
  std::vector<std::vector<LiveRange>> of;
  std::vector<int> block_rows;  ///< first row of each block
};
LiveRanges find_live_ranges(const hw::Machine& machine, const BlockList& blocks);

}  // namespace podsim::sw::codegen::registers
