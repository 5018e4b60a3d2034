// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "hw/isa/bundle.h"
#include "sw/codegen/registers/operation.h"

namespace podsim::sw::codegen::registers {

/// A future bundle: for each slot the number of its operation in the block, or -1.
struct Row {
  std::array<int, hw::isa::slots> operation;
  Row() { operation.fill(-1); }
};

/// Scheduled code that is entered only at the top and left only at the bottom.
struct Block {
  std::vector<Operation> operations;
  std::vector<Row> rows;
  int target = -1;     ///< target block of the branch in the last row; -1: no branch
  bool jumps = false;  ///< the branch is always taken
  /// Empty bundles between this block and the next in program order, for the latencies of the last operations.
  int settle = 0;
};

/// Blocks in program order. A block whose branch is absent or not taken continues with the next block.
using BlockList = std::vector<Block>;

}  // namespace podsim::sw::codegen::registers
