// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sw/spmd/by_position.h"
#include "sw/spmd/indexed_op.h"

namespace podsim::sw {

namespace {

using Kind = Factor::Kind;

/// Dimensions of the result that are those of the indices.
std::vector<std::int64_t> batch_dimensions(const GatherDimensions& roles, int rank) {
  std::vector<std::int64_t> dimensions;
  for (int d = 0; d < rank; ++d) {
    if (std::ranges::find(roles.offset, d) == roles.offset.end()) dimensions.push_back(d);
  }
  return dimensions;
}

/// One component of the index vectors, without their dimension.
InstructionId component_of(LocalProgram& program, const GatherDimensions& roles, InstructionId indices,
                           std::size_t component) {
  GraphBuilder& b = program.builder();
  std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  if (roles.index_vector == int(sizes.size())) return indices;
  sizes.erase(sizes.begin() + roles.index_vector);
  return b.reshape(slice_of(program, indices, roles.index_vector, std::int64_t(component), 1), std::move(sizes));
}

}  // namespace

/// Every partition looks up what it holds and has zeros for the rest: the sum is the result (GSPMD's masked gather).
std::vector<LocalValue> partition_gather(LocalProgram& program, const OpToPartition& op) {
  const Instruction& instruction = op.instruction();
  const GatherDimensions& roles = instruction.gather;
  GraphBuilder& b = program.builder();
  OpRule rule = op_rule(op.module, op.computation, op.id);
  const int rank = op.operands[0].shape.rank();
  std::vector<bool> cuttable = factors_of_kind(rule, {Kind::parallel});
  for (int d = 0; d < rank; ++d) {
    const std::vector<int>& factors = rule.operands[0][std::size_t(d)];
    if (factors.size() != 1 || rule.factors[std::size_t(factors[0])].kind != Kind::special) continue;
    if (instruction.slice_sizes[std::size_t(d)] != 1) continue;
    cuttable[std::size_t(factors[0])] = true;
    rule.factors[std::size_t(factors[0])].kind = Kind::reduction;
  }
  const FactorCuts cuts = choose_cuts(program.mesh(), rule, op, cuttable);
  if (!is_cut(rule, cuts, Kind::reduction)) return {};
  const LocalValue operand = cut_operand(program, cuts, rule.operands[0], op.operands[0]);
  const LocalValue indices = cut_operand(program, cuts, rule.operands[1], op.operands[1]);
  InstructionId places = signed_indices(b, indices.id);
  std::vector<InstructionId> most, offsets;
  for (const int d : roles.index_map) {
    const bool is_summed = !cut_along(rule, cuts, rule.operands[0], d, Kind::reduction).empty();
    most.push_back(program.s32(operand.shape.dimensions[std::size_t(d)] - 1));
    offsets.push_back(is_summed ? program.offset(operand.shape, operand.sharding, d) : program.s32(0));
  }
  places = b.maximum(b.minimum(places, index_vector(program, roles, places, most)), b.full_like(places, 0));
  places = b.subtract(places, index_vector(program, roles, places, offsets));
  const std::vector<std::int64_t> sizes = b.shape(operand.id).dimensions;
  Instruction local = attributes_of(instruction);
  local.operands = {operand.id, places};
  InstructionId is_held = -1;
  for (int d = 0; d < rank; ++d) {
    const auto at = std::size_t(d);
    if (instruction.slice_sizes[at] == operand.shape.dimensions[at]) local.slice_sizes[at] = sizes[at];
    if (cut_along(rule, cuts, rule.operands[0], d, Kind::reduction).empty()) continue;
    const InstructionId place = component_of(program, roles, places, *index_component(roles, d));
    const InstructionId is_here = is_within(program, place, sizes[at]);
    is_held = is_held < 0 ? is_here : b.logical_and(is_held, is_here);
  }
  InstructionId result = b.add(std::move(local));
  const Shape shape = b.shape(result);
  is_held = b.broadcast(is_held, shape.dimensions, batch_dimensions(roles, shape.rank()));
  result = b.select(is_held, result, b.full(shape, 0));
  return {cut_result(rule, cuts, 0, result, instruction.shape, selecting_combiner(shape.element_type))};
}

}  // namespace podsim::sw
