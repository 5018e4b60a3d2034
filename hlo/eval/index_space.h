// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/host/interrupt.h"
#include "hlo/literal.h"

/// Iteration over the elements of an array in row-major order of its dimensions, and copies between arrays at positions
/// that are affine in the index.
namespace podsim::hlo::eval {

/// Distance in elements between neighbours along each dimension of a row-major array.
inline std::vector<std::int64_t> row_major_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size(), 1);
  for (int i = int(sizes.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * sizes[i + 1];
  return strides;
}

/// Calls visit(index) for every index of [0, sizes) in row-major order; the last dimension varies fastest.
template <class Visit>
void for_each_index(const std::vector<std::int64_t>& sizes, Visit&& visit) {
  for (std::int64_t size : sizes) {
    if (size == 0) return;
  }
  std::vector<std::int64_t> index(sizes.size(), 0);
  while (true) {
    base::host::end_if_interrupted();
    visit(static_cast<const std::vector<std::int64_t>&>(index));
    int dimension = int(sizes.size()) - 1;
    while (dimension >= 0 && ++index[dimension] == sizes[dimension]) index[dimension--] = 0;
    if (dimension < 0) return;
  }
}

/// Returns an array with, at each index, the operand element at base + sum of index[i] * steps[i].
inline Literal gather_affine(const Shape& shape, const Literal& operand, std::int64_t base,
                             const std::vector<std::int64_t>& steps) {
  Literal result = make_zeros(shape);
  std::int64_t position = 0;
  for_each_index(result.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    std::int64_t from = base;
    for (std::size_t i = 0; i < index.size(); ++i) from += index[i] * steps[i];
    copy_element(result, position++, operand, from);
  });
  return result;
}

/// Writes the operand's element at each index to the result at base + sum of index[i] * steps[i].
inline void scatter_affine(Literal& result, const Literal& operand, std::int64_t base,
                           const std::vector<std::int64_t>& steps) {
  std::int64_t position = 0;
  for_each_index(operand.shape.dimensions, [&](const std::vector<std::int64_t>& index) {
    std::int64_t to = base;
    for (std::size_t i = 0; i < index.size(); ++i) to += index[i] * steps[i];
    copy_element(result, to, operand, position++);
  });
}

}  // namespace podsim::hlo::eval
