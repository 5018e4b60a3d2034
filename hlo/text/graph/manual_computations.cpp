// SPDX-License-Identifier: Apache-2.0
#include "hlo/text/graph/manual_computations.h"

#include <map>
#include <ranges>

namespace podsim::hlo::text::graph {
namespace {

/// The instruction whose result, or an element of it, this one is.
InstructionIndex source_of(const Module& module, InstructionIndex index) {
  while (module.instructions[std::size_t(index)].opcode == hlo::Opcode::get_tuple_element) {
    index = module.operands(module.instructions[std::size_t(index)])[0];
  }
  return index;
}

std::string_view frontend_attributes(const Module& module, const Instruction& instruction) {
  const std::string_view* found = find_value(module.attributes_of(instruction), "frontend_attributes");
  return found == nullptr ? std::string_view() : *found;
}

/// The axes that the calls of a computation add, by call: those of the custom calls that make a call's operands or take
/// its results.
std::map<InstructionIndex, AxisNames> axes_of_calls(const Module& module, const Computation& computation,
                                                    ShardyAttributes& shardy) {
  std::map<InstructionIndex, AxisNames> axes;
  for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
    const InstructionIndex index = InstructionIndex(computation.instructions.first + i);
    const Instruction& instruction = module.instructions[std::size_t(index)];
    const bool is_global = custom_call_target(module, instruction) == to_global_target;
    if (instruction.opcode != hlo::Opcode::call && !is_global) continue;
    for (const InstructionIndex operand : module.operands(instruction)) {
      const InstructionIndex source = source_of(module, operand);
      const Instruction& made = module.instructions[std::size_t(source)];
      if (is_global && made.opcode == hlo::Opcode::call) {
        axes[source] = shardy.manual_axes(frontend_attributes(module, instruction));
      } else if (!is_global && custom_call_target(module, made) == to_local_target) {
        axes[index] = shardy.manual_axes(frontend_attributes(module, made));
      }
    }
  }
  return axes;
}

}  // namespace

std::string_view custom_call_target(const Module& module, const Instruction& instruction) {
  if (instruction.opcode != hlo::Opcode::custom_call) return {};
  const std::string_view* target = find_value(module.attributes_of(instruction), "custom_call_target");
  return target == nullptr || target->size() < 2 ? std::string_view() : target->substr(1, target->size() - 2);
}

std::vector<AxisNames> manual_axes(const Module& module, ShardyAttributes& shardy) {
  std::vector<AxisNames> axes(module.computations.size());
  const std::vector<ComputationIndex> callees = callees_first(module);
  for (const ComputationIndex caller : std::views::reverse(callees)) {
    const Computation& computation = module.computations[std::size_t(caller)];
    const AxisNames outer = axes[std::size_t(caller)];
    const std::map<InstructionIndex, AxisNames> added = axes_of_calls(module, computation, shardy);
    for (std::uint32_t i = 0; i < computation.instructions.count; ++i) {
      const InstructionIndex index = InstructionIndex(computation.instructions.first + i);
      const auto own = added.find(index);
      if (outer.empty() && own == added.end()) continue;
      for (const ComputationIndex called : module.called(module.instructions[std::size_t(index)])) {
        AxisNames& all = axes[std::size_t(called)];
        if (!all.empty()) continue;
        all = outer;
        if (own != added.end()) all.insert(all.end(), own->second.begin(), own->second.end());
      }
    }
  }
  return axes;
}

}  // namespace podsim::hlo::text::graph
