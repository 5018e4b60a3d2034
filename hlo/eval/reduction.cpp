// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/reduction.h"

#include <algorithm>

#include "hlo/eval/element.h"
#include "hlo/eval/index_space.h"

namespace podsim::hlo::eval {

namespace {

using Index = std::vector<std::int64_t>;

/// The arrays of a reduction and its results so far.
class Accumulators {
 public:
  /// The results start as the initial values, which follow the arrays in the operands.
  Accumulators(const Instruction& instruction, Literals operands, ScalarFunction combine)
      : arrays_(operands.first(operands.size() / 2)),
        combine_(std::move(combine)),
        result_(make_zeros(instruction.shape)),
        arguments_(operands.size()) {
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
      const Element initial = element_of(*operands[arrays_.size() + k], 0);
      const std::int64_t count = result(k).shape.element_count();
      for (std::int64_t i = 0; i < count; ++i) set_element(result(k), i, initial);
    }
  }

  const Index& dimensions() const { return arrays_[0]->shape.dimensions; }
  const Index& result_dimensions() { return result(0).shape.dimensions; }

  void add(std::int64_t to, std::int64_t from) {
    const std::size_t count = arrays_.size();
    for (std::size_t k = 0; k < count; ++k) {
      arguments_[k] = element_of(result(k), to);
      arguments_[count + k] = element_of(*arrays_[k], from);
    }
    combine_(arguments_, std::span(arguments_).first(count));
    for (std::size_t k = 0; k < count; ++k) set_element(result(k), to, arguments_[k]);
  }

  Literal finish() && {
    round_all(result_);
    return std::move(result_);
  }

 private:
  Literal& result(std::size_t k) { return arrays_.size() == 1 ? result_ : result_.elements[k]; }

  Literals arrays_;
  ScalarFunction combine_;
  Literal result_;
  std::vector<Element> arguments_;
};

/// Calls visit(position) for every operand element in the window at index `place`, in row-major order of the window.
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

Literal evaluate_reduce(const Instruction& instruction, Literals operands, ScalarFunction combine) {
  Accumulators accumulators(instruction, operands, std::move(combine));
  const Index& dimensions = accumulators.dimensions();
  const Index kept_strides = row_major_strides(accumulators.result_dimensions());
  Index strides(dimensions.size(), 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (std::ranges::count(instruction.dimensions, std::int64_t(i)) == 0) strides[i] = kept_strides[kept++];
  }
  std::int64_t position = 0;
  for_each_index(dimensions, [&](const Index& index) {
    std::int64_t to = 0;
    for (std::size_t i = 0; i < index.size(); ++i) to += index[i] * strides[i];
    accumulators.add(to, position++);
  });
  return std::move(accumulators).finish();
}

Literal evaluate_reduce_window(const Instruction& instruction, Literals operands, ScalarFunction combine) {
  Accumulators accumulators(instruction, operands, std::move(combine));
  const Index strides = row_major_strides(accumulators.dimensions());
  const Index sizes = window_sizes(instruction);
  std::int64_t to = 0;
  for_each_index(accumulators.result_dimensions(), [&](const Index& place) {
    for_each_in_window(instruction, operands[0]->shape, sizes, strides, place,
                       [&](std::int64_t position) { accumulators.add(to, position); });
    ++to;
  });
  return std::move(accumulators).finish();
}

Literal evaluate_select_and_scatter(const Instruction& instruction, const Literal& operand, const Literal& source,
                                    const Literal& initial, ScalarFunction select, ScalarFunction scatter) {
  Literal result = make_zeros(instruction.shape);
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) copy_element(result, i, initial, 0);
  const Index strides = row_major_strides(operand.shape.dimensions);
  const Index sizes = window_sizes(instruction);
  std::int64_t from = 0;
  for_each_index(source.shape.dimensions, [&](const Index& place) {
    std::int64_t selected = -1;
    for_each_in_window(instruction, operand.shape, sizes, strides, place, [&](std::int64_t position) {
      const bool keeps =
          selected >= 0 && select(element_of(operand, selected), element_of(operand, position)).number != 0;
      if (!keeps) selected = position;
    });
    if (selected >= 0) {
      set_element(result, selected, scatter(element_of(result, selected), element_of(source, from)));
    }
    ++from;
  });
  round_all(result);
  return result;
}

Literal evaluate_map(const Instruction& instruction, Literals operands, ScalarFunction function) {
  Literal result = make_zeros(instruction.shape);
  std::vector<Element> arguments(operands.size());
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < operands.size(); ++k) arguments[k] = element_of(*operands[k], i);
    Element value;
    function(arguments, std::span(&value, 1));
    set_element(result, i, rounded(result.shape.element_type, value));
  }
  return result;
}

}  // namespace podsim::hlo::eval
