// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sw/spmd/combiner.h"
#include "sw/spmd/window_cut.h"
#include "sw/spmd/windowed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

}  // namespace

std::vector<LocalValue> partition_reduce_window(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  // What lies outside is filled with what changes nothing, which only simple combiners have.
  if (instruction.shape.is_tuple()) return {};
  const std::optional<Opcode> combiner = simple_combiner(op.module.computations[std::size_t(instruction.called[0])]);
  if (!combiner) return {};
  const OpRule rule = op_rule(op.module, op.computation, op.id);
  const FactorCuts cuts =
      choose_cuts(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::reduction, Kind::shifted}));
  if (!is_cut(rule, cuts, Kind::shifted)) return {};
  GraphBuilder& b = program.builder();
  const InstructionId fill = identity_of(b, *combiner, instruction.shape.element_type);
  std::vector<int> windowed;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const bool moves = !cut_along(rule, cuts, rule.operands[0], d, Kind::shifted).empty();
    if (moves || !cut_along(rule, cuts, rule.operands[0], d, Kind::reduction).empty()) windowed.push_back(d);
  }
  LocalValue value = cut_operand(program, cuts, rule.operands[0], op.operands[0], windowed);
  Instruction local = attributes_of(instruction);
  std::vector<WindowCut> windows;
  for (const int d : windowed) {
    const auto at = std::size_t(d), factor = std::size_t(rule.operands[0][at][0]);
    const std::int64_t parts = program.mesh().size(cuts[factor]);
    // A window that covers its dimension moves over the shards as the kernel of a sum over places does.
    const bool covers = rule.factors[factor].kind == Kind::reduction;
    windows.push_back(covers ? *cut_along_window(instruction.window[at], instruction.shape.dimensions[at], parts)
                             : cut_along_outputs(instruction.window[at], instruction.shape.dimensions[at], parts));
    value.id = take_window(program, value, d, cuts[factor], windows.back().input, fill);
    local.window[at] = windows.back().window;
  }
  // The initial value counts once.
  InstructionId initial = op.operands[1].id;
  if (const SubAxes reduced = reduced_sub_axes(rule, cuts); !reduced.empty()) {
    initial = b.select(b.compare(program.position(reduced), program.s32(0), ComparisonDirection::eq), initial, fill);
  }
  local.operands = {value.id, initial};
  local.called = {b.combiner(*combiner, instruction.shape.element_type)};
  InstructionId result = b.add(std::move(local));
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    const auto factor = std::size_t(rule.operands[0][std::size_t(windowed[i])][0]);
    result = kept_outputs(program, result, windowed[i], cuts[factor], windows[i]);
  }
  return {cut_result(rule, cuts, 0, result, instruction.shape, *combiner)};
}

}  // namespace podsim::sw
