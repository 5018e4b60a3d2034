// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/partition/leaves.h"

#include <utility>

namespace podsim::sw::spmd::partition {

namespace {

void append_leaves(ir::build::GraphBuilder& builder, ir::InstructionId value, std::vector<ir::InstructionId>& leaves) {
  if (!builder.shape(value).is_tuple()) return leaves.push_back(value);
  const std::size_t count = builder.shape(value).tuple_shapes.size();
  for (std::size_t i = 0; i < count; ++i) {
    append_leaves(builder, builder.get_tuple_element(value, std::int64_t(i)), leaves);
  }
}

ir::InstructionId build(ir::build::GraphBuilder& builder, const ir::Shape& shape,
                        std::span<const ir::InstructionId> arrays, std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<ir::InstructionId> elements;
  for (const ir::Shape& element : shape.tuple_shapes) elements.push_back(build(builder, element, arrays, next));
  return builder.tuple(std::move(elements));
}

ir::Shape build(const ir::Shape& shape, std::span<const ir::Shape> arrays, std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<ir::Shape> elements;
  for (const ir::Shape& element : shape.tuple_shapes) elements.push_back(build(element, arrays, next));
  return ir::make_tuple_shape(std::move(elements));
}

}  // namespace

std::vector<ir::InstructionId> apart(ir::build::GraphBuilder& builder, ir::InstructionId value) {
  std::vector<ir::InstructionId> leaves;
  append_leaves(builder, value, leaves);
  return leaves;
}

ir::InstructionId together(ir::build::GraphBuilder& builder, const ir::Shape& shape,
                           std::span<const ir::InstructionId> arrays) {
  std::size_t next = 0;
  return build(builder, shape, arrays, next);
}

ir::Shape shape_of(const ir::Shape& shape, std::span<const ir::Shape> arrays) {
  std::size_t next = 0;
  return build(shape, arrays, next);
}

}  // namespace podsim::sw::spmd::partition
