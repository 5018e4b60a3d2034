// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/literal.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace podsim::sw {

namespace {

/// Nearest value with `mantissa` bits after the point and exponents of [minimum, maximum], ties to even; below the
/// smallest normal exponent the quantum stays (subnormals).
double round_to_format(double value, int mantissa, int minimum, int maximum) {
  if (value == 0 || !std::isfinite(value)) return value;
  if (std::abs(value) < std::ldexp(1.0, minimum)) {
    return std::ldexp(std::nearbyint(std::ldexp(value, mantissa - minimum)), minimum - mantissa);
  }
  const int dropped = 52 - mantissa;
  auto bits = std::bit_cast<std::uint64_t>(value);
  bits += (std::uint64_t{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  const double rounded = std::bit_cast<double>(bits >> dropped << dropped);
  return std::abs(rounded) >= std::ldexp(1.0, maximum + 1) ? std::copysign(HUGE_VAL, value) : rounded;
}

double wrap(double value, int bits, bool is_signed) {
  assert(std::isfinite(value));
  const double modulus = std::ldexp(1.0, bits);
  double wrapped = std::fmod(std::trunc(value), modulus);
  if (wrapped < 0) wrapped += modulus;
  if (is_signed && wrapped >= modulus / 2) wrapped -= modulus;
  return wrapped;
}

}  // namespace

double round_to(ElementType type, double value) {
  if (type == ElementType::pred) return value != 0 ? 1 : 0;
  if (is_integer(type)) return wrap(value, element_types()[std::size_t(type)].bits, is_signed_integer(type));
  switch (type) {
    case ElementType::f16:
      return round_to_format(value, 10, -14, 15);
    case ElementType::bf16:
      return round_to_format(value, 7, -126, 127);
    case ElementType::f32:
      return double(float(value));
    case ElementType::f64:
      return value;
    default:
      throw std::logic_error(to_string(type) + " values cannot be computed with");
  }
}

}  // namespace podsim::sw
