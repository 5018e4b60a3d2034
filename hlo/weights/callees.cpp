// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/callees.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace podsim::hlo::weights {

namespace {

class Copying {
 public:
  explicit Copying(const Module& module) : module_(module) {}

  Module result() && {
    Module result = module_;
    result.entry = copied(module_.entry);
    result.computations = std::move(made_);
    return result;
  }

 private:
  ComputationId copied(ComputationId id) {
    Computation computation = module_.computations[std::size_t(id)];
    for (Instruction& instruction : computation.instructions) {
      const bool has_own = instruction.opcode == Opcode::while_loop || instruction.opcode == Opcode::conditional;
      for (ComputationId& called : instruction.called) called = has_own ? copied(called) : shared(called);
    }
    const std::string name = computation.name;
    for (int i = 1; !names_.insert(computation.name).second; ++i) computation.name = name + "." + std::to_string(i);
    made_.push_back(std::move(computation));
    return ComputationId(made_.size()) - 1;
  }

  ComputationId shared(ComputationId id) {
    const auto known = shared_.find(id);
    if (known != shared_.end()) return known->second;
    return shared_[id] = copied(id);
  }

  const Module& module_;
  std::vector<Computation> made_;
  std::map<ComputationId, ComputationId> shared_;
  std::set<std::string> names_;
};

}  // namespace

Module with_own_callees(const Module& module) { return Copying(module).result(); }

bool reads_elements(const Computation& computation) {
  if (computation.parameters.size() != 1) return false;
  const InstructionId state = computation.parameters[0];
  if (!computation[state].shape.is_tuple()) return true;
  if (computation.root == state) return false;
  return std::ranges::all_of(computation.instructions, [&](const Instruction& instruction) {
    return instruction.opcode == Opcode::get_tuple_element ||
           std::ranges::find(instruction.operands, state) == instruction.operands.end();
  });
}

std::set<std::int64_t> passed_elements(const Module& module, const Instruction& loop) {
  for (const ComputationId called : loop.called) {
    if (!reads_elements(module.computations[std::size_t(called)])) return {};
  }
  const Computation& body = module.computations[std::size_t(loop.called[1])];
  const Instruction& next = body[body.root];
  std::set<std::int64_t> passed;
  if (next.opcode != Opcode::tuple) return passed;
  for (std::size_t i = 0; i < next.operands.size(); ++i) {
    const Instruction& element = body[next.operands[i]];
    const bool is_own = element.opcode == Opcode::get_tuple_element && element.operands[0] == body.parameters[0] &&
                        element.index == std::int64_t(i);
    if (is_own) passed.insert(std::int64_t(i));
  }
  return passed;
}

}  // namespace podsim::hlo::weights
