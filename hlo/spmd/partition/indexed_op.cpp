// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/indexed_op.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "hlo/spmd/reshard/by_position.h"

namespace podsim::hlo::spmd::partition {

namespace {

hlo::InstructionId clamp(build::GraphBuilder& builder, hlo::InstructionId value, hlo::InstructionId least,
                         hlo::InstructionId most) {
  hlo::Instruction instruction;
  instruction.opcode = hlo::Opcode::clamp;
  instruction.operands = {least, value, most};
  return builder.add(std::move(instruction));
}

}  // namespace

hlo::InstructionId signed_indices(build::GraphBuilder& builder, hlo::InstructionId indices) {
  const hlo::ElementType type = builder.type(indices);
  if (type == hlo::ElementType::u32 || type == hlo::ElementType::s64 || type == hlo::ElementType::u64) {
    const hlo::InstructionId least = builder.constant(type, type == hlo::ElementType::s64 ? -1 : 0);
    const hlo::InstructionId most = builder.constant(type, std::numeric_limits<std::int32_t>::max());
    indices = clamp(builder, indices, least, most);
  }
  return builder.convert(indices, hlo::ElementType::s32);
}

hlo::Opcode selecting_combiner(hlo::ElementType type) {
  return type == hlo::ElementType::pred ? hlo::Opcode::logical_or : hlo::Opcode::add;
}

std::optional<std::size_t> index_component(const hlo::GatherDimensions& roles, int dimension) {
  const auto found = std::ranges::find(roles.index_map, dimension);
  if (found == roles.index_map.end()) return std::nullopt;
  return std::size_t(found - roles.index_map.begin());
}

hlo::InstructionId index_vector(reshard::LocalProgram& program, const hlo::GatherDimensions& roles,
                                hlo::InstructionId indices, const std::vector<hlo::InstructionId>& components) {
  build::GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  if (roles.index_vector == int(sizes.size())) return b.broadcast(components[0], sizes);
  std::vector<hlo::InstructionId> elements;
  for (const hlo::InstructionId component : components) elements.push_back(b.reshape(component, {1}));
  const hlo::InstructionId vector = elements.size() == 1 ? elements[0] : b.concatenate(std::move(elements), 0);
  return b.broadcast(vector, sizes, {roles.index_vector});
}

std::vector<hlo::InstructionId> signed_starts(reshard::LocalProgram& program, const partition::OpToPartition& op,
                                              std::size_t first) {
  build::GraphBuilder& b = program.builder();
  const int rank = op.operands[0].shape.rank();
  std::vector<hlo::InstructionId> starts;
  for (int d = 0; d < rank; ++d) {
    const bool is_vector = op.operands.size() == first + 1 && op.operands[first].shape.rank() == 1;
    const hlo::InstructionId written = op.operands[is_vector ? first : first + std::size_t(d)].id;
    const hlo::InstructionId start = is_vector ? b.reshape(reshard::slice_of(program, written, 0, d, 1), {}) : written;
    starts.push_back(signed_indices(b, start));
  }
  return starts;
}

hlo::InstructionId local_start(reshard::LocalProgram& program, hlo::InstructionId start,
                               const reshard::LocalValue& whole, int dimension, std::int64_t size) {
  build::GraphBuilder& b = program.builder();
  const hlo::InstructionId most = program.s32(whole.shape.dimensions[std::size_t(dimension)] - size);
  return b.subtract(clamp(b, start, program.s32(0), most), program.offset(whole.shape, whole.sharding, dimension));
}

hlo::InstructionId is_within(reshard::LocalProgram& program, hlo::InstructionId index, std::int64_t size) {
  build::GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(index).dimensions;
  const auto scalar = [&](std::int64_t value) { return b.broadcast(program.s32(value), sizes); };
  return b.logical_and(b.compare(index, scalar(0), hlo::ComparisonDirection::ge),
                       b.compare(index, scalar(size), hlo::ComparisonDirection::lt));
}

}  // namespace podsim::hlo::spmd::partition
