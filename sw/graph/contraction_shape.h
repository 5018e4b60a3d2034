// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

/// The shape rules of matrix products; the element type of the result is the writer's.
namespace podsim::sw {

Shape infer_convolution(const Instruction& instruction, OperandShapes operands);
/// Operands after the second describe sparsity and have no part in the shape.
Shape infer_dot(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::sw
