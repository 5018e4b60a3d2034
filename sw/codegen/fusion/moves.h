// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"
#include "sw/codegen/fusion/space.h"

namespace podsim::sw::codegen::fusion {

/// True for opcodes whose result only has its operand's elements elsewhere: broadcasts, transposes, slices, reshapes.
bool is_move(hlo::Opcode opcode);
/// The axes of the operand of a move whose result has `axes`. Throws NoCode for reshapes that change more than
/// dimensions of one element, and for slices with a stride.
Axes axes_of_operand(const hlo::Instruction& move, const hlo::Shape& operand, const Axes& axes);

}  // namespace podsim::sw::codegen::fusion
