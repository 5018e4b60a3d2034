// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "hw/isa/bundle.h"
#include "sw/kernels/operation.h"

namespace podsim::sw {

/// A bundle to be: the operation in each slot, by its number in the block, or -1.
struct Row {
  std::array<int, hw::isa::slots> operation;
  Row() { operation.fill(-1); }
};

/// Scheduled code that is entered at the top only and left at the bottom only.
struct Block {
  std::vector<Operation> operations;
  std::vector<Row> rows;
  int target = -1;     ///< the block that the branch in the last row goes to, or none
  bool jumps = false;  ///< the branch is always taken
  /// Empty bundles that follow it on the way to the next block, for the latencies of its last operations.
  int settle = 0;
};

/// Blocks in the order of the program. One without a branch goes on to the next.
using BlockList = std::vector<Block>;

}  // namespace podsim::sw
