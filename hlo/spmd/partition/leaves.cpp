// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/partition/leaves.h"

#include <utility>

namespace podsim::hlo::spmd::partition {

namespace {

void append_leaves(build::GraphBuilder& builder, hlo::InstructionId value, std::vector<hlo::InstructionId>& leaves) {
  if (!builder.shape(value).is_tuple()) return leaves.push_back(value);
  const std::size_t count = builder.shape(value).tuple_shapes.size();
  for (std::size_t i = 0; i < count; ++i) {
    append_leaves(builder, builder.get_tuple_element(value, std::int64_t(i)), leaves);
  }
}

hlo::InstructionId build(build::GraphBuilder& builder, const hlo::Shape& shape,
                         std::span<const hlo::InstructionId> arrays, std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<hlo::InstructionId> elements;
  for (const hlo::Shape& element : shape.tuple_shapes) elements.push_back(build(builder, element, arrays, next));
  return builder.tuple(std::move(elements));
}

hlo::Shape build(const hlo::Shape& shape, std::span<const hlo::Shape> arrays, std::size_t& next) {
  if (!shape.is_tuple()) return arrays[next++];
  std::vector<hlo::Shape> elements;
  for (const hlo::Shape& element : shape.tuple_shapes) elements.push_back(build(element, arrays, next));
  return hlo::make_tuple_shape(std::move(elements));
}

}  // namespace

std::vector<hlo::InstructionId> apart(build::GraphBuilder& builder, hlo::InstructionId value) {
  std::vector<hlo::InstructionId> leaves;
  append_leaves(builder, value, leaves);
  return leaves;
}

hlo::InstructionId together(build::GraphBuilder& builder, const hlo::Shape& shape,
                            std::span<const hlo::InstructionId> arrays) {
  std::size_t next = 0;
  return build(builder, shape, arrays, next);
}

hlo::Shape shape_of(const hlo::Shape& shape, std::span<const hlo::Shape> arrays) {
  std::size_t next = 0;
  return build(shape, arrays, next);
}

}  // namespace podsim::hlo::spmd::partition
