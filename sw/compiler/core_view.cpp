// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/core_view.h"

#include <algorithm>
#include <optional>

#include "hlo/transform/partition_branch.h"

namespace podsim::sw::compiler {

std::vector<CoreView> core_views(const hlo::Module& module) {
  if (module.replicas * module.partitions == 1) return {};
  const hlo::Computation& entry = module.entry_computation();
  const hlo::transform::CallFrame frame{entry};
  std::map<hlo::InstructionId, std::optional<std::vector<int>>> taken;  // by index
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode != hlo::Opcode::conditional) continue;
    const hlo::InstructionId index = instruction.operands.front();
    if (!taken.contains(index)) taken[index] = hlo::transform::branch_of_devices(module, frame, instruction);
  }
  std::map<std::vector<int>, std::int32_t> first;  // core by the branches that it takes
  for (std::int32_t core = 0; core < std::int32_t(module.replicas * module.partitions); ++core) {
    std::vector<int> branches;
    for (const auto& [index, of_cores] : taken) {
      if (of_cores) branches.push_back((*of_cores)[std::size_t(core)]);
    }
    first.try_emplace(std::move(branches), core);
  }
  if (first.size() == 1) return {};
  std::vector<CoreView> views;
  for (const auto& [branches, core] : first) {
    CoreView& view = views.emplace_back(CoreView{core, {}});
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
      if (entry[id].opcode != hlo::Opcode::conditional) continue;
      const auto& of_cores = taken.at(entry[id].operands.front());
      if (of_cores) view.branch_of[id] = (*of_cores)[std::size_t(core)];
    }
  }
  std::ranges::sort(views, {}, &CoreView::core);
  return views;
}

BranchUse use_of_branch(const hlo::Computation& branch) {
  BranchUse use;
  if (branch.parameters.size() != 1) return use;
  const hlo::InstructionId parameter = branch.parameters.front();
  use.reads.assign(branch[parameter].shape.tuple_shapes.size(), false);
  const auto is_element = [&](hlo::InstructionId id) {
    return branch[id].opcode == hlo::Opcode::get_tuple_element && branch[id].operands.front() == parameter;
  };
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(branch.instructions.size()); ++id) {
    if (id == branch.root && branch[id].opcode == hlo::Opcode::tuple) continue;
    for (const hlo::InstructionId operand : branch[id].operands) {
      if (is_element(operand)) use.reads[std::size_t(branch[operand].index)] = true;
      if (operand == parameter && !is_element(id)) use.reads.assign(use.reads.size(), true);
    }
  }
  if (branch[branch.root].opcode != hlo::Opcode::tuple) return use;
  for (const hlo::InstructionId result : branch[branch.root].operands) {
    const hlo::Instruction& made = branch[result];
    const bool is_left = made.opcode == hlo::Opcode::custom_call && made.target == "AllocateBuffer";
    use.results.push_back(is_element(result) ? int(made.index) : is_left ? BranchUse::leaves : BranchUse::makes);
  }
  return use;
}

}  // namespace podsim::sw::compiler
