// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/relu.h"

#include <string_view>
#include <utility>

#include "hlo/attribute_text.h"

namespace podsim::hlo::transform {

namespace {

bool is_named_relu(std::string_view name) {
  static constexpr std::string_view relu_name = "relu";
  if (!name.starts_with(relu_name)) return false;
  name.remove_prefix(relu_name.size());
  if (name.starts_with('6')) name.remove_prefix(1);
  return name.empty() || ((name.front() == '_' || name.front() == '.') &&
                          name.find_first_not_of("0123456789._") == std::string_view::npos);
}

bool is_constant_like(const Computation& computation, InstructionId id) {
  const Instruction* value = &computation[id];
  while (value->opcode == Opcode::broadcast || value->opcode == Opcode::convert) {
    value = &computation[value->operands[0]];
  }
  return value->opcode == Opcode::constant;
}

}  // namespace

InstructionId relu(build::GraphBuilder& builder, InstructionId x) {
  Instruction maximum;
  maximum.opcode = Opcode::maximum;
  maximum.operands = {x, builder.full_like(x, 0)};
  maximum.target = tie_to_second;
  return builder.add(std::move(maximum));
}

void mark_relus(Module& module) {
  for (Computation& computation : module.computations) {
    if (computation.parameters.size() != 1 || !is_named_relu(computation.name)) continue;
    for (Instruction& instruction : computation.instructions) {
      const bool chooses = instruction.opcode == Opcode::maximum || instruction.opcode == Opcode::minimum;
      if (chooses && is_constant_like(computation, instruction.operands[1])) instruction.target = tie_to_second;
    }
  }
}

}  // namespace podsim::hlo::transform
