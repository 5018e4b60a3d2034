// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/special_op.h.
#include <array>
#include <utility>

#include "hlo/spmd/partition/special_op.h"
#include "hlo/spmd/propagate/combiner.h"
#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// True if the window covers all elements up to each one (prefix), or all elements from each one (suffix).
bool is_cumulative(const hlo::WindowDimension& window, std::int64_t size, bool is_prefix) {
  return window.size == size && window.stride == 1 && window.base_dilation == 1 && window.window_dilation == 1 &&
         window.padding_low == (is_prefix ? size - 1 : 0) && window.padding_high == (is_prefix ? 0 : size - 1);
}

}  // namespace

std::vector<reshard::LocalValue> partition_cumulative(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  if (instruction.shape.is_tuple()) return {};
  const auto combiner = propagate::simple_combiner(op.module.computations[std::size_t(instruction.called[0])]);
  if (!combiner) return {};
  propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  int dimension = -1;
  bool is_prefix = true;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    const auto at = std::size_t(d);
    const std::int64_t size = instruction.shape.dimensions[at];
    is_prefix = is_cumulative(instruction.window[at], size, true);
    if (size < 2 || (!is_prefix && !is_cumulative(instruction.window[at], size, false))) continue;
    dimension = d;
    break;
  }
  if (dimension < 0) return {};
  const auto along = std::size_t(dimension);
  rule.factors[std::size_t(rule.operands[0][along][0])].kind = Kind::special;
  rule.results[0][along] = rule.operands[0][along];
  const FactorSplit split =
      choose_split(program.mesh(), rule, op, factors_of_kind(rule, {Kind::parallel, Kind::special}));
  const mesh::SubAxes sub_axes = split_along(rule, split, rule.results[0], dimension, Kind::special);
  if (sub_axes.empty()) return {};
  build::GraphBuilder& b = program.builder();
  const hlo::ElementType type = instruction.shape.element_type;
  const hlo::InstructionId identity = propagate::identity_of(b, *combiner, type);
  reshard::LocalValue value = sharded_operand(program, split, rule.operands[0], op.operands[0]);
  value = program.masked(value, identity, std::array{dimension});
  hlo::Instruction local = attributes_of(instruction);
  const std::vector<std::int64_t> sizes = b.shape(value.id).dimensions;
  const std::int64_t shard = sizes[along];
  hlo::WindowDimension& window = local.window[along];
  window.size = shard;
  (is_prefix ? window.padding_low : window.padding_high) = shard - 1;
  local.operands = {value.id, identity};
  local.called = {b.combiner(*combiner, type)};
  const hlo::InstructionId within = b.add(std::move(local));
  // The last element of a prefix sum (the first of a suffix sum) is the total of the shard.
  const hlo::InstructionId total = reshard::slice_of(program, within, dimension, is_prefix ? shard - 1 : 0, 1);
  const hlo::InstructionId totals = program.all_gather(total, sub_axes, dimension);
  const hlo::InstructionId position = program.position(sub_axes), none = program.s32(0);
  const std::int64_t parts = program.mesh().size(sub_axes);
  const hlo::InstructionId from = is_prefix ? b.subtract(none, position) : b.subtract(program.s32(-1), position);
  const hlo::InstructionId others =
      reshard::keep_range(program, totals, dimension, from, is_prefix ? -parts : 0, is_prefix ? 0 : parts, identity);
  const hlo::InstructionId carried = b.reduce(others, op.operands[1].id, {dimension}, b.combiner(*combiner, type));
  std::vector<std::int64_t> kept;
  for (int d = 0; d < instruction.shape.rank(); ++d) {
    if (d != dimension) kept.push_back(d);
  }
  const std::vector<std::int64_t> local_sizes = b.shape(within).dimensions;
  const hlo::InstructionId result = b.binary(*combiner, b.broadcast(carried, local_sizes, kept), within);
  return {sharded_result(rule, split, 0, result, instruction.shape, *combiner)};
}

}  // namespace podsim::hlo::spmd::partition
