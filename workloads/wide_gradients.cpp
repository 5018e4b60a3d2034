// SPDX-License-Identifier: Apache-2.0
#include "workloads/wide_gradients.h"

#include <map>

namespace podsim::workloads {

using hlo::InstructionId;
using hlo::Opcode;

namespace {

class Widening {
 public:
  Widening(hlo::build::GraphBuilder& builder, hlo::ElementType type) : b_(builder), type_(type) {}

  /// A value of the type, whose conversions from narrower types are gone where that is possible.
  InstructionId of_wide(InstructionId id) {
    const hlo::Instruction instruction = b_[id];
    if (instruction.shape.element_type != type_) return id;
    if (instruction.opcode == Opcode::convert && is_narrower(instruction.operands[0])) {
      return in_type(instruction.operands[0]);
    }
    if (instruction.opcode != Opcode::add) return id;
    return with(instruction, {of_wide(instruction.operands[0]), of_wide(instruction.operands[1])});
  }

 private:
  bool is_narrower(InstructionId id) const {
    return hlo::is_floating_point(b_.type(id)) && hlo::byte_width(b_.type(id)) < hlo::byte_width(type_);
  }

  /// The narrower value `id` in the type.
  InstructionId in_type(InstructionId id) {
    const auto [found, is_new] = wide_.try_emplace(id, -1);
    if (is_new) found->second = computed_in_type(id);
    return wide_.at(id);
  }

  InstructionId computed_in_type(InstructionId id) {
    const hlo::Instruction instruction = b_[id];
    const std::vector<InstructionId>& operands = instruction.operands;
    switch (instruction.opcode) {
      case Opcode::dot:
      case Opcode::convolution:
        return with(instruction, operands);
      case Opcode::transpose:
      case Opcode::reshape:
        return with(instruction, {in_type(operands[0])});
      case Opcode::add:
        return with(instruction, {in_type(operands[0]), in_type(operands[1])});
      default:
        return b_.convert(id, type_);
    }
  }

  /// A copy with other operands, in the type.
  InstructionId with(hlo::Instruction instruction, std::vector<InstructionId> operands) {
    instruction.name.clear();
    instruction.operands = std::move(operands);
    instruction.shape.element_type = type_;
    return b_.add(std::move(instruction));
  }

  hlo::build::GraphBuilder& b_;
  hlo::ElementType type_;
  std::map<InstructionId, InstructionId> wide_;  ///< by narrower value
};

}  // namespace

std::vector<InstructionId> wide_gradients(hlo::build::GraphBuilder& b, std::vector<InstructionId> gradients,
                                          hlo::ElementType type) {
  Widening widening(b, type);
  for (InstructionId& gradient : gradients) gradient = widening.of_wide(gradient);
  return gradients;
}

}  // namespace podsim::workloads
