// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/rules/shape_rules.h"

/// Shape rules of instructions that only move values.
namespace podsim::hlo::rules {

Shape infer_iota(const Instruction& instruction, OperandShapes operands);
Shape infer_broadcast(const Instruction& instruction, OperandShapes operands);
Shape infer_reshape(const Instruction& instruction, OperandShapes operands);
/// The same bytes in memory under another shape, which is taken as written.
Shape infer_bitcast(const Instruction& instruction, OperandShapes operands);
/// The same bits as another type: wider elements consume the last dimension, narrower ones add one.
Shape infer_bitcast_convert(const Instruction& instruction, OperandShapes operands);
Shape infer_transpose(const Instruction& instruction, OperandShapes operands);
Shape infer_reverse(const Instruction& instruction, OperandShapes operands);
Shape infer_pad(const Instruction& instruction, OperandShapes operands);
Shape infer_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_dynamic_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_dynamic_update_slice(const Instruction& instruction, OperandShapes operands);
Shape infer_concatenate(const Instruction& instruction, OperandShapes operands);

}  // namespace podsim::hlo::rules
