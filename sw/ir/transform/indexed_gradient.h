// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/build/graph_builder.h"

/// Gradients of instructions that read or write at computed positions. With g as the gradient of the result, the
/// operand's gradient is:
///   gather                 zeros, to which g is scattered with addition; indices must be inside the operand
///   dynamic-slice          zeros with g at the position of the slice
///   scatter with addition  g; for the updates, the elements of g gathered at the same positions
///   dynamic-update-slice   g with zeros at the position of the update; for the update, that slice of g
namespace podsim::sw::ir::transform {

InstructionId gather_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);
InstructionId dynamic_slice_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);
/// Gradient of the updates of a scatter with one operand.
InstructionId scatter_updates_gradient(build::GraphBuilder& builder, const Instruction& forward, InstructionId g);
/// `operand` is 0 for the array or 1 for the update.
InstructionId dynamic_update_slice_gradient(build::GraphBuilder& builder, const Instruction& forward, int operand,
                                            InstructionId g);

}  // namespace podsim::sw::ir::transform
