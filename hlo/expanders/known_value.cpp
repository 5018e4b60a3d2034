// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/known_value.h"

#include <map>
#include <utility>
#include <vector>

#include "hlo/eval/evaluator.h"

namespace podsim::hlo::expanders {
namespace {

bool is_known_from_operands(const Instruction& instruction) {
  if (instruction.phase != AsyncPhase::none) return false;
  if (instruction.opcode == Opcode::constant) return instruction.literal != nullptr;
  switch (instruction.opcode) {
    case Opcode::iota:
    case Opcode::broadcast:
    case Opcode::reshape:
    case Opcode::transpose:
    case Opcode::reverse:
    case Opcode::slice:
    case Opcode::concatenate:
    case Opcode::pad:
      return true;
    default:
      return is_elementwise(instruction.opcode) && instruction.opcode != Opcode::stochastic_convert;
  }
}

/// The instructions that a value needs, in their order; empty if it is not known.
std::vector<InstructionId> needed(const Computation& computation, InstructionId id, std::int64_t max_elements) {
  std::map<InstructionId, bool> seen;
  std::vector<InstructionId> open{id};
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    if (!seen.emplace(at, true).second) continue;
    const Instruction& instruction = computation[at];
    if (!is_known_from_operands(instruction) || instruction.shape.is_tuple() ||
        instruction.shape.element_count() > max_elements) {
      return {};
    }
    open.insert(open.end(), instruction.operands.begin(), instruction.operands.end());
  }
  std::vector<InstructionId> ids;
  for (const auto& [instruction, is_needed] : seen) ids.push_back(instruction);
  return ids;
}

}  // namespace

std::optional<Literal> known_value(const Computation& computation, InstructionId id, std::int64_t max_elements) {
  const std::vector<InstructionId> ids = needed(computation, id, max_elements);
  if (ids.empty()) return std::nullopt;
  std::map<InstructionId, InstructionId> to;
  Computation part;
  part.name = "main";
  for (const InstructionId from : ids) {
    to[from] = InstructionId(part.instructions.size());
    Instruction instruction = computation[from];
    for (InstructionId& operand : instruction.operands) operand = to[operand];
    part.instructions.push_back(std::move(instruction));
  }
  part.root = to[id];
  Module module;
  module.name = "known";
  module.entry = 0;
  module.computations.push_back(std::move(part));
  return eval::evaluate(module, {});
}

}  // namespace podsim::hlo::expanders
