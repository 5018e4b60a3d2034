// SPDX-License-Identifier: Apache-2.0
#include "hlo/literal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "hlo/float_format.h"

namespace podsim::hlo {

namespace {

/// Rounds to f8e8m0fnu, which has only the powers of two from 2^-127 to 2^127, without 0.
double round_to_power(double value) {
  if (!(value > 0) || !std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const int nearest = fraction >= 0.75 ? exponent : exponent - 1;
  if (nearest > 127) return std::numeric_limits<double>::quiet_NaN();
  return std::ldexp(1.0, std::max(nearest, -127));
}

double wrap(double value, int bits, bool is_signed) {
  if (!std::isfinite(value)) return 0;
  const double modulus = std::ldexp(1.0, bits);
  double wrapped = std::fmod(std::trunc(value), modulus);
  if (wrapped < 0) wrapped += modulus;
  if (is_signed && wrapped >= modulus / 2) wrapped -= modulus;
  return wrapped + 0.0;  // no -0
}

bool same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (std::isnan(a) && std::isnan(b));
}

}  // namespace

Literal make_zeros(const Shape& shape) {
  Literal literal{shape, {}, {}};
  for (const Shape& element : shape.tuple_shapes) literal.elements.push_back(make_zeros(element));
  if (byte_width(shape.element_type) == 0) return literal;
  const std::size_t count = std::size_t(shape.element_count());
  if (is_wide(shape.element_type)) {
    literal.integers.resize(count);
  } else {
    literal.values.resize(is_complex(shape.element_type) ? 2 * count : count);
  }
  return literal;
}

double round_to(ElementType type, double value) {
  switch (type) {
    case ElementType::pred:
      return value != 0 ? 1 : 0;
    case ElementType::f32:
    case ElementType::c64:
      return double(float(value));
    case ElementType::f64:
    case ElementType::c128:
      return value;
    case ElementType::f8e8m0fnu:
      return round_to_power(value);
    default:
      break;
  }
  if (is_integer(type)) return wrap(value, element_types()[std::size_t(type)].bits, is_signed_integer(type));
  const std::optional<FloatFormat> format = float_format(type);
  if (!format) throw std::logic_error(to_string(type) + " values cannot be computed with");
  return round_to_format(*format, value);
}

bool same_values(const Literal& a, const Literal& b) {
  return a.shape.compatible(b.shape) && std::ranges::equal(a.values, b.values, same) && a.integers == b.integers &&
         std::ranges::equal(a.elements, b.elements, same_values);
}

}  // namespace podsim::hlo
