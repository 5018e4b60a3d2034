// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/ir/literal.h"

namespace podsim::sw::ir::eval {

/// An element of an array: a number, or the bits of a 64-bit integer (see Literal).
struct Element {
  double number = 0;
  std::int64_t integer = 0;
};

inline Element element_of(const Literal& literal, std::int64_t i) {
  if (is_wide(literal.shape.element_type)) return {0, literal.integers[std::size_t(i)]};
  return {literal.values[std::size_t(i)], 0};
}

inline void set_element(Literal& literal, std::int64_t i, Element element) {
  if (is_wide(literal.shape.element_type)) {
    literal.integers[std::size_t(i)] = element.integer;
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
  return element;
}
/// The same of all elements, in a tuple's arrays too.
void round_all(Literal& literal);

/// Converts an element to another type. A real number becomes an integer by truncation, clamped to the type's range,
/// and NaN becomes 0. An integer of another type wraps. A conversion to a real type rounds once.
Element convert_element(ElementType from, ElementType to, Element element);

}  // namespace podsim::sw::ir::eval
