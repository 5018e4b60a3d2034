// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/simplified_moves.h"

#include <algorithm>

namespace podsim::sw::compiler::fuse {
namespace {

bool only_adds_units(const hlo::Computation& computation, const hlo::Instruction& broadcast) {
  return broadcast.opcode == hlo::Opcode::broadcast && broadcast.phase == hlo::AsyncPhase::none &&
         computation[broadcast.operands.front()].shape.element_count() == broadcast.shape.element_count() &&
         std::ranges::is_sorted(broadcast.dimensions);
}

/// True for an instruction whose sharding and layout are not given.
bool is_free(const hlo::Instruction& instruction) {
  const hlo::Shape& shape = instruction.shape;
  return instruction.phase == hlo::AsyncPhase::none && !instruction.sharding && shape.minor_to_major.empty() &&
         shape.tile.empty();
}

/// The operand whose elements an instruction has, if they are in the same positions; -1 otherwise.
hlo::InstructionId moved_nowhere(const hlo::Computation& computation, const hlo::Instruction& move) {
  std::size_t operand = 0;
  switch (move.opcode) {
    case hlo::Opcode::reshape:
    case hlo::Opcode::slice:
    case hlo::Opcode::dynamic_slice:
      break;
    case hlo::Opcode::concatenate:
      if (move.operands.size() > 1) return -1;
      break;
    case hlo::Opcode::dynamic_update_slice:
      operand = 1;
      break;
    default:
      return -1;
  }
  const hlo::InstructionId source = move.operands[operand];
  return is_free(move) && computation[source].shape == move.shape ? source : -1;
}

}  // namespace

void simplify_moves(hlo::Computation& computation) {
  for (hlo::Instruction& instruction : computation.instructions) {
    if (only_adds_units(computation, instruction)) {
      instruction.opcode = hlo::Opcode::reshape;
      instruction.dimensions.clear();
    }
    for (hlo::InstructionId& operand : instruction.operands) {
      const hlo::InstructionId source = moved_nowhere(computation, computation[operand]);
      if (source >= 0) operand = source;
    }
    if (instruction.opcode != hlo::Opcode::reshape) continue;
    const hlo::Instruction& source = computation[instruction.operands.front()];
    if (source.opcode == hlo::Opcode::reshape && is_free(source)) instruction.operands = source.operands;
  }
}

}  // namespace podsim::sw::compiler::fuse
