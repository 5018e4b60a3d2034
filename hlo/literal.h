// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/shape.h"

namespace podsim::hlo {

/// The value of an array, for the reference evaluator and for collectives that compute values. Elements are doubles in
/// row-major order of the dimensions (the layout has no effect), rounded to the element type: a double holds every
/// value of up to 53 bits exactly. Arrays of 64-bit integers use `integers` instead, and tuples use `elements`. A
/// complex number takes two values, the real part first.
struct Literal {
  Shape shape;
  std::vector<double> values;
  std::vector<Literal> elements;
  std::vector<std::int64_t> integers = {};  ///< s64, and u64 as the same 64 bits
};

/// True if arrays of the type use `integers`.
constexpr bool is_wide(ElementType type) { return type == ElementType::s64 || type == ElementType::u64; }

/// Returns a literal of the shape with all elements 0, including those of nested tuples.
Literal make_zeros(const Shape& shape);

/// to[i] = from[k], for arrays of the same element type.
inline void copy_element(Literal& to, std::int64_t i, const Literal& from, std::int64_t k) {
  if (is_wide(to.shape.element_type)) {
    to.integers[std::size_t(i)] = from.integers[std::size_t(k)];
  } else if (is_complex(to.shape.element_type)) {
    to.values[std::size_t(2 * i)] = from.values[std::size_t(2 * k)];
    to.values[std::size_t(2 * i + 1)] = from.values[std::size_t(2 * k + 1)];
  } else {
    to.values[std::size_t(i)] = from.values[std::size_t(k)];
  }
}

/// Rounds `value` to the element type (of a complex type: a part): to nearest even for floats; integers wrap; pred
/// becomes 0 or 1. Formats without infinity overflow to NaN, formats without infinity and NaN saturate. 64-bit integers
/// are exact only up to 2^53 in magnitude.
double round_to(ElementType type, double value);

/// Compares shapes and elements bit by bit, except that all NaNs are equal.
bool same_values(const Literal& a, const Literal& b);

}  // namespace podsim::hlo
