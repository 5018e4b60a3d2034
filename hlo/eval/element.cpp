// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/element.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace podsim::hlo::eval {

namespace {

/// Converts 64 bits to a double that will be rounded further. If they do not fit into its 53 bits, the last bit is set
/// when any dropped bit was, so that a later rounding to fewer bits equals rounding the exact value.
double to_number(ElementType type, std::int64_t bits) {
  const bool negative = type != ElementType::u64 && bits < 0;
  std::uint64_t magnitude = negative ? 0 - std::uint64_t(bits) : std::uint64_t(bits);
  const int excess = std::max(0, int(std::bit_width(magnitude)) - 53);
  if (excess > 0) {
    const std::uint64_t cut = magnitude & ((std::uint64_t{1} << excess) - 1);
    magnitude = (magnitude >> excess | (cut != 0 ? 1 : 0)) << excess;
  }
  return negative ? -double(magnitude) : double(magnitude);
}

double nearest_double(ElementType type, std::int64_t bits) {
  return type == ElementType::u64 ? double(std::uint64_t(bits)) : double(bits);
}

/// Truncates to an integer, clamped to the range of a 64-bit type.
std::int64_t truncate(ElementType type, double number) {
  if (std::isnan(number)) return 0;
  if (type == ElementType::u64) {
    if (number <= 0) return 0;
    return number >= 0x1p64 ? -1 : std::int64_t(std::uint64_t(number));
  }
  if (number >= 0x1p63) return std::numeric_limits<std::int64_t>::max();
  return number <= -0x1p63 ? std::numeric_limits<std::int64_t>::min() : std::int64_t(number);
}

/// Truncates to an integer, clamped to the range of a narrower type.
double truncate_narrow(ElementType type, double number) {
  if (std::isnan(number)) return 0;
  const bool has_sign = is_signed_integer(type);
  const int bits = element_types()[std::size_t(type)].bits - (has_sign ? 1 : 0);
  return std::clamp(std::trunc(number), has_sign ? -std::ldexp(1.0, bits) : 0.0, std::ldexp(1.0, bits) - 1) + 0.0;
}

}  // namespace

Element integer_element(ElementType type, std::int64_t value) {
  if (is_wide(type)) return {0, value};
  if (type == ElementType::pred) return {value != 0 ? 1.0 : 0.0, 0};
  const int bits = element_types()[std::size_t(type)].bits;
  const auto low = std::uint64_t(value) << (64 - bits);
  return {is_signed_integer(type) ? double(std::int64_t(low) >> (64 - bits)) : double(low >> (64 - bits)), 0};
}

Element convert_element(ElementType from, ElementType to, Element element) {
  if (is_complex(to)) {
    const bool both = is_complex(from);
    const ElementType part = to == ElementType::c64 ? ElementType::f32 : ElementType::f64;
    return {convert_element(both ? ElementType::f64 : from, part, element).number, 0,
            both ? round_to(part, element.imaginary) : 0};
  }
  if (is_complex(from)) from = ElementType::f64;
  const bool whole = is_integer(from) || from == ElementType::pred;
  if (whole && (is_integer(to) || to == ElementType::pred)) return integer_element(to, integer_of(from, element));
  if (is_wide(from)) {
    const double number =
        to == ElementType::f64 ? nearest_double(from, element.integer) : to_number(from, element.integer);
    return {round_to(to, number), 0};
  }
  if (is_wide(to)) return {0, truncate(to, element.number)};
  if (is_integer(to)) return {truncate_narrow(to, element.number), 0};
  return {round_to(to, element.number), 0};
}

void round_all(Literal& literal) {
  for (Literal& element : literal.elements) round_all(element);
  for (double& value : literal.values) value = round_to(literal.shape.element_type, value);
}

}  // namespace podsim::hlo::eval
