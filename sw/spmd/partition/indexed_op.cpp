// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/indexed_op.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/spmd/reshard/by_position.h"

namespace podsim::sw::spmd::partition {

namespace {

ir::InstructionId clamp(ir::build::GraphBuilder& builder, ir::InstructionId value, ir::InstructionId least,
                        ir::InstructionId most) {
  ir::Instruction instruction;
  instruction.opcode = ir::Opcode::clamp;
  instruction.operands = {least, value, most};
  return builder.add(std::move(instruction));
}

}  // namespace

ir::InstructionId signed_indices(ir::build::GraphBuilder& builder, ir::InstructionId indices) {
  const ir::ElementType type = builder.type(indices);
  if (type == ir::ElementType::u32 || type == ir::ElementType::s64 || type == ir::ElementType::u64) {
    const ir::InstructionId least = builder.constant(type, type == ir::ElementType::s64 ? -1 : 0);
    const ir::InstructionId most = builder.constant(type, std::numeric_limits<std::int32_t>::max());
    indices = clamp(builder, indices, least, most);
  }
  return builder.convert(indices, ir::ElementType::s32);
}

ir::Opcode selecting_combiner(ir::ElementType type) {
  return type == ir::ElementType::pred ? ir::Opcode::logical_or : ir::Opcode::add;
}

std::optional<std::size_t> index_component(const ir::GatherDimensions& roles, int dimension) {
  const auto found = std::ranges::find(roles.index_map, dimension);
  if (found == roles.index_map.end()) return std::nullopt;
  return std::size_t(found - roles.index_map.begin());
}

ir::InstructionId index_vector(reshard::LocalProgram& program, const ir::GatherDimensions& roles,
                               ir::InstructionId indices, const std::vector<ir::InstructionId>& components) {
  ir::build::GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  if (roles.index_vector == int(sizes.size())) return b.broadcast(components[0], sizes);
  std::vector<ir::InstructionId> elements;
  for (const ir::InstructionId component : components) elements.push_back(b.reshape(component, {1}));
  const ir::InstructionId vector = elements.size() == 1 ? elements[0] : b.concatenate(std::move(elements), 0);
  return b.broadcast(vector, sizes, {roles.index_vector});
}

std::vector<ir::InstructionId> signed_starts(reshard::LocalProgram& program, const partition::OpToPartition& op,
                                             std::size_t first) {
  ir::build::GraphBuilder& b = program.builder();
  const int rank = op.operands[0].shape.rank();
  std::vector<ir::InstructionId> starts;
  for (int d = 0; d < rank; ++d) {
    const bool is_vector = op.operands.size() == first + 1 && op.operands[first].shape.rank() == 1;
    const ir::InstructionId written = op.operands[is_vector ? first : first + std::size_t(d)].id;
    const ir::InstructionId start = is_vector ? b.reshape(reshard::slice_of(program, written, 0, d, 1), {}) : written;
    starts.push_back(signed_indices(b, start));
  }
  return starts;
}

ir::InstructionId local_start(reshard::LocalProgram& program, ir::InstructionId start, const reshard::LocalValue& whole,
                              int dimension, std::int64_t size) {
  ir::build::GraphBuilder& b = program.builder();
  const ir::InstructionId most = program.s32(whole.shape.dimensions[std::size_t(dimension)] - size);
  return b.subtract(clamp(b, start, program.s32(0), most), program.offset(whole.shape, whole.sharding, dimension));
}

ir::InstructionId is_within(reshard::LocalProgram& program, ir::InstructionId index, std::int64_t size) {
  ir::build::GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(index).dimensions;
  const auto scalar = [&](std::int64_t value) { return b.broadcast(program.s32(value), sizes); };
  return b.logical_and(b.compare(index, scalar(0), ir::ComparisonDirection::ge),
                       b.compare(index, scalar(size), ir::ComparisonDirection::lt));
}

}  // namespace podsim::sw::spmd::partition
