// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/build/graph_builder.h"

namespace podsim::workloads::layers {

/// Marks the counts[b] highest elements of every row of `scores`, f32[rows, elements] that are not negative, as a pred
/// of that shape; elements equal to the lowest of them are marked too. It finds a threshold bit by bit in 31 passes
/// over the scores, as TensorFlow's object detection on TPUs does in place of a sort. `counts` is s32[rows]; for a
/// count of 0 nothing is marked.
hlo::InstructionId highest_mask(hlo::build::GraphBuilder& builder, hlo::InstructionId scores,
                                hlo::InstructionId counts);

}  // namespace podsim::workloads::layers
