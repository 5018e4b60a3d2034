// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/ir/eval/index_space.h"
#include "sw/ir/literal.h"

/// Copies between arrays at positions that are affine in the index.
namespace podsim::sw::ir::eval {

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

}  // namespace podsim::sw::ir::eval
