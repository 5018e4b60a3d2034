// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/reduction.h"

#include <algorithm>

#include "sw/graph/index_space.h"

namespace podsim::sw {

namespace {

using Index = std::vector<std::int64_t>;

void round_all(Literal& literal) {
  for (double& value : literal.values) value = round_to(literal.shape.element_type, value);
}

/// Calls visit(position) for every operand element in the window at `place`, in row-major order of the window.
template <class Visit>
void for_each_in_window(const Instruction& instruction, const Shape& shape, const Index& window_sizes,
                        const Index& strides, const Index& place, Visit&& visit) {
  for_each_index(window_sizes, [&](const Index& at) {
    std::int64_t position = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const WindowDimension& window = instruction.window[i];
      const std::int64_t dilated = place[i] * window.stride + at[i] * window.window_dilation - window.padding_low;
      if (dilated < 0 || dilated % window.base_dilation != 0) return;
      const std::int64_t from = dilated / window.base_dilation;
      if (from >= shape.dimensions[i]) return;
      position += from * strides[i];
    }
    visit(position);
  });
}

Index window_sizes(const Instruction& instruction) {
  Index sizes;
  for (const WindowDimension& window : instruction.window) sizes.push_back(window.size);
  return sizes;
}

}  // namespace

Literal evaluate_reduce(const Instruction& instruction, const Literal& operand, const Literal& initial,
                        const ScalarFunction& combine) {
  Literal result{instruction.shape, std::vector<double>(instruction.shape.element_count(), initial.values[0]), {}};
  const Index kept_strides = row_major_strides(result.shape.dimensions);
  Index strides(operand.shape.rank(), 0);
  std::size_t kept = 0;
  for (int i = 0; i < operand.shape.rank(); ++i) {
    if (std::ranges::count(instruction.dimensions, i) == 0) strides[i] = kept_strides[kept++];
  }
  std::size_t position = 0;
  for_each_index(operand.shape.dimensions, [&](const Index& index) {
    std::int64_t to = 0;
    for (std::size_t i = 0; i < index.size(); ++i) to += index[i] * strides[i];
    result.values[to] = combine(result.values[to], operand.values[position++]);
  });
  round_all(result);
  return result;
}

Literal evaluate_reduce_window(const Instruction& instruction, const Literal& operand, const Literal& initial,
                               const ScalarFunction& combine) {
  Literal result{instruction.shape, std::vector<double>(instruction.shape.element_count(), initial.values[0]), {}};
  const Index strides = row_major_strides(operand.shape.dimensions);
  const Index sizes = window_sizes(instruction);
  std::size_t to = 0;
  for_each_index(result.shape.dimensions, [&](const Index& place) {
    double& value = result.values[to++];
    for_each_in_window(instruction, operand.shape, sizes, strides, place,
                       [&](std::int64_t position) { value = combine(value, operand.values[position]); });
  });
  round_all(result);
  return result;
}

Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, const ScalarFunction& select,
                                    const ScalarFunction& scatter) {
  Literal result{instruction.shape, std::vector<double>(instruction.shape.element_count(), initial.values[0]), {}};
  const Index strides = row_major_strides(operand.shape.dimensions);
  const Index sizes = window_sizes(instruction);
  std::size_t from = 0;
  for_each_index(source.shape.dimensions, [&](const Index& place) {
    std::int64_t selected = -1;
    for_each_in_window(instruction, operand.shape, sizes, strides, place, [&](std::int64_t position) {
      const bool keeps = selected >= 0 && select(operand.values[selected], operand.values[position]) != 0;
      if (!keeps) selected = position;
    });
    if (selected >= 0) result.values[selected] = scatter(result.values[selected], source.values[from]);
    ++from;
  });
  round_all(result);
  return result;
}

}  // namespace podsim::sw
