// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

namespace podsim::sw::ir::transform {

/// Appends the contribution of an elementwise instruction to the gradient of its operand number `operand`; y is the
/// instruction's result and g the result's gradient. Throws std::logic_error naming the instruction if no derivative of
/// the operation is implemented.
InstructionId elementwise_gradient(build::GraphBuilder& builder, const Instruction& forward, int operand,
                                   InstructionId y, InstructionId g);

}  // namespace podsim::sw::ir::transform
