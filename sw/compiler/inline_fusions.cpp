// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/inline_fusions.h"

#include <vector>

namespace podsim::sw {
namespace {

class Inliner {
 public:
  explicit Inliner(const Module& module) : module_(module) {}

  Computation run(const Computation& computation) {
    result_.name = computation.name;
    std::vector<InstructionId> parameters;
    for (InstructionId parameter : computation.parameters) {
      parameters.push_back(append(computation[parameter]));
      result_.parameters.push_back(parameters.back());
    }
    result_.root = copy(computation, parameters);
    return std::move(result_);
  }

 private:
  InstructionId append(Instruction instruction) {
    result_.instructions.push_back(std::move(instruction));
    return InstructionId(result_.instructions.size()) - 1;
  }

  /// Of a body whose parameters stand for `arguments`; its root.
  InstructionId copy(const Computation& body, const std::vector<InstructionId>& arguments) {
    std::vector<InstructionId> position;
    for (const Instruction& instruction : body.instructions) {
      if (instruction.opcode == Opcode::parameter) {
        position.push_back(arguments[std::size_t(instruction.index)]);
        continue;
      }
      std::vector<InstructionId> operands;
      for (InstructionId operand : instruction.operands) operands.push_back(position[operand]);
      if (instruction.opcode == Opcode::fusion || instruction.opcode == Opcode::call) {
        position.push_back(copy(module_.computations[instruction.called.front()], operands));
        continue;
      }
      if (const InstructionId element = element_of(instruction, operands); element >= 0) {
        position.push_back(element);
        continue;
      }
      Instruction plain = instruction;
      plain.operands = std::move(operands);
      position.push_back(append(std::move(plain)));
    }
    return position[body.root];
  }

  /// A tuple that was written out need not be taken apart.
  InstructionId element_of(const Instruction& instruction, const std::vector<InstructionId>& operands) const {
    if (instruction.opcode != Opcode::get_tuple_element) return -1;
    const Instruction& tuple = result_[operands.front()];
    return tuple.opcode == Opcode::tuple ? tuple.operands[std::size_t(instruction.index)] : -1;
  }

  const Module& module_;
  Computation result_;
};

}  // namespace

Computation inline_fusions(const Module& module, const Computation& computation) {
  return Inliner(module).run(computation);
}

}  // namespace podsim::sw
