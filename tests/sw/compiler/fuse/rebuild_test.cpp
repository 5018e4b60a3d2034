// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/rebuild.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace podsim::sw::compiler::fuse {
namespace {

/// Instruction i is named after i; the first `parameters` are parameters, the others add two or fewer earlier ones.
hlo::Computation random_computation(int size, int parameters) {
  hlo::Computation computation;
  for (int i = 0; i < size; ++i) {
    hlo::Instruction instruction;
    instruction.name = std::to_string(i);
    instruction.opcode = i < parameters ? hlo::Opcode::parameter : hlo::Opcode::add;
    if (i < parameters) {
      computation.parameters.push_back(i);
    } else {
      instruction.operands = {*rc::gen::inRange(0, i), *rc::gen::inRange(0, i)};
    }
    computation.instructions.push_back(instruction);
  }
  computation.root = *rc::gen::inRange(0, size);
  return computation;
}

/// The same graph in another order: instruction i moves to position at[i].
hlo::Computation permuted(const hlo::Computation& computation, const std::vector<int>& at) {
  hlo::Computation result = computation;
  for (std::size_t i = 0; i < at.size(); ++i) {
    hlo::Instruction& moved = result.instructions[at[i]] = computation.instructions[i];
    for (hlo::InstructionId& operand : moved.operands) operand = at[operand];
  }
  result.root = at[computation.root];
  for (hlo::InstructionId& parameter : result.parameters) parameter = at[parameter];
  return result;
}

std::vector<std::string> operand_names(const hlo::Computation& computation, const hlo::Instruction& instruction) {
  std::vector<std::string> names;
  for (hlo::InstructionId operand : instruction.operands) names.push_back(computation[operand].name);
  return names;
}

const hlo::Instruction& named(const hlo::Computation& computation, const std::string& name) {
  return *std::ranges::find(computation.instructions, name, &hlo::Instruction::name);
}

RC_GTEST_PROP(Rebuild, AnyOrderIsSortedIntoTheSameGraphWithoutWhatTheRootDoesNotNeed, ()) {
  int size = *rc::gen::inRange(1, 30);
  hlo::Computation original = random_computation(size, *rc::gen::inRange(1, size + 1));
  std::vector<int> at(std::size_t(size), 0);
  std::iota(at.begin(), at.end(), 0);
  for (int i = size - 1; i > 0; --i) std::swap(at[i], at[*rc::gen::inRange(0, i + 1)]);
  hlo::Computation sorted = sorted_topologically(permuted(original, at));

  std::set<std::string> reached;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(sorted.instructions.size()); ++id) {
    const hlo::Instruction& instruction = sorted[id];
    for (hlo::InstructionId operand : instruction.operands) RC_ASSERT(operand < id);
    RC_ASSERT(operand_names(sorted, instruction) == operand_names(original, named(original, instruction.name)));
    reached.insert(instruction.name);
  }
  RC_ASSERT(sorted[sorted.root].name == original[original.root].name);
  RC_ASSERT(sorted.parameters.size() == original.parameters.size());
  for (std::size_t i = 0; i < sorted.parameters.size(); ++i) {
    RC_ASSERT(sorted[sorted.parameters[i]].name == original[original.parameters[i]].name);
  }
  // Needed: parameters, the root, and instructions read by needed ones. Going backwards visits readers first.
  std::set<std::string> needed;
  for (hlo::InstructionId parameter : original.parameters) needed.insert(original[parameter].name);
  needed.insert(original[original.root].name);
  for (int id = size - 1; id >= 0; --id) {
    if (!needed.contains(original[id].name)) continue;
    for (const std::string& name : operand_names(original, original[id])) needed.insert(name);
  }
  RC_ASSERT(reached == needed);
}

RC_GTEST_PROP(Rebuild, AnOrderThatIsTopologicalStaysAsItIs, ()) {
  int size = *rc::gen::inRange(1, 30);
  hlo::Computation original = random_computation(size, size / 2 + 1);
  hlo::Computation once = sorted_topologically(original);
  std::vector<int> numbers;
  for (const hlo::Instruction& instruction : once.instructions) numbers.push_back(std::stoi(instruction.name));
  RC_ASSERT(std::ranges::is_sorted(numbers));
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
