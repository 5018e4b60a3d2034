// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/linear_op.h"

#include <algorithm>
#include <utility>

#include "sw/spmd/reshard/reshard.h"

namespace podsim::sw::spmd::partition {

namespace {

constexpr int longest_chain = 8;  ///< most linear ops that are followed between two sums

bool is_addend(const reshard::LocalValue& value) {
  return !value.unreduced.empty() && value.combiner == ir::Opcode::add;
}

bool is_product(ir::Opcode opcode) { return opcode == ir::Opcode::multiply || opcode == ir::Opcode::divide; }

bool is_sum(ir::Opcode opcode) { return opcode == ir::Opcode::add || opcode == ir::Opcode::subtract; }

bool moves_elements(ir::Opcode opcode) { return opcode == ir::Opcode::transpose || opcode == ir::Opcode::reshape; }

/// True if every value of one floating-point type is one of the other.
bool widens(ir::ElementType from, ir::ElementType to) {
  return ir::is_floating_point(from) && ir::is_floating_point(to) && ir::byte_width(from) < ir::byte_width(to);
}

mesh::SubAxes without(const mesh::SubAxes& sub_axes, const mesh::SubAxes& others) {
  mesh::SubAxes result;
  std::ranges::copy_if(sub_axes, std::back_inserter(result),
                       [&](mesh::SubAxis s) { return std::ranges::find(others, s) == others.end(); });
  return result;
}

/// Moves the elements of each addend separately. The result is split only over sub-axes along which it has no addends.
std::optional<reshard::LocalValue> moved(reshard::LocalProgram& program, partition::OpToPartition op) {
  const mesh::SubAxes unreduced = std::exchange(op.operands[0].unreduced, {});
  for (mesh::SubAxes& sub_axes : op.wanted[0].dimensions) sub_axes = without(sub_axes, unreduced);
  reshard::LocalValue result = partition::partition_op(program, op).front();
  result.unreduced = unreduced;
  return result;
}

}  // namespace

bool is_linear(const ir::Computation& computation, const ir::Instruction& instruction) {
  switch (instruction.opcode) {
    case ir::Opcode::convert:
      return widens(computation[instruction.operands[0]].shape.element_type, instruction.shape.element_type);
    case ir::Opcode::opt_barrier:
      return instruction.operands.size() == 1 && !instruction.shape.is_tuple();
    case ir::Opcode::add:
    case ir::Opcode::subtract:
    case ir::Opcode::negate:
    case ir::Opcode::copy:
    case ir::Opcode::transpose:
    case ir::Opcode::reshape:
    case ir::Opcode::multiply:
    case ir::Opcode::divide:
      return true;
    default:
      return false;
  }
}

std::optional<reshard::LocalValue> partition_linear(reshard::LocalProgram& program,
                                                    const partition::OpToPartition& op) {
  const ir::Instruction& instruction = op.instruction();
  const std::vector<reshard::LocalValue>& operands = op.operands;
  const auto addend = std::ranges::find_if(operands, is_addend);
  if (!is_linear(op.computation, instruction) || addend == operands.end()) return std::nullopt;
  if (moves_elements(instruction.opcode)) return moved(program, op);
  ir::Instruction local;
  local.opcode = instruction.opcode;
  local.shape.element_type = instruction.shape.element_type;  // of a conversion
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    if (is_product(instruction.opcode) && operand != addend) {
      const bool is_dividend = instruction.opcode == ir::Opcode::divide && operand == operands.begin();
      const bool moves =
          reshard::reshard_bytes(program.mesh(), operand->shape, operand->sharding, {}, addend->sharding) > 0;
      if (!operand->unreduced.empty() || moves || is_dividend) return std::nullopt;
      local.operands.push_back(reshard::reshard(program, *operand, addend->sharding).id);
    } else {
      const bool is_alike = operand->unreduced == addend->unreduced && operand->sharding == addend->sharding;
      if (!is_addend(*operand) || !is_alike) return std::nullopt;
      local.operands.push_back(operand->id);
    }
  }
  reshard::LocalValue result = *addend;
  result.shape = instruction.shape;
  result.id = program.builder().add(std::move(local));
  return result;
}

std::optional<SumOfSums> sum_of_sums(const ir::Computation& computation,
                                     const std::vector<std::vector<ir::InstructionId>>& users, ir::InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const std::vector<ir::InstructionId>& of = users[std::size_t(id)];
    if (of.size() != 1 || id == computation.root) return std::nullopt;
    const ir::Instruction& user = computation[of[0]];
    const bool is_first = user.operands[0] == id;
    if (is_sum(user.opcode)) return SumOfSums{of[0], user.operands[is_first ? 1 : 0]};
    if (!is_linear(computation, user) || (user.opcode == ir::Opcode::divide && !is_first)) return std::nullopt;
    id = of[0];
  }
  return std::nullopt;
}

bool looks_like_sum(const ir::Computation& computation, ir::InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const ir::Instruction& instruction = computation[id];
    switch (instruction.opcode) {
      case ir::Opcode::dot:
      case ir::Opcode::convolution:
      case ir::Opcode::reduce:
      case ir::Opcode::scatter:
        return true;
      default:
        if (!is_linear(computation, instruction)) return false;
        id = instruction.operands[0];
    }
  }
  return false;
}

}  // namespace podsim::sw::spmd::partition
