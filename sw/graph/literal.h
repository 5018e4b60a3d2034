// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/graph/shape.h"

namespace podsim::sw {

/// The value of an array, for the reference evaluator and functional collectives. Elements are held as doubles in
/// row-major order of the dimensions (layout does not matter), rounded to the element type: every value of up to 53
/// bits is exact in a double. A tuple has elements instead, an array of 64-bit integers `integers`. Complex numbers are
/// two values each, the real part first.
struct Literal {
  Shape shape;
  std::vector<double> values;
  std::vector<Literal> elements;
  std::vector<std::int64_t> integers = {};  ///< s64, and u64 as the same 64 bits
};

/// Whether arrays of the type hold `integers`.
constexpr bool is_wide(ElementType type) { return type == ElementType::s64 || type == ElementType::u64; }

/// A literal of the shape with all elements 0, those of tuples too.
Literal make_zeros(const Shape& shape);

/// to[i] = from[k], of arrays of one element type.
inline void copy_element(Literal& to, std::int64_t i, const Literal& from, std::int64_t k) {
  if (is_wide(to.shape.element_type)) {
    to.integers[std::size_t(i)] = from.integers[std::size_t(k)];
  } else {
    to.values[std::size_t(i)] = from.values[std::size_t(k)];
  }
}

/// `value` rounded to the element type, to nearest even for floats; integers wrap; pred becomes 0 or 1. Formats
/// without infinity overflow to NaN, those without either saturate. Of 64-bit integers only those up to 2^53 in
/// magnitude are exact.
double round_to(ElementType type, double value);

/// Equal shapes and elements, bit for bit but for NaN, which equals NaN.
bool same_values(const Literal& a, const Literal& b);

}  // namespace podsim::sw
