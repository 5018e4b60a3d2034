// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/inline_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/host/interrupt.h"
#include "hlo/transform/relu.h"

namespace podsim::hlo::transform {

namespace {

bool is_plain_call(const Instruction& instruction) {
  return instruction.opcode == Opcode::call && instruction.phase == AsyncPhase::none;
}

std::string joined(const std::string& outer, const std::string& inner) {
  if (outer.empty() || inner.starts_with(outer)) return inner;
  return inner.empty() ? outer : outer + "/" + inner;
}

/// Writes one computation anew. The computations that it calls have no calls any more.
class Inlining {
 public:
  Inlining(const std::vector<Computation>& computations, Computation computation)
      : computations_(computations), from_(std::move(computation)) {
    for (const Instruction& instruction : from_.instructions) names_.insert(instruction.name);
  }

  Computation result() && {
    std::vector<InstructionId> values(from_.instructions.size(), -1);
    for (std::size_t id = 0; id < values.size(); ++id) {
      Instruction& instruction = from_.instructions[id];
      for (InstructionId& operand : instruction.operands) operand = values[std::size_t(operand)];
      values[id] = is_plain_call(instruction) ? body_of(instruction) : append(std::move(instruction));
    }
    for (InstructionId& parameter : from_.parameters) parameter = values[std::size_t(parameter)];
    from_.root = values[std::size_t(from_.root)];
    from_.instructions = std::move(written_);
    return std::move(from_);
  }

 private:
  InstructionId append(Instruction instruction) {
    written_.push_back(std::move(instruction));
    return InstructionId(written_.size()) - 1;
  }

  InstructionId body_of(const Instruction& call) {
    const Computation& body = computations_[std::size_t(call.called[0])];
    std::vector<InstructionId> values(body.instructions.size(), -1);
    for (std::size_t id = 0; id < values.size(); ++id) {
      const Instruction& instruction = body.instructions[id];
      if (instruction.opcode == Opcode::parameter) {
        values[id] = annotated(call.operands[std::size_t(instruction.index)], instruction.sharding, call);
        continue;
      }
      Instruction copy = instruction;
      for (InstructionId& operand : copy.operands) operand = values[std::size_t(operand)];
      copy.name = unique(copy.name);
      copy.op_name = joined(call.op_name, copy.op_name);
      if (copy.source.empty()) copy.source = call.source;
      values[id] = append(std::move(copy));
    }
    const InstructionId result = values[std::size_t(body.root)];
    const bool is_of_body = body[body.root].opcode != Opcode::parameter;
    if (is_of_body && call.sharding && !written_[std::size_t(result)].sharding) {
      written_[std::size_t(result)].sharding = call.sharding;
    }
    return annotated(result, call.sharding, call);
  }

  /// The value with the sharding that the other side of the call states for it. An annotation of its own stays, and
  /// what is manual on one side is so on the other.
  InstructionId annotated(InstructionId value, const std::shared_ptr<const Sharding>& sharding,
                          const Instruction& call) {
    const std::shared_ptr<const Sharding>& own = written_[std::size_t(value)].sharding;
    if (!sharding || sharding->kind == Sharding::Kind::unknown || sharding->kind == Sharding::Kind::manual)
      return value;
    if (own && *own == *sharding) return value;
    Instruction annotation;
    annotation.opcode = Opcode::custom_call;
    annotation.target = "Sharding";
    annotation.name = unique(call.name);
    annotation.shape = written_[std::size_t(value)].shape;
    annotation.operands = {value};
    annotation.op_name = call.op_name;
    annotation.source = call.source;
    annotation.sharding = sharding;
    return append(std::move(annotation));
  }

  std::string unique(const std::string& name) {
    base::host::end_if_interrupted();
    std::string found = name;
    for (int& number = numbers_[name]; !names_.insert(found).second;) found = fmt::format("{}.{}", name, ++number);
    return found;
  }

  const std::vector<Computation>& computations_;
  Computation from_;
  std::vector<Instruction> written_;
  std::unordered_set<std::string> names_;
  std::unordered_map<std::string, int> numbers_;  ///< the last one that was given to a name
};

}  // namespace

Module inline_calls(Module module) {
  mark_relus(module);
  for (Computation& computation : module.computations) {
    if (std::ranges::any_of(computation.instructions, is_plain_call)) {
      computation = Inlining(module.computations, std::move(computation)).result();
    }
  }
  return module;
}

}  // namespace podsim::hlo::transform
