// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

namespace podsim::workloads::layers {

/// The highest elements of rows, highest first; of equal ones those at lower indices.
struct TopElements {
  sw::ir::InstructionId scores = -1;   ///< [rows, count]
  sw::ir::InstructionId indices = -1;  ///< s32[rows, count]
};

/// Sorts the rows of `scores` [rows, elements] together with their indices, and takes the first `count` of each.
TopElements top_elements(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId scores, std::int64_t count);

/// Elements of each row of x, [rows, elements] or [rows, elements, width], at indices s32[rows, count], as [rows,
/// count] or [rows, count, width].
sw::ir::InstructionId elements_at(sw::ir::build::GraphBuilder& builder, sw::ir::InstructionId x,
                                  sw::ir::InstructionId indices);

}  // namespace podsim::workloads::layers
