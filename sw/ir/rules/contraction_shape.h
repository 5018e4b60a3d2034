// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/rules/shape_rules.h"

/// Shape rules of matrix products. The element type of the result is taken as written.
namespace podsim::sw::ir::rules {

Shape infer_convolution(const Instruction& instruction, OperandShapes operands);
/// Operands after the second describe sparsity and do not affect the shape.
Shape infer_dot(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::sw::ir::rules
