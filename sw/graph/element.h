// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/graph/literal.h"

namespace podsim::sw {

/// One element of an array: a number, or of a 64-bit integer type its bits (see Literal).
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

/// The bits of an integer or predicate, sign-extended where its type has a sign.
inline std::int64_t integer_of(ElementType type, Element element) {
  return is_wide(type) ? element.integer : std::int64_t(element.number);
}

/// `value` modulo the type's range; a predicate is whether it is not 0.
Element integer_element(ElementType type, std::int64_t value);

/// The element rounded to its type; wide ones are as they are.
inline Element rounded(ElementType type, Element element) {
  if (!is_wide(type)) element.number = round_to(type, element.number);
  return element;
}

/// A number converted to a type: what is real becomes an integer by truncation within the type's range, NaN 0; an
/// integer of another type wraps; a real number is rounded once.
Element convert_element(ElementType from, ElementType to, Element element);

}  // namespace podsim::sw
