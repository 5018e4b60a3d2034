// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/op_module.h"

#include <map>
#include <utility>

#include "sw/compiler/fuse/inline_fusions.h"

namespace podsim::sw::codegen::fusion {

namespace {

/// A computation that contains one instruction, with a parameter for each value that it uses.
hlo::Computation wrapped(const hlo::Computation& computation, hlo::InstructionId id) {
  hlo::Computation body;
  body.name = "op";
  hlo::Instruction root = computation[id];
  std::map<hlo::InstructionId, hlo::InstructionId> known;
  for (hlo::InstructionId& used : root.operands) {
    const auto [found, is_new] = known.try_emplace(used, hlo::InstructionId(body.instructions.size()));
    const hlo::Instruction& operand = computation[used];
    used = found->second;
    if (!is_new) continue;
    hlo::Instruction entering = operand;
    if (operand.opcode != hlo::Opcode::constant) {
      entering = {};
      entering.name = operand.name;
      entering.shape = operand.shape;
      entering.index = std::int64_t(body.parameters.size());
      body.parameters.push_back(hlo::InstructionId(body.instructions.size()));
    }
    body.instructions.push_back(std::move(entering));
  }
  body.root = hlo::InstructionId(body.instructions.size());
  body.instructions.push_back(std::move(root));
  return body;
}

/// Copies the computations that a body calls, and those that they call.
class CalledCopies {
 public:
  CalledCopies(const hlo::Module& from, hlo::Module& to) : from_(from), to_(to) {}

  void renumber(hlo::Computation& body) {
    for (hlo::Instruction& instruction : body.instructions) {
      for (hlo::ComputationId& called : instruction.called) called = copied(called);
    }
  }

 private:
  hlo::ComputationId copied(hlo::ComputationId id) {
    const auto known = copies_.find(id);
    if (known != copies_.end()) return known->second;
    hlo::Computation copy = from_.computations[std::size_t(id)];
    renumber(copy);
    const auto number = hlo::ComputationId(to_.computations.size());
    to_.computations.push_back(std::move(copy));
    copies_[id] = number;
    return number;
  }

  const hlo::Module& from_;
  hlo::Module& to_;
  std::map<hlo::ComputationId, hlo::ComputationId> copies_;
};

}  // namespace

hlo::Module op_module(const hlo::Module& module, const hlo::Computation& computation, hlo::InstructionId id) {
  const hlo::Instruction& op = computation[id];
  hlo::Computation body = op.opcode == hlo::Opcode::fusion
                              ? compiler::fuse::inline_fusions(module, module.computations[std::size_t(op.called[0])])
                              : wrapped(computation, id);
  hlo::Module alone;
  alone.name = op.name;
  CalledCopies(module, alone).renumber(body);
  alone.entry = hlo::ComputationId(alone.computations.size());
  alone.computations.push_back(std::move(body));
  return alone;
}

std::vector<hlo::InstructionId> results_of(const hlo::Computation& body) {
  const hlo::Instruction& root = body[body.root];
  return root.opcode == hlo::Opcode::tuple ? root.operands : std::vector{body.root};
}

}  // namespace podsim::sw::codegen::fusion
