// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/quantise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace podsim::hlo::weights {
namespace {

/// By element of the weight, the number of its scale; and the shape of the scales.
struct ScaleNumbers {
  Shape shape;
  std::vector<std::size_t> of_element;
};

ScaleNumbers scale_numbers(const Shape& weight, const TypedWeight& typed) {
  ScaleNumbers numbers;
  std::vector<std::int64_t> sizes, parts(std::size_t(weight.rank()), 0);  // elements of a dimension with one scale
  for (int d = 0; d < weight.rank(); ++d) {
    const std::int64_t size = weight.dimensions[std::size_t(d)];
    if (d == typed.grouped_dimension) {
      parts[std::size_t(d)] = typed.group;
    } else {
      parts[std::size_t(d)] = typed.shared[std::size_t(d)] ? std::max<std::int64_t>(size, 1) : 1;
      if (typed.shared[std::size_t(d)]) continue;
    }
    sizes.push_back(size / parts[std::size_t(d)]);
  }
  numbers.shape = make_shape(ElementType::bf16, std::move(sizes));
  std::vector<std::int64_t> index(std::size_t(weight.rank()), 0);
  for (std::int64_t i = 0; i < weight.element_count(); ++i) {
    std::int64_t number = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t count = std::max<std::int64_t>(1, weight.dimensions[d] / parts[d]);
      number = number * count + index[d] / parts[d];
    }
    numbers.of_element.push_back(std::size_t(number));
    for (std::size_t d = index.size(); d-- > 0;) {
      if (++index[d] < weight.dimensions[d]) break;
      index[d] = 0;
    }
  }
  return numbers;
}

}  // namespace

Quantised quantised(const Literal& weight, const TypedWeight& typed, ElementType type) {
  const ScaleNumbers numbers = scale_numbers(weight.shape, typed);
  Quantised result{.values = weight, .scales = make_zeros(numbers.shape)};
  std::vector<double>& scales = result.scales.values;
  for (std::size_t i = 0; i < weight.values.size(); ++i) {
    double& scale = scales[numbers.of_element[i]];
    scale = std::max(scale, std::abs(weight.values[i]));
  }
  const double largest = largest_of(type);
  for (double& scale : scales) {
    scale = round_to(ElementType::bf16, scale / largest);
    if (scale == 0) scale = 1;
  }
  result.values.shape.element_type = type;
  const bool is_whole = is_integer(type);
  for (std::size_t i = 0; i < weight.values.size(); ++i) {
    // A scale that was rounded down leaves the largest weight a little beyond the grid.
    const double value = std::clamp(weight.values[i] / scales[numbers.of_element[i]], -largest, largest);
    result.values.values[i] = round_to(type, is_whole ? std::nearbyint(value) : value);
  }
  return result;
}

}  // namespace podsim::hlo::weights
