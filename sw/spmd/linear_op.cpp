// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/linear_op.h"

#include <algorithm>
#include <utility>

#include "sw/spmd/reshard.h"

namespace podsim::sw {

namespace {

constexpr int longest_chain = 8;  ///< of linear ops between two sums

bool is_addend(const LocalValue& value) { return !value.unreduced.empty() && value.combiner == Opcode::add; }

bool is_product(Opcode opcode) { return opcode == Opcode::multiply || opcode == Opcode::divide; }

bool is_sum(Opcode opcode) { return opcode == Opcode::add || opcode == Opcode::subtract; }

bool moves_elements(Opcode opcode) { return opcode == Opcode::transpose || opcode == Opcode::reshape; }

SubAxes without(const SubAxes& sub_axes, const SubAxes& others) {
  SubAxes result;
  std::ranges::copy_if(sub_axes, std::back_inserter(result),
                       [&](SubAxis s) { return std::ranges::find(others, s) == others.end(); });
  return result;
}

/// Each addend by itself, cut by other sub-axes than those that it is added up along.
std::optional<LocalValue> moved(LocalProgram& program, OpToPartition op) {
  const SubAxes unreduced = std::exchange(op.operands[0].unreduced, {});
  for (SubAxes& sub_axes : op.wanted[0].dimensions) sub_axes = without(sub_axes, unreduced);
  LocalValue result = partition_op(program, op).front();
  result.unreduced = unreduced;
  return result;
}

}  // namespace

bool is_linear(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
    case Opcode::subtract:
    case Opcode::negate:
    case Opcode::copy:
    case Opcode::transpose:
    case Opcode::reshape:
    case Opcode::multiply:
    case Opcode::divide:
      return true;
    default:
      return false;
  }
}

std::optional<LocalValue> partition_linear(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  const std::vector<LocalValue>& operands = op.operands;
  const auto addend = std::ranges::find_if(operands, is_addend);
  if (!is_linear(instruction.opcode) || addend == operands.end()) return std::nullopt;
  if (moves_elements(instruction.opcode)) return moved(program, op);
  Instruction local;
  local.opcode = instruction.opcode;
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    if (is_product(instruction.opcode) && operand != addend) {
      const bool is_dividend = instruction.opcode == Opcode::divide && operand == operands.begin();
      const bool moves = reshard_bytes(program.mesh(), operand->shape, operand->sharding, {}, addend->sharding) > 0;
      if (!operand->unreduced.empty() || moves || is_dividend) return std::nullopt;
      local.operands.push_back(reshard(program, *operand, addend->sharding).id);
    } else {
      const bool is_alike = operand->unreduced == addend->unreduced && operand->sharding == addend->sharding;
      if (!is_addend(*operand) || !is_alike) return std::nullopt;
      local.operands.push_back(operand->id);
    }
  }
  LocalValue result = *addend;
  result.shape = instruction.shape;
  result.id = program.builder().add(std::move(local));
  return result;
}

std::optional<SumOfSums> sum_of_sums(const Computation& computation,
                                     const std::vector<std::vector<InstructionId>>& users, InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const std::vector<InstructionId>& of = users[std::size_t(id)];
    if (of.size() != 1 || id == computation.root) return std::nullopt;
    const Instruction& user = computation[of[0]];
    const bool is_first = user.operands[0] == id;
    if (is_sum(user.opcode)) return SumOfSums{of[0], user.operands[is_first ? 1 : 0]};
    if (!is_linear(user.opcode) || (user.opcode == Opcode::divide && !is_first)) return std::nullopt;
    id = of[0];
  }
  return std::nullopt;
}

bool looks_like_sum(const Computation& computation, InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const Instruction& instruction = computation[id];
    switch (instruction.opcode) {
      case Opcode::dot:
      case Opcode::convolution:
      case Opcode::reduce:
        return true;
      default:
        if (!is_linear(instruction.opcode)) return false;
        id = instruction.operands[0];
    }
  }
  return false;
}

}  // namespace podsim::sw
