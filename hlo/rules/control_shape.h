// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of calls, loops, branches and tuples.
namespace podsim::hlo::rules {

Shape infer_tuple(OperandShapes operands);
Shape infer_get_tuple_element(const Instruction& instruction, OperandShapes operands);
/// fusion and call: the result shape of the body.
Shape infer_call(const Instruction& instruction, OperandShapes operands, Computations computations);
Shape infer_while(const Instruction& instruction, OperandShapes operands, Computations computations);
/// Operands: a pred or an index, then the operand of every branch.
Shape infer_conditional(const Instruction& instruction, OperandShapes operands, Computations computations);

}  // namespace podsim::hlo::rules
