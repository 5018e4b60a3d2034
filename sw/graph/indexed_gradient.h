// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/graph/graph_builder.h"

/// Gradients of what reads and writes at places that are computed. With g the gradient of the result, for the operand:
///   gather                 zeros to which g is scattered, adding up; indices must lie inside of the operand
///   dynamic-slice          zeros with g at the place of the slice
///   scatter that adds      g; for the updates, what is gathered from g
///   dynamic-update-slice   g with zeros at the place of the update; for the update, that slice of g
namespace podsim::sw {

InstructionId gather_gradient(GraphBuilder& builder, const Instruction& forward, InstructionId g);
InstructionId dynamic_slice_gradient(GraphBuilder& builder, const Instruction& forward, InstructionId g);
/// For the updates of a scatter of one operand.
InstructionId scatter_updates_gradient(GraphBuilder& builder, const Instruction& forward, InstructionId g);
/// For operand 0, the array, or 1, the update.
InstructionId dynamic_update_slice_gradient(GraphBuilder& builder, const Instruction& forward, int operand,
                                            InstructionId g);

}  // namespace podsim::sw
