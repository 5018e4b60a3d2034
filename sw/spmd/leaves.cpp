// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/leaves.h"

#include <utility>

namespace podsim::sw {

namespace {

void append_leaves(GraphBuilder& builder, InstructionId value, std::vector<InstructionId>& leaves) {
  if (!builder.shape(value).is_tuple()) return leaves.push_back(value);
  const std::size_t count = builder.shape(value).tuple_shapes.size();
  for (std::size_t i = 0; i < count; ++i) {
    append_leaves(builder, builder.get_tuple_element(value, std::int64_t(i)), leaves);
  }
}

InstructionId build(GraphBuilder& builder, const Shape& shape, std::span<const InstructionId> arrays,
                    std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<InstructionId> elements;
  for (const Shape& element : shape.tuple_shapes) elements.push_back(build(builder, element, arrays, next));
  return builder.tuple(std::move(elements));
}

Shape build(const Shape& shape, std::span<const Shape> arrays, std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes) elements.push_back(build(element, arrays, next));
  return make_tuple_shape(std::move(elements));
}

}  // namespace

std::vector<InstructionId> apart(GraphBuilder& builder, InstructionId value) {
  std::vector<InstructionId> leaves;
  append_leaves(builder, value, leaves);
  return leaves;
}

InstructionId together(GraphBuilder& builder, const Shape& shape, std::span<const InstructionId> arrays) {
  std::size_t next = 0;
  return build(builder, shape, arrays, next);
}

Shape shape_of(const Shape& shape, std::span<const Shape> arrays) {
  std::size_t next = 0;
  return build(shape, arrays, next);
}

}  // namespace podsim::sw
