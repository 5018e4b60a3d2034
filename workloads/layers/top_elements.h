// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// The highest elements of rows, highest first; of equal ones those at lower indices.
struct TopElements {
  hlo::InstructionId scores = -1;   ///< [rows, count]
  hlo::InstructionId indices = -1;  ///< s32[rows, count]
};

/// Sorts the rows of `scores` [rows, elements] together with their indices, and takes the first `count` of each.
TopElements top_elements(hlo::build::GraphBuilder& builder, hlo::InstructionId scores, std::int64_t count);

/// Elements of each row of x, [rows, elements] or [rows, elements, width], at indices s32[rows, count], as [rows,
/// count] or [rows, count, width].
hlo::InstructionId elements_at(hlo::build::GraphBuilder& builder, hlo::InstructionId x, hlo::InstructionId indices);

}  // namespace podsim::workloads::layers
