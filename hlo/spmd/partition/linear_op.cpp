// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/linear_op.h"

#include <algorithm>
#include <utility>

#include "hlo/spmd/reshard/reshard.h"

namespace podsim::hlo::spmd::partition {

namespace {

constexpr int longest_chain = 8;  ///< most linear ops that are followed between two sums

bool is_addend(const reshard::LocalValue& value) {
  return !value.unreduced.empty() && value.combiner == hlo::Opcode::add;
}

bool is_product(hlo::Opcode opcode) { return opcode == hlo::Opcode::multiply || opcode == hlo::Opcode::divide; }

bool is_sum(hlo::Opcode opcode) { return opcode == hlo::Opcode::add || opcode == hlo::Opcode::subtract; }

bool moves_elements(hlo::Opcode opcode) { return opcode == hlo::Opcode::transpose || opcode == hlo::Opcode::reshape; }

/// True if every value of one floating-point type is one of the other.
bool widens(hlo::ElementType from, hlo::ElementType to) {
  return hlo::is_floating_point(from) && hlo::is_floating_point(to) && hlo::byte_width(from) < hlo::byte_width(to);
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

bool is_linear(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  switch (instruction.opcode) {
    case hlo::Opcode::convert:
      return widens(computation[instruction.operands[0]].shape.element_type, instruction.shape.element_type);
    case hlo::Opcode::opt_barrier:
      return instruction.operands.size() == 1 && !instruction.shape.is_tuple();
    case hlo::Opcode::add:
    case hlo::Opcode::subtract:
    case hlo::Opcode::negate:
    case hlo::Opcode::copy:
    case hlo::Opcode::transpose:
    case hlo::Opcode::reshape:
    case hlo::Opcode::multiply:
    case hlo::Opcode::divide:
      return true;
    default:
      return false;
  }
}

std::optional<reshard::LocalValue> partition_linear(reshard::LocalProgram& program,
                                                    const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  const std::vector<reshard::LocalValue>& operands = op.operands;
  const auto addend = std::ranges::find_if(operands, is_addend);
  if (!is_linear(op.computation, instruction) || addend == operands.end()) return std::nullopt;
  if (moves_elements(instruction.opcode)) return moved(program, op);
  hlo::Instruction local;
  local.opcode = instruction.opcode;
  local.shape.element_type = instruction.shape.element_type;  // of a conversion
  for (auto operand = operands.begin(); operand != operands.end(); ++operand) {
    if (is_product(instruction.opcode) && operand != addend) {
      const bool is_dividend = instruction.opcode == hlo::Opcode::divide && operand == operands.begin();
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

std::optional<SumOfSums> sum_of_sums(const hlo::Computation& computation,
                                     const std::vector<std::vector<hlo::InstructionId>>& users, hlo::InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const std::vector<hlo::InstructionId>& of = users[std::size_t(id)];
    if (of.size() != 1 || id == computation.root) return std::nullopt;
    const hlo::Instruction& user = computation[of[0]];
    const bool is_first = user.operands[0] == id;
    if (is_sum(user.opcode)) return SumOfSums{of[0], user.operands[is_first ? 1 : 0]};
    if (!is_linear(computation, user) || (user.opcode == hlo::Opcode::divide && !is_first)) return std::nullopt;
    id = of[0];
  }
  return std::nullopt;
}

bool looks_like_sum(const hlo::Computation& computation, hlo::InstructionId id) {
  for (int length = 0; length < longest_chain; ++length) {
    const hlo::Instruction& instruction = computation[id];
    switch (instruction.opcode) {
      case hlo::Opcode::dot:
      case hlo::Opcode::convolution:
      case hlo::Opcode::reduce:
      case hlo::Opcode::scatter:
        return true;
      default:
        if (!is_linear(computation, instruction)) return false;
        id = instruction.operands[0];
    }
  }
  return false;
}

}  // namespace podsim::hlo::spmd::partition
