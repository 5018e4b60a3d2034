// SPDX-License-Identifier: Apache-2.0
// Part of hlo/spmd/partition/indexed_op.h.
#include <algorithm>
#include <utility>

#include "hlo/spmd/partition/indexed_op.h"
#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::partition {

namespace {

using Kind = propagate::Factor::Kind;

/// Dimensions of the result that come from the indices.
std::vector<std::int64_t> batch_dimensions(const hlo::GatherDimensions& roles, int rank) {
  std::vector<std::int64_t> dimensions;
  for (int d = 0; d < rank; ++d) {
    if (std::ranges::find(roles.offset, d) == roles.offset.end()) dimensions.push_back(d);
  }
  return dimensions;
}

/// One component of the index vectors, without the dimension of the vectors.
hlo::InstructionId component_of(reshard::LocalProgram& program, const hlo::GatherDimensions& roles,
                                hlo::InstructionId indices, std::size_t component) {
  build::GraphBuilder& b = program.builder();
  std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  if (roles.index_vector == int(sizes.size())) return indices;
  sizes.erase(sizes.begin() + roles.index_vector);
  return b.reshape(reshard::slice_of(program, indices, roles.index_vector, std::int64_t(component), 1),
                   std::move(sizes));
}

}  // namespace

/// Every partition looks up the rows that it holds and produces zeros for the others; the sum is the result (GSPMD's
/// masked gather).
std::vector<reshard::LocalValue> partition_gather(reshard::LocalProgram& program, const partition::OpToPartition& op) {
  const hlo::Instruction& instruction = op.instruction();
  const hlo::GatherDimensions& roles = instruction.gather;
  build::GraphBuilder& b = program.builder();
  propagate::OpRule rule = propagate::op_rule(op.module, op.computation, op.id);
  const int rank = op.operands[0].shape.rank();
  std::vector<bool> splittable = factors_of_kind(rule, {Kind::parallel});
  for (int d = 0; d < rank; ++d) {
    const std::vector<int>& factors = rule.operands[0][std::size_t(d)];
    if (factors.size() != 1 || rule.factors[std::size_t(factors[0])].kind != Kind::special) continue;
    if (instruction.slice_sizes[std::size_t(d)] != 1) continue;
    splittable[std::size_t(factors[0])] = true;
    rule.factors[std::size_t(factors[0])].kind = Kind::reduction;
  }
  const FactorSplit split = choose_split(program.mesh(), rule, op, splittable);
  if (!is_split(rule, split, Kind::reduction)) return {};
  const reshard::LocalValue operand = sharded_operand(program, split, rule.operands[0], op.operands[0]);
  const reshard::LocalValue indices = sharded_operand(program, split, rule.operands[1], op.operands[1]);
  hlo::InstructionId places = signed_indices(b, indices.id);
  std::vector<hlo::InstructionId> most, offsets;
  for (const int d : roles.index_map) {
    const bool is_summed = !split_along(rule, split, rule.operands[0], d, Kind::reduction).empty();
    most.push_back(program.s32(operand.shape.dimensions[std::size_t(d)] - 1));
    offsets.push_back(is_summed ? program.offset(operand.shape, operand.sharding, d) : program.s32(0));
  }
  places = b.maximum(b.minimum(places, index_vector(program, roles, places, most)), b.full_like(places, 0));
  places = b.subtract(places, index_vector(program, roles, places, offsets));
  const std::vector<std::int64_t> sizes = b.shape(operand.id).dimensions;
  hlo::Instruction local = attributes_of(instruction);
  local.operands = {operand.id, places};
  hlo::InstructionId is_held = -1;
  for (int d = 0; d < rank; ++d) {
    const auto at = std::size_t(d);
    if (instruction.slice_sizes[at] == operand.shape.dimensions[at]) local.slice_sizes[at] = sizes[at];
    if (split_along(rule, split, rule.operands[0], d, Kind::reduction).empty()) continue;
    const hlo::InstructionId place = component_of(program, roles, places, *index_component(roles, d));
    const hlo::InstructionId is_here = is_within(program, place, sizes[at]);
    is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
  }
  hlo::InstructionId result = b.add(std::move(local));
  const hlo::Shape shape = b.shape(result);
  is_held = b.broadcast(is_held, shape.dimensions, batch_dimensions(roles, shape.rank()));
  result = b.select(is_held, result, b.full(shape, 0));
  return {sharded_result(rule, split, 0, result, instruction.shape, selecting_combiner(shape.element_type))};
}

}  // namespace podsim::hlo::spmd::partition
