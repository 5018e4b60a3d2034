// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/gather.h"

#include <algorithm>
#include <optional>

#include "hlo/eval/index_space.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

bool contains(const std::vector<int>& dimensions, int dimension) {
  return std::ranges::find(dimensions, dimension) != dimensions.end();
}

/// Maps the index of a result (or of the updates) to positions in the operand.
class SliceMap {
 public:
  SliceMap(const GatherDimensions& roles, const Literal& indices, int operand_rank, int result_rank)
      : roles_(roles), indices_(indices), strides_(row_major_strides(indices.shape.dimensions)) {
    for (int i = 0; i < result_rank; ++i) {
      if (!contains(roles.offset, i)) batch_.push_back(i);
    }
    for (int i = 0; i < operand_rank; ++i) {
      if (!contains(roles.collapsed, i) && !contains(roles.operand_batching, i)) window_.push_back(i);
    }
  }

  /// Sets `operand` to the start of the slice that holds the result's index.
  void start(const Index& result, Index& operand) const {
    std::ranges::fill(operand, 0);
    std::int64_t base = 0;
    Index batch(indices_.shape.dimensions.size(), 0);
    std::size_t next = 0;
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (int(i) == roles_.index_vector) continue;
      batch[i] = result[std::size_t(batch_[next++])];
      base += batch[i] * strides_[i];
    }
    const bool scalar = roles_.index_vector == indices_.shape.rank();
    const std::int64_t step = scalar ? 0 : strides_[std::size_t(roles_.index_vector)];
    const ElementType type = indices_.shape.element_type;
    for (std::size_t i = 0; i < roles_.index_map.size(); ++i) {
      const Element index = element_of(indices_, base + std::int64_t(i) * step);
      operand[std::size_t(roles_.index_map[i])] = clipped(type, integer_of(type, index));
    }
    for (std::size_t i = 0; i < roles_.operand_batching.size(); ++i) {
      operand[std::size_t(roles_.operand_batching[i])] = batch[std::size_t(roles_.indices_batching[i])];
    }
  }

  /// Adds the position within the slice: sets the window dimensions of `operand`.
  void offset(const Index& result, Index& operand) const {
    for (std::size_t i = 0; i < window_.size(); ++i) {
      operand[std::size_t(window_[i])] = result[std::size_t(roles_.offset[i])];
    }
  }

 private:
  /// Clamps so that an index far outside stays outside without overflow.
  static std::int64_t clipped(ElementType type, std::int64_t index) {
    constexpr std::int64_t far = std::int64_t(1) << 60;
    if (type == ElementType::u64 && index < 0) return far;
    return std::clamp(index, -far, far);
  }

  const GatherDimensions& roles_;
  const Literal& indices_;
  Index strides_;
  std::vector<int> batch_;   ///< dimensions of the result that come from the indices
  std::vector<int> window_;  ///< dimensions of the operand that a slice keeps
};

std::int64_t position(const Index& index, const Index& strides) {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < index.size(); ++i) sum += index[i] * strides[i];
  return sum;
}

/// Size of one update window in every dimension of the operand.
Index update_window_sizes(const GatherDimensions& roles, const Shape& operand, const Shape& updates) {
  Index sizes(operand.dimensions.size(), 1);
  std::size_t next = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (contains(roles.collapsed, int(i)) || contains(roles.operand_batching, int(i))) continue;
    sizes[i] = updates.dimensions[std::size_t(roles.offset[next++])];
  }
  return sizes;
}

bool fits(const Index& start, const Index& sizes, const Index& dimensions) {
  for (std::size_t i = 0; i < start.size(); ++i) {
    if (start[i] < 0 || start[i] + sizes[i] > dimensions[i]) return false;
  }
  return true;
}

}  // namespace

Literal evaluate_gather(const Instruction& instruction, const Literal& operand, const Literal& indices) {
  Literal result = make_zeros(instruction.shape);
  const Index& dimensions = operand.shape.dimensions;
  const Index strides = row_major_strides(dimensions);
  const SliceMap map(instruction.gather, indices, operand.shape.rank(), result.shape.rank());
  Index start(dimensions.size()), offset(dimensions.size(), 0);
  std::int64_t to = 0;
  for_each_index(result.shape.dimensions, [&](const Index& at) {
    map.start(at, start);
    map.offset(at, offset);
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] = std::clamp<std::int64_t>(start[i], 0, dimensions[i] - instruction.slice_sizes[i]) + offset[i];
    }
    copy_element(result, to++, operand, position(start, strides));
  });
  return result;
}

Literal evaluate_scatter(const Instruction& instruction, std::span<const Literal* const> operands,
                         ScalarFunction combine) {
  const std::size_t count = operands.size() / 2;
  const Literal& indices = *operands[count];
  const Shape& updates = operands[count + 1]->shape;
  std::vector<Literal> results;
  for (std::size_t k = 0; k < count; ++k) results.push_back(*operands[k]);
  const Index& dimensions = operands[0]->shape.dimensions;
  const Index strides = row_major_strides(dimensions);
  const Index sizes = update_window_sizes(instruction.gather, operands[0]->shape, updates);
  const SliceMap map(instruction.gather, indices, int(dimensions.size()), updates.rank());
  Index start(dimensions.size()), offset(dimensions.size(), 0);
  std::vector<Element> arguments(2 * count);
  std::int64_t from = -1;
  for_each_index(updates.dimensions, [&](const Index& at) {
    ++from;
    map.start(at, start);
    if (!fits(start, sizes, dimensions)) return;
    map.offset(at, offset);
    const std::int64_t to = position(start, strides) + position(offset, strides);
    for (std::size_t k = 0; k < count; ++k) {
      arguments[k] = element_of(results[k], to);
      arguments[count + k] = element_of(*operands[count + 1 + k], from);
    }
    combine(arguments, std::span(arguments).first(count));
    for (std::size_t k = 0; k < count; ++k) {
      set_element(results[k], to, rounded(results[k].shape.element_type, arguments[k]));
    }
  });
  if (count == 1) return {instruction.shape, std::move(results[0].values), {}, std::move(results[0].integers)};
  return {instruction.shape, {}, std::move(results)};
}

}  // namespace podsim::hlo::eval
