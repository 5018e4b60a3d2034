// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/linear_op.h"

#include <algorithm>

#include "sw/spmd/reshard.h"

namespace podsim::sw {

namespace {

bool is_addend(const LocalValue& value) { return !value.unreduced.empty() && value.combiner == Opcode::add; }

bool is_product(Opcode opcode) { return opcode == Opcode::multiply || opcode == Opcode::divide; }

}  // namespace

bool is_linear(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::negate:
    case Opcode::copy:
    case Opcode::multiply:
    case Opcode::divide:
      return true;
    default:
      return false;
  }
}

std::optional<LocalValue> partition_linear(LocalProgram& program, const Instruction& instruction,
                                           std::span<const LocalValue> operands) {
  if (!is_linear(instruction.opcode)) return std::nullopt;
  const auto addend = std::ranges::find_if(operands, is_addend);
  if (addend == operands.end()) return std::nullopt;
  std::vector<InstructionId> ids;
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    if (is_product(instruction.opcode) && operand != addend) {
      const bool is_divisor = operand != operands.begin();
      const bool moves = reshard_bytes(program.mesh(), operand->shape, operand->sharding, {}, addend->sharding) > 0;
      if (!operand->unreduced.empty() || moves || (instruction.opcode == Opcode::divide && !is_divisor)) {
        return std::nullopt;
      }
      ids.push_back(reshard(program, *operand, addend->sharding).id);
    } else {
      if (!is_addend(*operand) || operand->unreduced != addend->unreduced || operand->sharding != addend->sharding) {
        return std::nullopt;
      }
      ids.push_back(operand->id);
    }
  }
  Instruction local;
  local.opcode = instruction.opcode;
  local.operands = std::move(ids);
  LocalValue result = *addend;
  result.shape = instruction.shape;
  result.id = program.builder().add(std::move(local));
  return result;
}

}  // namespace podsim::sw
