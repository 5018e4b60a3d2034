// SPDX-License-Identifier: Apache-2.0
#include "hlo/rules/gather_shape.h"

#include <algorithm>

#include "hlo/rules/reduction_shape.h"

namespace podsim::hlo::rules {

namespace {

bool contains(const std::vector<int>& dimensions, int dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

/// Checks the indices and the operand's dimensions for both gather and scatter.
void require_dimension_numbers(const GatherDimensions& roles, const Shape& operand, const Shape& indices) {
  require(is_integer(indices.element_type), "indices are integers");
  require(roles.index_vector >= 0 && roles.index_vector <= indices.rank(), "index_vector_dim out of range");
  const std::int64_t length =
      roles.index_vector < indices.rank() ? indices.dimensions[std::size_t(roles.index_vector)] : 1;
  require(std::int64_t(roles.index_map.size()) == length, "the index map and the index vectors differ in length");
  require(distinct_dimensions(roles.index_map, operand.rank()), "bad index map");
  std::vector<int> dropped = roles.collapsed;
  dropped.insert(dropped.end(), roles.operand_batching.begin(), roles.operand_batching.end());
  require(distinct_dimensions(dropped, operand.rank()), "bad collapsed, inserted or batching dimensions");
  require(roles.operand_batching.size() == roles.indices_batching.size() &&
              distinct_dimensions(roles.indices_batching, indices.rank()),
          "bad batching dimensions of the indices");
  for (std::size_t i = 0; i < roles.operand_batching.size(); ++i) {
    require(roles.indices_batching[i] != roles.index_vector &&
                operand.dimensions[std::size_t(roles.operand_batching[i])] ==
                    indices.dimensions[std::size_t(roles.indices_batching[i])],
            "batching dimensions of different sizes");
    require(!contains(roles.index_map, roles.operand_batching[i]), "a batching dimension has no index");
  }
}

/// Dimensions of a result (updates): the slice's at roles.offset, those of the indices in between.
std::vector<std::int64_t> interleave(const GatherDimensions& roles, const Shape& indices,
                                     const std::vector<std::int64_t>& slice) {
  std::vector<std::int64_t> batch;
  for (int i = 0; i < indices.rank(); ++i) {
    if (i != roles.index_vector) batch.push_back(indices.dimensions[std::size_t(i)]);
  }
  const int rank = int(batch.size() + slice.size());
  require(roles.offset.size() == slice.size() && distinct_dimensions(roles.offset, rank) &&
              std::ranges::is_sorted(roles.offset),
          "bad offset or window dimensions");
  std::vector<std::int64_t> dimensions;
  std::size_t next_batch = 0, next_slice = 0;
  for (int i = 0; i < rank; ++i) {
    dimensions.push_back(contains(roles.offset, i) ? slice[next_slice++] : batch[next_batch++]);
  }
  return dimensions;
}

}  // namespace

Shape infer_gather(const Instruction& instruction, OperandShapes operands) {
  require_count(operands, 2);
  const Shape& operand = *operands[0];
  const GatherDimensions& roles = instruction.gather;
  require_array(operand);
  require_dimension_numbers(roles, operand, *operands[1]);
  require(int(instruction.slice_sizes.size()) == operand.rank(), "slices another number of dimensions");
  std::vector<std::int64_t> slice;
  for (int i = 0; i < operand.rank(); ++i) {
    const std::int64_t size = instruction.slice_sizes[std::size_t(i)];
    require(0 <= size && size <= operand.dimensions[std::size_t(i)], "the slice is larger than the operand");
    const bool dropped = contains(roles.collapsed, i) || contains(roles.operand_batching, i);
    require(!dropped || size <= 1, "a dimension that is dropped has size 1 in a slice");
    if (!dropped) slice.push_back(size);
  }
  return make_shape(operand.element_type, interleave(roles, *operands[1], slice));
}

Shape infer_scatter(const Instruction& instruction, OperandShapes operands, Computations computations) {
  require(operands.size() % 2 == 1 && operands.size() >= 3, "takes as many updates as operands, and indices");
  const std::size_t count = operands.size() / 2;
  const GatherDimensions& roles = instruction.gather;
  const Shape& operand = *operands[0];
  const Shape& indices = *operands[count];
  const Shape& updates = *operands[count + 1];
  std::vector<ElementType> types;
  for (std::size_t i = 0; i < count; ++i) {
    require_array(*operands[i]);
    require(operands[i]->dimensions == operand.dimensions, "operands have different dimensions");
    require(operands[count + 1 + i]->dimensions == updates.dimensions, "updates have different dimensions");
    require(similar(operands[count + 1 + i]->element_type, operands[i]->element_type), "updates have another type");
    types.push_back(operands[i]->element_type);
  }
  require_combiner(called_computation(instruction, 0, computations), types);
  require_dimension_numbers(roles, operand, indices);
  require(distinct_dimensions(roles.offset, updates.rank()), "bad window dimensions");
  std::vector<std::int64_t> window;
  for (const int dimension : roles.offset) window.push_back(updates.dimensions[std::size_t(dimension)]);
  std::size_t next = 0;
  for (int i = 0; i < operand.rank(); ++i) {
    if (contains(roles.collapsed, i) || contains(roles.operand_batching, i)) continue;
    require(next < window.size() && window[next] <= operand.dimensions[std::size_t(i)],
            "the updates' windows do not fit into the operand");
    ++next;
  }
  require(next == window.size(), "the updates' windows have another rank than the operand");
  require(interleave(roles, indices, window) == updates.dimensions, "the updates' dimensions are not the indices'");
  return operands_together(operands.first(count));
}

}  // namespace podsim::hlo::rules
