// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph_builder.h"

namespace podsim::sw {

/// Appends what an elementwise instruction with result y, whose gradient is g, contributes to the gradient of its
/// operand `operand`. Throws std::logic_error naming the instruction where the operation has no derivative here.
InstructionId elementwise_gradient(GraphBuilder& builder, const Instruction& forward, int operand, InstructionId y,
                                   InstructionId g);

}  // namespace podsim::sw
