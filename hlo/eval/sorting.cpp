// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/sorting.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/host/interrupt.h"
#include "hlo/eval/index_space.h"
#include "hlo/eval/real_function.h"
#include "hlo/eval/whole/integer_function.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

/// Merge sort that accepts any comparator, even one that is not a strict weak order.
template <class Less>
void stable_merge_sort(std::vector<std::int64_t>& order, Less&& less) {
  std::vector<std::int64_t> merged(order.size());
  for (std::size_t width = 1; width < order.size(); width *= 2) {
    for (std::size_t begin = 0; begin < order.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, order.size()), end = std::min(begin + 2 * width, order.size());
      std::size_t left = begin, right = middle;
      for (std::size_t to = begin; to < end; ++to) {
        base::host::end_if_interrupted();
        const bool from_right = left == middle || (right < end && less(order[right], order[left]));
        merged[to] = from_right ? order[right++] : order[left++];
      }
    }
    order.swap(merged);
  }
}

/// Calls visit(base) for the first element of every row along a dimension.
template <class Visit>
void for_each_row(const Shape& shape, std::size_t along, Visit&& visit) {
  const Index strides = row_major_strides(shape.dimensions);
  Index rows = shape.dimensions;
  if (rows[along] == 0) return;
  rows[along] = 1;
  for_each_index(rows, [&](const Index& index) {
    std::int64_t base = 0;
    for (std::size_t i = 0; i < index.size(); ++i) base += index[i] * strides[i];
    visit(base);
  });
}

bool comes_before(ElementType type, Element a, Element b) {
  if (is_integer(type) || type == ElementType::pred) {
    return whole::integer_less(type, integer_of(type, a), integer_of(type, b));
  }
  return totally_less(a.number, b.number);
}

}  // namespace

Literal evaluate_sort(const Instruction& instruction, std::span<const Literal* const> operands, ScalarFunction less) {
  std::vector<Literal> sorted;
  for (const Literal* operand : operands) sorted.push_back(*operand);
  const Shape& shape = operands[0]->shape;
  const auto along = std::size_t(instruction.dimensions[0]);
  const std::int64_t step = row_major_strides(shape.dimensions)[along];
  std::vector<std::int64_t> order(std::size_t(shape.dimensions[along]));
  std::vector<Element> pairs(2 * operands.size());
  for_each_row(shape, along, [&](std::int64_t base) {
    std::iota(order.begin(), order.end(), 0);
    stable_merge_sort(order, [&](std::int64_t a, std::int64_t b) {
      for (std::size_t k = 0; k < operands.size(); ++k) {
        pairs[2 * k] = element_of(*operands[k], base + a * step);
        pairs[2 * k + 1] = element_of(*operands[k], base + b * step);
      }
      Element result;
      less(pairs, std::span(&result, 1));
      return result.number != 0;
    });
    for (std::size_t i = 0; i < order.size(); ++i) {
      for (std::size_t k = 0; k < operands.size(); ++k) {
        copy_element(sorted[k], base + std::int64_t(i) * step, *operands[k], base + order[i] * step);
      }
    }
  });
  if (sorted.size() > 1) return {instruction.shape, {}, std::move(sorted)};
  sorted[0].shape = instruction.shape;
  return std::move(sorted[0]);
}

Literal evaluate_topk(const Instruction& instruction, const Literal& operand) {
  Literal result = make_zeros(instruction.shape);
  const ElementType type = operand.shape.element_type;
  const std::int64_t length = operand.shape.dimensions.back(), kept = instruction.index;
  std::vector<std::int64_t> order(static_cast<std::size_t>(length));
  std::int64_t row = 0;
  for_each_row(operand.shape, operand.shape.dimensions.size() - 1, [&](std::int64_t base) {
    std::iota(order.begin(), order.end(), 0);
    stable_merge_sort(order, [&](std::int64_t a, std::int64_t b) {
      const Element x = element_of(operand, base + a), y = element_of(operand, base + b);
      return instruction.largest ? comes_before(type, y, x) : comes_before(type, x, y);
    });
    for (std::int64_t i = 0; i < kept; ++i) {
      copy_element(result.elements[0], row * kept + i, operand, base + order[std::size_t(i)]);
      result.elements[1].values[std::size_t(row * kept + i)] = double(order[std::size_t(i)]);
    }
    ++row;
  });
  return result;
}

Literal evaluate_top_k_call(const Instruction& call, const Literal& operand, ScalarFunction less) {
  const std::vector<Shape>& shapes = call.shape.tuple_shapes;
  const bool fits = shapes.size() == 2 && operand.shape.rank() > 0 && shapes[0].rank() == operand.shape.rank() &&
                    shapes[0].dimensions.back() <= operand.shape.dimensions.back();
  if (!fits) throw std::logic_error("gives values and their positions along the last dimension");
  const std::int64_t length = operand.shape.dimensions.back();
  Literal positions = make_zeros(make_shape(ElementType::s32, operand.shape.dimensions));
  for (std::size_t i = 0; i < positions.values.size(); ++i) positions.values[i] = double(std::int64_t(i) % length);
  Instruction sort;
  sort.dimensions = {operand.shape.rank() - 1};
  sort.shape = make_tuple_shape({operand.shape, positions.shape});
  const Literal sorted = evaluate_sort(sort, std::array<const Literal*, 2>{&operand, &positions}, std::move(less));
  const Index strides = row_major_strides(operand.shape.dimensions);
  return {call.shape,
          {},
          {gather_affine(shapes[0], sorted.elements[0], 0, strides),
           gather_affine(shapes[1], sorted.elements[1], 0, strides)}};
}

}  // namespace podsim::hlo::eval
