// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/inline_fusions.h"

#include <vector>

namespace podsim::sw::compiler::fuse {
namespace {

class Inliner {
 public:
  explicit Inliner(const ir::Module& module) : module_(module) {}

  ir::Computation run(const ir::Computation& computation) {
    result_.name = computation.name;
    std::vector<ir::InstructionId> parameters;
    for (ir::InstructionId parameter : computation.parameters) {
      parameters.push_back(append(computation[parameter]));
      result_.parameters.push_back(parameters.back());
    }
    result_.root = copy(computation, parameters);
    return std::move(result_);
  }

 private:
  ir::InstructionId append(ir::Instruction instruction) {
    result_.instructions.push_back(std::move(instruction));
    return ir::InstructionId(result_.instructions.size()) - 1;
  }

  /// Copies a body whose parameters have the values `arguments`, and returns its root.
  ir::InstructionId copy(const ir::Computation& body, const std::vector<ir::InstructionId>& arguments) {
    std::vector<ir::InstructionId> position;
    for (const ir::Instruction& instruction : body.instructions) {
      if (instruction.opcode == ir::Opcode::parameter) {
        position.push_back(arguments[std::size_t(instruction.index)]);
        continue;
      }
      std::vector<ir::InstructionId> operands;
      for (ir::InstructionId operand : instruction.operands) operands.push_back(position[operand]);
      if (instruction.opcode == ir::Opcode::fusion || instruction.opcode == ir::Opcode::call) {
        position.push_back(copy(module_.computations[instruction.called.front()], operands));
        continue;
      }
      if (const ir::InstructionId element = element_of(instruction, operands); element >= 0) {
        position.push_back(element);
        continue;
      }
      ir::Instruction plain = instruction;
      plain.operands = std::move(operands);
      position.push_back(append(std::move(plain)));
    }
    return position[body.root];
  }

  /// Returns the element that `instruction` takes from a tuple of the result, or -1 for other instructions.
  ir::InstructionId element_of(const ir::Instruction& instruction,
                               const std::vector<ir::InstructionId>& operands) const {
    if (instruction.opcode != ir::Opcode::get_tuple_element) return -1;
    const ir::Instruction& tuple = result_[operands.front()];
    return tuple.opcode == ir::Opcode::tuple ? tuple.operands[std::size_t(instruction.index)] : -1;
  }

  const ir::Module& module_;
  ir::Computation result_;
};

}  // namespace

ir::Computation inline_fusions(const ir::Module& module, const ir::Computation& computation) {
  return Inliner(module).run(computation);
}

}  // namespace podsim::sw::compiler::fuse
