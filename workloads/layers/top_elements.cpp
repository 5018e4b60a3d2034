// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/top_elements.h"

#include <utility>

namespace podsim::workloads::layers {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

namespace {

/// (a, b, index of a, index of b) -> a > b
hlo::ComputationId higher_first(GraphBuilder& b, hlo::ElementType type) {
  GraphBuilder comparator("higher_first");
  const InstructionId x = comparator.parameter(hlo::make_shape(type, {}), "x");
  const InstructionId y = comparator.parameter(hlo::make_shape(type, {}), "y");
  comparator.parameter(hlo::make_shape(hlo::ElementType::s32, {}), "x_index");
  comparator.parameter(hlo::make_shape(hlo::ElementType::s32, {}), "y_index");
  const InstructionId root = comparator.compare(x, y, hlo::ComparisonDirection::gt);
  return b.computation(std::move(comparator), root);
}

InstructionId first_of_rows(GraphBuilder& b, InstructionId x, std::int64_t count) {
  return b.slice(x, {{0, b.shape(x).dimensions[0], 1}, {0, count, 1}});
}

}  // namespace

TopElements top_elements(GraphBuilder& b, InstructionId scores, std::int64_t count) {
  const std::vector<std::int64_t> sizes = b.shape(scores).dimensions;
  hlo::Instruction sort;
  sort.opcode = hlo::Opcode::sort;
  sort.operands = {scores, b.iota(hlo::make_shape(hlo::ElementType::s32, sizes), 1)};
  sort.dimensions = {1};
  sort.is_stable = true;
  sort.called = {higher_first(b, b.type(scores))};
  const InstructionId sorted = b.add(std::move(sort));
  return {first_of_rows(b, b.get_tuple_element(sorted, 0), count),
          first_of_rows(b, b.get_tuple_element(sorted, 1), count)};
}

InstructionId elements_at(GraphBuilder& b, InstructionId x, InstructionId indices) {
  const std::vector<std::int64_t> sizes = b.shape(x).dimensions, places = b.shape(indices).dimensions;
  hlo::GatherDimensions dimensions;
  dimensions.collapsed = {1};
  dimensions.index_map = {1};
  dimensions.operand_batching = {0};
  dimensions.indices_batching = {0};
  dimensions.index_vector = 2;
  std::vector<std::int64_t> slice{1, 1};
  if (sizes.size() == 3) {
    slice.push_back(sizes[2]);
    dimensions.offset = {2};
  }
  return b.gather(x, b.reshape(indices, {places[0], places[1], 1}), std::move(dimensions), std::move(slice));
}

}  // namespace podsim::workloads::layers
