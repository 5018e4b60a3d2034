// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/shape_rules.h"

/// The shape rules of what only places values.
namespace podsim::sw {

Shape infer_iota(const Instruction& instruction, OperandShapes operands);
Shape infer_broadcast(const Instruction& instruction, OperandShapes operands);
Shape infer_reshape(const Instruction& instruction, OperandShapes operands);
/// The same bytes in memory under another shape; the result's is the writer's.
Shape infer_bitcast(const Instruction& instruction, OperandShapes operands);
/// The same bits as another type: wider elements take their last dimension's, narrower ones add it.
Shape infer_bitcast_convert(const Instruction& instruction, OperandShapes operands);
Shape infer_transpose(const Instruction& instruction, OperandShapes operands);
Shape infer_reverse(const Instruction& instruction, OperandShapes operands);
Shape infer_pad(const Instruction& instruction, OperandShapes operands);
Shape infer_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_dynamic_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_dynamic_update_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_concatenate(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::sw
