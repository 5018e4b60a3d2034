// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/replace.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hlo/instruction_identity.h"
#include "hlo/transform/loop_state.h"

namespace podsim::hlo::expanders {
namespace {

using Expansions = std::map<InstructionId, Module>;

Expansions expansions_of(const Computation& computation, const Expansion& expansion) {
  Expansions found;
  for (InstructionId id = 0; id < InstructionId(computation.instructions.size()); ++id) {
    if (std::optional<Module> ops = expansion(computation, id)) found.emplace(id, std::move(*ops));
  }
  return found;
}

std::string unused_name(const Module& module, const std::string& wanted) {
  std::string name = wanted;
  for (int i = 1; std::ranges::find(module.computations, name, &Computation::name) != module.computations.end(); ++i) {
    name = wanted + "." + std::to_string(i);
  }
  return name;
}

/// The id of a computation among those before `at`, where it is inserted if none is the same function.
ComputationId find_or_insert(Module& module, Computation computation, ComputationId& at) {
  for (ComputationId id = 0; id < at; ++id) {
    if (is_same_function(module.computations[std::size_t(id)], computation)) return id;
  }
  computation.name = unused_name(module, computation.name);
  for (std::size_t c = std::size_t(at); c < module.computations.size(); ++c) {
    for (Instruction& instruction : module.computations[c].instructions) {
      for (ComputationId& called : instruction.called) called += called >= at ? 1 : 0;
    }
  }
  module.entry += module.entry >= at ? 1 : 0;
  module.computations.insert(module.computations.begin() + at, std::move(computation));
  return at++;
}

/// Rewrites one computation.
class Replacer {
 public:
  explicit Replacer(Computation computation) : old_(std::move(computation)), ids_(old_.instructions.size()) {
    made_.name = old_.name;
  }

  void keep(InstructionId id) {
    Instruction instruction = std::move(old_[id]);
    for (InstructionId& operand : instruction.operands) operand = ids_[std::size_t(operand)];
    if (instruction.opcode == Opcode::get_tuple_element && !instruction.sharding) {
      const Instruction& tuple = made_[instruction.operands[0]];
      if (tuple.opcode == Opcode::tuple) {
        ids_[std::size_t(id)] = tuple.operands[std::size_t(instruction.index)];
        return;
      }
    }
    ids_[std::size_t(id)] = append(std::move(instruction));
  }

  /// `called` are the ids of the computations of `ops`.
  void replace(InstructionId id, const Computation& ops, const std::vector<ComputationId>& called) {
    const Instruction replaced = std::move(old_[id]);
    std::vector<InstructionId> ids(ops.instructions.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      Instruction op = ops.instructions[i];
      if (op.opcode == Opcode::parameter) {
        ids[i] = ids_[std::size_t(replaced.operands[std::size_t(op.index)])];
        continue;
      }
      for (InstructionId& operand : op.operands) operand = ids[std::size_t(operand)];
      for (ComputationId& callee : op.called) callee = called[std::size_t(callee)];
      op.op_name = replaced.op_name;
      op.source = replaced.source;
      const bool is_root = InstructionId(i) == ops.root;
      op.name = is_root ? replaced.name : replaced.name + "." + op.name;
      if (is_root) op.sharding = replaced.sharding;
      ids[i] = append(std::move(op));
    }
    ids_[std::size_t(id)] = ids[std::size_t(ops.root)];
  }

  const Instruction& old(InstructionId id) const { return old_[id]; }

  Computation finish() && {
    for (const InstructionId parameter : old_.parameters) {
      made_.parameters.push_back(ids_[std::size_t(parameter)]);
    }
    made_.root = ids_[std::size_t(old_.root)];
    transform::drop_dead(made_);
    return std::move(made_);
  }

 private:
  InstructionId append(Instruction instruction) {
    made_.instructions.push_back(std::move(instruction));
    return InstructionId(made_.instructions.size()) - 1;
  }

  Computation old_, made_;
  std::vector<InstructionId> ids_;  ///< new ids by old ones
};

/// Adds the computations that an expansion calls in front of computation `at`, which moves. Returns their ids.
std::vector<ComputationId> add_called(Module& module, const Module& ops, const Instruction& replaced,
                                      ComputationId& at) {
  std::vector<ComputationId> ids;
  for (ComputationId c = 0; c < ops.entry; ++c) {
    Computation computation = ops.computations[std::size_t(c)];
    for (Instruction& instruction : computation.instructions) {
      for (ComputationId& callee : instruction.called) callee = ids[std::size_t(callee)];
      if (instruction.op_name.empty()) instruction.op_name = replaced.op_name;
    }
    ids.push_back(find_or_insert(module, std::move(computation), at));
  }
  return ids;
}

}  // namespace

void replace_instructions(Module& module, const Expansion& expansion) {
  for (ComputationId c = 0; c < ComputationId(module.computations.size()); ++c) {
    const Expansions found = expansions_of(module.computations[std::size_t(c)], expansion);
    if (found.empty()) continue;
    const auto count = InstructionId(module.computations[std::size_t(c)].instructions.size());
    Replacer replacer(std::move(module.computations[std::size_t(c)]));
    for (InstructionId id = 0; id < count; ++id) {
      const auto ops = found.find(id);
      if (ops == found.end()) {
        replacer.keep(id);
      } else {
        const std::vector<ComputationId> called = add_called(module, ops->second, replacer.old(id), c);
        replacer.replace(id, ops->second.entry_computation(), called);
      }
    }
    module.computations[std::size_t(c)] = std::move(replacer).finish();
  }
}

}  // namespace podsim::hlo::expanders
