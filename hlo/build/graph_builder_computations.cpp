// SPDX-License-Identifier: Apache-2.0
// Part of hlo/build/graph_builder.h.
#include <algorithm>
#include <cassert>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "hlo/build/graph_builder.h"
#include "hlo/instruction_identity.h"

/// Conversion of a builder's instructions to computations of a module: called computations and the entry.
namespace podsim::hlo::build {
namespace {

/// Appends a computation under a unique name and returns its id, or the id of an equal computation that has the same
/// name.
ComputationId append(std::vector<Computation>& computations, const std::string& entry_name, Computation computation) {
  const auto find = [&](const std::string& name) { return std::ranges::find(computations, name, &Computation::name); };
  const auto same = find(computation.name);
  if (same != computations.end() && is_same_function(*same, computation)) return int(same - computations.begin());
  const std::string stem = computation.name;
  for (std::size_t number = computations.size();
       computation.name == entry_name || find(computation.name) != computations.end(); ++number) {
    computation.name = fmt::format("{}.{}", stem, number);
  }
  computations.push_back(std::move(computation));
  return int(computations.size()) - 1;
}

/// Renames instructions whose name is taken: the name of a parameter may be equal to an opcode with a number.
void tell_apart(std::vector<Instruction>& instructions) {
  std::unordered_set<std::string> all, seen;
  for (const Instruction& instruction : instructions) all.insert(instruction.name);
  if (all.size() == instructions.size()) return;
  std::unordered_map<std::string, int> last;  // numbers of a name that are taken
  for (Instruction& instruction : instructions) {
    if (seen.insert(instruction.name).second) continue;
    base::host::end_if_interrupted();
    int& number = last[instruction.name];
    std::string name;
    while (name.empty() || all.contains(name)) name = fmt::format("{}.{}", instruction.name, ++number);
    all.insert(name);
    instruction.name = std::move(name);
  }
}

}  // namespace

ComputationId GraphBuilder::scalar_function(std::string name, ElementType type, Instruction root) {
  if (const auto found = called_by_name_.find(name); found != called_by_name_.end()) return found->second;
  Computation computation;
  computation.name = name;
  for (int i = 0; i < 2; ++i) {
    Instruction parameter;
    parameter.name = i == 0 ? "x" : "y";
    parameter.index = i;
    parameter.shape = make_shape(type, {});
    computation.instructions.push_back(std::move(parameter));
    computation.parameters.push_back(i);
  }
  root.name = fmt::format("{}.2", to_string(root.opcode));
  root.operands = {0, 1};
  computation.instructions.push_back(std::move(root));
  computation.root = 2;
  return called_by_name_[name] = build::append(called_, entry_.name, std::move(computation));
}

ComputationId GraphBuilder::combiner(Opcode opcode, ElementType type) {
  Instruction root;
  root.opcode = opcode;
  root.shape = make_shape(type, {});
  return scalar_function(fmt::format("{}_{}", to_string(opcode), to_string(type)), type, std::move(root));
}

ComputationId GraphBuilder::comparator(ComparisonDirection direction, ElementType type) {
  static constexpr const char* names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  Instruction root;
  root.opcode = Opcode::compare;
  root.shape = make_shape(ElementType::pred, {});
  root.comparison = direction;
  return scalar_function(fmt::format("{}_{}", names[int(direction)], to_string(type)), type, std::move(root));
}

ComputationId GraphBuilder::computation(GraphBuilder body, InstructionId root) {
  Module module = std::move(body).build(root);
  module.computations.back().name = module.name;
  return copy_computation(module, module.entry);
}

ComputationId GraphBuilder::copy_computation(const Module& from, ComputationId id) {
  std::map<ComputationId, ComputationId> copies;
  const auto copy = [&](const auto& self, ComputationId original) -> ComputationId {
    if (const auto found = copies.find(original); found != copies.end()) return found->second;
    Computation computation = from.computations[original];
    for (Instruction& instruction : computation.instructions) {
      for (ComputationId& called : instruction.called) called = self(self, called);
    }
    return copies[original] = build::append(called_, entry_.name, std::move(computation));
  };
  return copy(copy, id);
}

InstructionId GraphBuilder::append_entry(const Module& from) {
  const Computation& entry = from.entry_computation();
  std::vector<InstructionId> values(entry.instructions.size(), -1);
  for (const InstructionId id : entry.parameters) {
    const Scope scope(*this, entry[id].op_name, entry[id].source);
    values[std::size_t(id)] = parameter(entry[id].shape, entry[id].name);
    entry_[values[std::size_t(id)]].sharding = entry[id].sharding;
  }
  for (InstructionId id = 0; id < InstructionId(entry.instructions.size()); ++id) {
    if (entry[id].opcode == Opcode::parameter) continue;
    Instruction instruction = entry[id];
    for (InstructionId& operand : instruction.operands) operand = values[std::size_t(operand)];
    for (ComputationId& called : instruction.called) called = copy_computation(from, called);
    values[std::size_t(id)] = append(std::move(instruction));
  }
  return values[std::size_t(entry.root)];
}

void GraphBuilder::drop_unused() {
  std::vector<bool> used(size(), false);
  for (InstructionId id = size() - 1; id >= 0; --id) {
    used[id] = used[id] || id == entry_.root || !is_shareable(entry_[id].opcode);
    if (!used[id]) continue;
    for (InstructionId operand : entry_[id].operands) used[operand] = true;
  }
  std::vector<InstructionId> renumbered(size(), -1);
  InstructionId kept = 0;
  for (InstructionId id = 0; id < size(); ++id) {
    if (!used[id]) continue;
    renumbered[id] = kept;
    if (kept != id) entry_[kept] = std::move(entry_[id]);
    for (InstructionId& operand : entry_[kept].operands) operand = renumbered[operand];
    ++kept;
  }
  entry_.instructions.resize(std::size_t(kept));
  for (InstructionId& parameter : entry_.parameters) parameter = renumbered[parameter];
  entry_.root = renumbered[entry_.root];
}

Module GraphBuilder::build(InstructionId root) && {
  assert(root >= 0 && root < size());
  entry_.root = root;
  drop_unused();
  tell_apart(entry_.instructions);
  Module module;
  module.name = std::move(name_);
  module.computations = std::move(called_);
  module.entry = int(module.computations.size());
  module.computations.push_back(std::move(entry_));
  return module;
}

}  // namespace podsim::hlo::build
