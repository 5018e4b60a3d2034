// SPDX-License-Identifier: Apache-2.0
#include "hlo/graph.h"

namespace podsim::hlo {

std::vector<std::vector<InstructionId>> users_of(const Computation& computation) {
  std::vector<std::vector<InstructionId>> users(computation.instructions.size());
  for (InstructionId id = 0; id < int(computation.instructions.size()); ++id) {
    for (InstructionId operand : computation[id].operands) {
      if (users[operand].empty() || users[operand].back() != id) users[operand].push_back(id);
    }
  }
  return users;
}

std::vector<bool> executed_computations(const Module& module) {
  std::vector<bool> executed(module.computations.size(), false);
  executed[module.entry] = true;
  for (ComputationId id = module.entry; id >= 0; --id) {
    if (!executed[id]) continue;
    for (const Instruction& instruction : module.computations[id].instructions) {
      const Opcode opcode = instruction.opcode;
      const bool executes = opcode == Opcode::while_loop || opcode == Opcode::conditional || opcode == Opcode::call ||
                            opcode == Opcode::async_start;
      for (ComputationId called : instruction.called) executed[called] = executed[called] || executes;
    }
  }
  return executed;
}

}  // namespace podsim::hlo
