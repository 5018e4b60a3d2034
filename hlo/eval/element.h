// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/literal.h"

namespace podsim::hlo::eval {

/// An element of an array: a number, or the bits of a 64-bit integer (see Literal). `number` is the real part of a
/// complex one.
struct Element {
  double number = 0;
  std::int64_t integer = 0;
  double imaginary = 0;
};

inline Element element_of(const Literal& literal, std::int64_t i) {
  const ElementType type = literal.shape.element_type;
  if (is_wide(type)) return {0, literal.integers[std::size_t(i)]};
  if (is_complex(type)) return {literal.values[std::size_t(2 * i)], 0, literal.values[std::size_t(2 * i + 1)]};
  return {literal.values[std::size_t(i)], 0};
}

inline void set_element(Literal& literal, std::int64_t i, Element element) {
  if (is_wide(literal.shape.element_type)) {
    literal.integers[std::size_t(i)] = element.integer;
  } else if (is_complex(literal.shape.element_type)) {
    literal.values[std::size_t(2 * i)] = element.number;
    literal.values[std::size_t(2 * i + 1)] = element.imaginary;
  } else {
    literal.values[std::size_t(i)] = element.number;
  }
}

/// The value of an integer or predicate, sign-extended if its type is signed.
inline std::int64_t integer_of(ElementType type, Element element) {
  return is_wide(type) ? element.integer : std::int64_t(element.number);
}

/// `value` modulo the type's range; for a predicate, whether it is not 0.
Element integer_element(ElementType type, std::int64_t value);

/// Rounds the element to its type; 64-bit integers are unchanged.
inline Element rounded(ElementType type, Element element) {
  if (!is_wide(type)) element.number = round_to(type, element.number);
  if (is_complex(type)) element.imaginary = round_to(type, element.imaginary);
  return element;
}
/// The same of all elements, in a tuple's arrays too.
void round_all(Literal& literal);

/// Converts an element to another type. A real number becomes an integer by truncation, clamped to the type's range,
/// and NaN becomes 0. An integer of another type wraps. A conversion to a real type rounds once. A complex number
/// becomes what its real part does, unless the other type is complex.
Element convert_element(ElementType from, ElementType to, Element element);

}  // namespace podsim::hlo::eval
