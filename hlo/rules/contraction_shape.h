// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of matrix products. The element type of the result is taken as written.
namespace podsim::hlo::rules {

Shape infer_convolution(const Instruction& instruction, OperandShapes operands);
/// Operands after the second describe sparsity and do not affect the shape.
Shape infer_dot(const Instruction& instruction, OperandShapes operands);
/// The left operand's ragged dimension is divided into groups, which the third operand counts. `dimensions` has it and,
/// if it is free, the right operand's dimension of groups. Groups of a contracted dimension give products of their own.
Shape infer_ragged_dot(const Instruction& instruction, OperandShapes operands);
/// The same with the numbers of a right operand that has one group only, without its dimension.
Instruction without_groups(const Instruction& ragged_dot);

}  // namespace podsim::hlo::rules
