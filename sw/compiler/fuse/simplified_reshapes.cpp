// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/simplified_reshapes.h"

#include <algorithm>

namespace podsim::sw::compiler::fuse {
namespace {

bool only_adds_units(const hlo::Computation& computation, const hlo::Instruction& broadcast) {
  return broadcast.opcode == hlo::Opcode::broadcast && broadcast.phase == hlo::AsyncPhase::none &&
         computation[broadcast.operands.front()].shape.element_count() == broadcast.shape.element_count() &&
         std::ranges::is_sorted(broadcast.dimensions);
}

/// True for a reshape whose sharding, layouts and memory are not given.
bool is_free(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  return instruction.opcode == hlo::Opcode::reshape && instruction.phase == hlo::AsyncPhase::none &&
         !instruction.sharding && shape.minor_to_major.empty() && shape.tile.empty();
}

}  // namespace

void simplify_reshapes(hlo::Computation& computation) {
  for (hlo::Instruction& instruction : computation.instructions) {
    if (only_adds_units(computation, instruction)) {
      instruction.opcode = hlo::Opcode::reshape;
      instruction.dimensions.clear();
    }
    for (hlo::InstructionId& operand : instruction.operands) {
      const hlo::Instruction& source = computation[operand];
      if (is_free(source) && source.shape == computation[source.operands.front()].shape) {
        operand = source.operands.front();
      }
    }
    if (instruction.opcode != hlo::Opcode::reshape) continue;
    const hlo::Instruction& source = computation[instruction.operands.front()];
    if (is_free(source)) instruction.operands = source.operands;
  }
}

}  // namespace podsim::sw::compiler::fuse
