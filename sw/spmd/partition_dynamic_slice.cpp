// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "sw/spmd/by_position.h"
#include "sw/spmd/indexed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

}  // namespace

/// Along a cut dimension every partition has what of the slice it holds, and zeros for the rest: the sum is the slice.
std::vector<LocalValue> partition_dynamic_slice(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  GraphBuilder& b = program.builder();
  OpRule rule = op_rule(op.module, op.computation, op.id);
  for (Factor& factor : rule.factors) {
    if (factor.kind == Kind::special) factor.kind = Kind::reduction;
  }
  const FactorCuts cuts =
      choose_cuts(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::reduction}));
  if (!is_cut(rule, cuts, Kind::reduction)) return {};
  const InstructionId zero = b.constant(instruction.shape.element_type, 0);
  std::vector<InstructionId> starts = signed_starts(program, op, 1);
  std::vector<std::int64_t> sizes = instruction.slice_sizes;
  // A single element never lies beyond the array, a longer piece of the slice may.
  std::vector<int> longer;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const bool is_summed = !cut_along(rule, cuts, rule.operands[0], d, Kind::reduction).empty();
    if (is_summed && sizes[std::size_t(d)] > 1) longer.push_back(d);
  }
  LocalValue operand = cut_operand(program, cuts, rule.operands[0], op.operands[0]);
  operand = program.masked(operand, zero, longer);
  InstructionId is_held = -1;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const auto at = std::size_t(d);
    const std::int64_t shard = b.shape(operand.id).dimensions[at];
    if (sizes[at] == operand.shape.dimensions[at]) sizes[at] = shard;
    if (cut_along(rule, cuts, rule.operands[0], d, Kind::reduction).empty()) continue;
    starts[at] = local_start(program, starts[at], operand, d, sizes[at]);
    if (sizes[at] == 1) {
      const InstructionId is_here = is_within(program, starts[at], shard);
      is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
    } else {
      operand.id = pad_ends(program, operand.id, d, sizes[at], sizes[at], zero);
      starts[at] = b.add(starts[at], program.s32(sizes[at]));
    }
  }
  InstructionId result = b.dynamic_slice(operand.id, starts, sizes);
  if (is_held >= 0) result = b.select(b.broadcast(is_held, sizes), result, b.broadcast(zero, sizes));
  return {cut_result(rule, cuts, 0, result, instruction.shape, selecting_combiner(instruction.shape.element_type))};
}

/// Along a cut dimension every partition writes what of the update falls into its shard: a single element is written
/// where it lies and leaves other shards as they are; a longer update is written into a shard with margins as long,
/// which are cut off again.
std::vector<LocalValue> partition_dynamic_update_slice(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  GraphBuilder& b = program.builder();
  const OpRule rule = op_rule(op.module, op.computation, op.id);
  const FactorCuts cuts = choose_cuts(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  if (!is_cut(rule, cuts, Kind::special)) return {};
  LocalValue operand = cut_operand(program, cuts, rule.operands[0], op.operands[0]);
  InstructionId update = cut_operand(program, cuts, rule.operands[1], op.operands[1]).id;
  const InstructionId zero = b.constant(instruction.shape.element_type, 0);
  const std::vector<std::int64_t> shard = b.shape(operand.id).dimensions, sizes = b.shape(update).dimensions;
  std::vector<InstructionId> starts = signed_starts(program, op, 2);
  std::vector<int> widened;
  InstructionId is_held = -1;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const auto at = std::size_t(d);
    if (cut_along(rule, cuts, rule.operands[0], d, Kind::special).empty()) continue;
    starts[at] = local_start(program, starts[at], operand, d, sizes[at]);
    if (sizes[at] == 1) {
      const InstructionId is_here = is_within(program, starts[at], shard[at]);
      is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
    } else {
      operand.id = pad_ends(program, operand.id, d, sizes[at], sizes[at], zero);
      starts[at] = b.add(starts[at], program.s32(sizes[at]));
      widened.push_back(d);
    }
  }
  if (is_held >= 0) {
    update = b.select(b.broadcast(is_held, sizes), update, b.dynamic_slice(operand.id, starts, sizes));
  }
  InstructionId result = b.dynamic_update_slice(operand.id, update, starts);
  for (const int d : widened) {
    result = slice_of(program, result, d, sizes[std::size_t(d)], shard[std::size_t(d)]);
  }
  return {cut_result(rule, cuts, 0, result, instruction.shape)};
}

}  // namespace podsim::sw
