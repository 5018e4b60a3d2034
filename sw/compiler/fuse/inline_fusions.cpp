// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/inline_fusions.h"

#include <vector>

namespace podsim::sw::compiler::fuse {
namespace {

class Inliner {
 public:
  explicit Inliner(const hlo::Module& module) : module_(module) {}

  hlo::Computation run(const hlo::Computation& computation) {
    result_.name = computation.name;
    std::vector<hlo::InstructionId> parameters;
    for (hlo::InstructionId parameter : computation.parameters) {
      parameters.push_back(append(computation[parameter]));
      result_.parameters.push_back(parameters.back());
    }
    result_.root = copy(computation, parameters);
    return std::move(result_);
  }

 private:
  hlo::InstructionId append(hlo::Instruction instruction) {
    result_.instructions.push_back(std::move(instruction));
    return hlo::InstructionId(result_.instructions.size()) - 1;
  }

  /// Copies a body whose parameters have the values `arguments`, and returns its root.
  hlo::InstructionId copy(const hlo::Computation& body, const std::vector<hlo::InstructionId>& arguments) {
    std::vector<hlo::InstructionId> position;
    for (const hlo::Instruction& instruction : body.instructions) {
      if (instruction.opcode == hlo::Opcode::parameter) {
        position.push_back(arguments[std::size_t(instruction.index)]);
        continue;
      }
      std::vector<hlo::InstructionId> operands;
      for (hlo::InstructionId operand : instruction.operands) operands.push_back(position[operand]);
      if (instruction.opcode == hlo::Opcode::fusion || instruction.opcode == hlo::Opcode::call) {
        position.push_back(copy(module_.computations[instruction.called.front()], operands));
        continue;
      }
      if (const hlo::InstructionId element = element_of(instruction, operands); element >= 0) {
        position.push_back(element);
        continue;
      }
      hlo::Instruction plain = instruction;
      plain.operands = std::move(operands);
      position.push_back(append(std::move(plain)));
    }
    return position[body.root];
  }

  /// Returns the element that `instruction` takes from a tuple of the result, or -1 for other instructions.
  hlo::InstructionId element_of(const hlo::Instruction& instruction,
                                const std::vector<hlo::InstructionId>& operands) const {
    if (instruction.opcode != hlo::Opcode::get_tuple_element) return -1;
    const hlo::Instruction& tuple = result_[operands.front()];
    return tuple.opcode == hlo::Opcode::tuple ? tuple.operands[std::size_t(instruction.index)] : -1;
  }

  const hlo::Module& module_;
  hlo::Computation result_;
};

}  // namespace

hlo::Computation inline_fusions(const hlo::Module& module, const hlo::Computation& computation) {
  return Inliner(module).run(computation);
}

}  // namespace podsim::sw::compiler::fuse
