// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/step_ops.h"

#include <map>
#include <utility>

#include "sw/codegen/fusion/fusion_kernel.h"
#include "sw/codegen/fusion/no_code.h"

namespace podsim::validation::kernels {

namespace {

using Place = std::pair<hlo::ComputationId, hlo::InstructionId>;

/// Where the executed instructions of a module are, by name.
std::map<std::string, Place> places_of(const hlo::Module& module) {
  std::map<std::string, Place> found;
  const std::vector<bool> executed = hlo::executed_computations(module);
  for (hlo::ComputationId c = 0; c < hlo::ComputationId(module.computations.size()); ++c) {
    if (!executed[std::size_t(c)]) continue;
    const hlo::Computation& computation = module.computations[std::size_t(c)];
    for (hlo::InstructionId id = 0; id < hlo::InstructionId(computation.instructions.size()); ++id)
      found.emplace(computation[id].name, Place(c, id));
  }
  return found;
}

}  // namespace

std::vector<StepOp> ops_of(const sw::driver::Step& step) {
  const std::map<std::string, Place> places = places_of(step.module);
  std::vector<StepOp> ops;
  std::map<int, std::size_t> known;
  for (int i = 0; i < int(step.program.items.size()); ++i) {
    const sw::compiler::ProgramItem& item = step.program.items[std::size_t(i)];
    if (item.kind != sw::compiler::ProgramItem::Kind::op || item.phase == hlo::AsyncPhase::done) continue;
    const auto place = places.find(item.hlo_name);
    if (place == places.end()) continue;
    const auto [found, is_new] = known.try_emplace(item.index, ops.size());
    if (is_new) {
      ops.push_back(
          {item.hlo_name, item.category, item.op_name, place->second.first, place->second.second, 0, item.index});
    }
    ops[found->second].executions += step.program.executions(i);
  }
  return ops;
}

std::map<std::string, std::size_t> op_numbers(const sw::driver::Step& step, const std::vector<StepOp>& ops) {
  std::map<int, std::size_t> of_compiled;
  for (std::size_t i = 0; i < ops.size(); ++i) of_compiled[ops[i].compiled] = i;
  std::map<std::string, std::size_t> numbers;
  for (const sw::compiler::ProgramItem& item : step.program.items) {
    if (item.kind != sw::compiler::ProgramItem::Kind::op) continue;
    if (const auto found = of_compiled.find(item.index); found != of_compiled.end())
      numbers[item.hlo_name] = found->second;
  }
  return numbers;
}

std::string cause_of_no_code(const hlo::Module& module, const StepOp& op) {
  try {
    sw::codegen::fusion::check_fusion(module, module.computations[std::size_t(op.computation)], op.id);
  } catch (const sw::codegen::fusion::NoCode& none) {
    return none.cause();
  }
  return "";
}

}  // namespace podsim::validation::kernels
