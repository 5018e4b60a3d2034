// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/callees.h"

#include <algorithm>

namespace podsim::hlo::weights {

std::map<ComputationId, int> call_counts(const Module& module) {
  std::map<ComputationId, int> counts;
  for (const Computation& computation : module.computations) {
    for (const Instruction& instruction : computation.instructions) {
      for (const ComputationId called : instruction.called) ++counts[called];
    }
  }
  return counts;
}

bool reads_elements(const Computation& computation) {
  if (computation.parameters.size() != 1) return false;
  const InstructionId state = computation.parameters[0];
  if (!computation[state].shape.is_tuple()) return true;
  if (computation.root == state) return false;
  return std::ranges::all_of(computation.instructions, [&](const Instruction& instruction) {
    return instruction.opcode == Opcode::get_tuple_element ||
           std::ranges::find(instruction.operands, state) == instruction.operands.end();
  });
}

std::set<std::int64_t> passed_elements(const Module& module, const Instruction& loop,
                                       const std::map<ComputationId, int>& counts) {
  for (const ComputationId called : loop.called) {
    if (counts.at(called) != 1 || !reads_elements(module.computations[std::size_t(called)])) return {};
  }
  const Computation& body = module.computations[std::size_t(loop.called[1])];
  const Instruction& next = body[body.root];
  std::set<std::int64_t> passed;
  if (next.opcode != Opcode::tuple) return passed;
  for (std::size_t i = 0; i < next.operands.size(); ++i) {
    const Instruction& element = body[next.operands[i]];
    const bool is_own = element.opcode == Opcode::get_tuple_element && element.operands[0] == body.parameters[0] &&
                        element.index == std::int64_t(i);
    if (is_own) passed.insert(std::int64_t(i));
  }
  return passed;
}

}  // namespace podsim::hlo::weights
