// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/indexed_op.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "sw/spmd/by_position.h"

namespace podsim::sw {

namespace {

InstructionId clamp(GraphBuilder& builder, InstructionId value, InstructionId least, InstructionId most) {
  Instruction instruction;
  instruction.opcode = Opcode::clamp;
  instruction.operands = {least, value, most};
  return builder.add(std::move(instruction));
}

}  // namespace

InstructionId signed_indices(GraphBuilder& builder, InstructionId indices) {
  const ElementType type = builder.type(indices);
  if (type == ElementType::u32 || type == ElementType::s64 || type == ElementType::u64) {
    const InstructionId least = builder.constant(type, type == ElementType::s64 ? -1 : 0);
    const InstructionId most = builder.constant(type, std::numeric_limits<std::int32_t>::max());
    indices = clamp(builder, indices, least, most);
  }
  return builder.convert(indices, ElementType::s32);
}

Opcode selecting_combiner(ElementType type) { return type == ElementType::pred ? Opcode::logical_or : Opcode::add; }

std::optional<std::size_t> index_component(const GatherDimensions& roles, int dimension) {
  const auto found = std::ranges::find(roles.index_map, dimension);
  if (found == roles.index_map.end()) return std::nullopt;
  return std::size_t(found - roles.index_map.begin());
}

InstructionId index_vector(LocalProgram& program, const GatherDimensions& roles, InstructionId indices,
                           const std::vector<InstructionId>& components) {
  GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(indices).dimensions;
  if (roles.index_vector == int(sizes.size())) return b.broadcast(components[0], sizes);
  std::vector<InstructionId> elements;
  for (const InstructionId component : components) elements.push_back(b.reshape(component, {1}));
  const InstructionId vector = elements.size() == 1 ? elements[0] : b.concatenate(std::move(elements), 0);
  return b.broadcast(vector, sizes, {roles.index_vector});
}

std::vector<InstructionId> signed_starts(LocalProgram& program, const OpToPartition& op, std::size_t first) {
  GraphBuilder& b = program.builder();
  const int rank = op.operands[0].shape.rank();
  std::vector<InstructionId> starts;
  for (int d = 0; d < rank; ++d) {
    const bool is_vector = op.operands.size() == first + 1 && op.operands[first].shape.rank() == 1;
    const InstructionId written = op.operands[is_vector ? first : first + std::size_t(d)].id;
    const InstructionId start = is_vector ? b.reshape(slice_of(program, written, 0, d, 1), {}) : written;
    starts.push_back(signed_indices(b, start));
  }
  return starts;
}

InstructionId local_start(LocalProgram& program, InstructionId start, const LocalValue& whole, int dimension,
                          std::int64_t size) {
  GraphBuilder& b = program.builder();
  const InstructionId most = program.s32(whole.shape.dimensions[std::size_t(dimension)] - size);
  return b.subtract(clamp(b, start, program.s32(0), most), program.offset(whole.shape, whole.sharding, dimension));
}

InstructionId is_within(LocalProgram& program, InstructionId index, std::int64_t size) {
  GraphBuilder& b = program.builder();
  const std::vector<std::int64_t> sizes = b.shape(index).dimensions;
  const auto scalar = [&](std::int64_t value) { return b.broadcast(program.s32(value), sizes); };
  return b.logical_and(b.compare(index, scalar(0), ComparisonDirection::ge),
                       b.compare(index, scalar(size), ComparisonDirection::lt));
}

}  // namespace podsim::sw
