// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/unit_broadcasts.h"

#include <algorithm>

namespace podsim::sw::compiler::fuse {

void reshape_unit_broadcasts(hlo::Computation& computation) {
  for (hlo::Instruction& instruction : computation.instructions) {
    if (instruction.opcode != hlo::Opcode::broadcast || instruction.phase != hlo::AsyncPhase::none) continue;
    const hlo::Shape& operand = computation[instruction.operands.front()].shape;
    if (operand.element_count() != instruction.shape.element_count()) continue;
    if (!std::ranges::is_sorted(instruction.dimensions)) continue;
    instruction.opcode = hlo::Opcode::reshape;
    instruction.dimensions.clear();
  }
}

}  // namespace podsim::sw::compiler::fuse
