// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/windowed_op.h.
#include <utility>

#include "hlo/spmd/partition/windowed_op.h"
#include "hlo/spmd/propagate/combiner.h"
#include "hlo/spmd/reshard/local_window.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

}  // namespace

std::vector<reshard::LocalValue> partition_reduce_window(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  // Elements outside of the array are filled with the combiner's identity, which only simple combiners have.
  if (instruction.shape.is_tuple()) return {};
  const std::optional<hlo::Opcode> combiner =
      propagate::simple_combiner(op.module.computations[std::size_t(instruction.called[0])]);
  if (!combiner) return {};
  const propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::reduction, Kind::shifted}));
  if (!is_split(rule, split, Kind::shifted)) return {};
  build::GraphBuilder& b = program.builder();
  const hlo::InstructionId fill = propagate::identity_of(b, *combiner, instruction.shape.element_type);
  std::vector<int> windowed;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const bool moves = !split_along(rule, split, rule.operands[0], d, Kind::shifted).empty();
    if (moves || !split_along(rule, split, rule.operands[0], d, Kind::reduction).empty()) windowed.push_back(d);
  }
  reshard::LocalValue value = sharded_operand(program, split, rule.operands[0], op.operands[0], windowed);
  hlo::Instruction local = attributes_of(instruction);
  std::vector<reshard::LocalWindow> windows;
  for (const int d : windowed) {
    const auto at = std::size_t(d), factor = std::size_t(rule.operands[0][at][0]);
    const std::int64_t parts = program.mesh().size(split[factor]);
    // A window that covers its dimension is split like the kernel of a weight gradient.
    const bool covers = rule.factors[factor].kind == Kind::reduction;
    windows.push_back(covers ? *reshard::split_kernel(instruction.window[at], instruction.shape.dimensions[at], parts)
                             : reshard::split_outputs(instruction.window[at], instruction.shape.dimensions[at], parts));
    value.id = reshard::take_window(program, value, d, split[factor], windows.back().input, fill);
    local.window[at] = windows.back().window;
  }
  // The initial value counts once.
  hlo::InstructionId initial = op.operands[1].id;
  if (const mesh::SubAxes reduced = reduced_sub_axes(rule, split); !reduced.empty()) {
    initial =
        b.select(b.compare(program.position(reduced), program.s32(0), hlo::ComparisonDirection::eq), initial, fill);
  }
  local.operands = {value.id, initial};
  local.called = {b.combiner(*combiner, instruction.shape.element_type)};
  hlo::InstructionId result = b.add(std::move(local));
  for (std::size_t i = 0; i < windowed.size(); ++i) {
    const auto factor = std::size_t(rule.operands[0][std::size_t(windowed[i])][0]);
    result = reshard::kept_outputs(program, result, windowed[i], split[factor], windows[i]);
  }
  return {sharded_result(rule, split, 0, result, instruction.shape, *combiner)};
}

}  // namespace podsim::hlo::spmd::partition
