// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/indexed_op.h.
#include <utility>

#include "hlo/spmd/partition/indexed_op.h"
#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

}  // namespace

/// Along a split dimension, every partition produces the part of the slice that it holds and zeros elsewhere; the sum
/// is the slice.
std::vector<reshard::LocalValue> partition_dynamic_slice(reshard::LocalProgram& program,
                                                         const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  build::GraphBuilder& b = program.builder();
  propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  for (propagate::Factor& factor : rule.factors) {
    if (factor.kind == Kind::special) factor.kind = Kind::reduction;
  }
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::reduction}));
  if (!is_split(rule, split, Kind::reduction)) return {};
  const hlo::InstructionId zero = b.constant(instruction.shape.element_type, 0);
  std::vector<hlo::InstructionId> starts = signed_starts(program, op, 1);
  std::vector<std::int64_t> sizes = instruction.slice_sizes;
  // A slice of one element never reaches beyond the end of the array; a longer one may.
  std::vector<int> longer;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const bool is_summed = !split_along(rule, split, rule.operands[0], d, Kind::reduction).empty();
    if (is_summed && sizes[std::size_t(d)] > 1) longer.push_back(d);
  }
  reshard::LocalValue operand = sharded_operand(program, split, rule.operands[0], op.operands[0]);
  operand = program.masked(operand, zero, longer);
  hlo::InstructionId is_held = -1;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const auto at = std::size_t(d);
    const std::int64_t shard = b.shape(operand.id).dimensions[at];
    if (sizes[at] == operand.shape.dimensions[at]) sizes[at] = shard;
    if (split_along(rule, split, rule.operands[0], d, Kind::reduction).empty()) continue;
    starts[at] = local_start(program, starts[at], operand, d, sizes[at]);
    if (sizes[at] == 1) {
      const hlo::InstructionId is_here = is_within(program, starts[at], shard);
      is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
    } else {
      operand.id = reshard::pad_ends(program, operand.id, d, sizes[at], sizes[at], zero);
      starts[at] = b.add(starts[at], program.s32(sizes[at]));
    }
  }
  hlo::InstructionId result = b.dynamic_slice(operand.id, starts, sizes);
  if (is_held >= 0) result = b.select(b.broadcast(is_held, sizes), result, b.broadcast(zero, sizes));
  return {
      sharded_result(rule, split, 0, result, instruction.shape, selecting_combiner(instruction.shape.element_type))};
}

/// Along a split dimension, every partition writes the part of the update that is in its shard. An update of one
/// element is selected on the partition that holds it; a longer one is written into the shard with margins of the
/// update's length, which are then sliced off.
std::vector<reshard::LocalValue> partition_dynamic_update_slice(reshard::LocalProgram& program,
                                                                const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  build::GraphBuilder& b = program.builder();
  const propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  if (!is_split(rule, split, Kind::special)) return {};
  reshard::LocalValue operand = sharded_operand(program, split, rule.operands[0], op.operands[0]);
  hlo::InstructionId update = sharded_operand(program, split, rule.operands[1], op.operands[1]).id;
  const hlo::InstructionId zero = b.constant(instruction.shape.element_type, 0);
  const std::vector<std::int64_t> shard = b.shape(operand.id).dimensions, sizes = b.shape(update).dimensions;
  std::vector<hlo::InstructionId> starts = signed_starts(program, op, 2);
  std::vector<int> widened;
  hlo::InstructionId is_held = -1;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const auto at = std::size_t(d);
    if (split_along(rule, split, rule.operands[0], d, Kind::special).empty()) continue;
    starts[at] = local_start(program, starts[at], operand, d, sizes[at]);
    if (sizes[at] == 1) {
      const hlo::InstructionId is_here = is_within(program, starts[at], shard[at]);
      is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
    } else {
      operand.id = reshard::pad_ends(program, operand.id, d, sizes[at], sizes[at], zero);
      starts[at] = b.add(starts[at], program.s32(sizes[at]));
      widened.push_back(d);
    }
  }
  if (is_held >= 0) {
    update = b.select(b.broadcast(is_held, sizes), update, b.dynamic_slice(operand.id, starts, sizes));
  }
  hlo::InstructionId result = b.dynamic_update_slice(operand.id, update, starts);
  for (const int d : widened) {
    result = reshard::slice_of(program, result, d, sizes[std::size_t(d)], shard[std::size_t(d)]);
  }
  return {sharded_result(rule, split, 0, result, instruction.shape)};
}

}  // namespace podsim::hlo::spmd::partition
