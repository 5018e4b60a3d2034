// SPDX-License-Identifier: Apache-2.0
#include "sw/graph/literal.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace podsim::sw {

namespace {

/// What lies beyond a floating-point format's largest value.
enum class Overflow { infinity, nan, saturates };

/// A binary floating-point format with subnormals: the OCP 8-bit, 6-bit and 4-bit formats, IEEE half and bfloat16.
struct Format {
  int mantissa;  ///< bits after the point
  int minimum;   ///< exponent of the smallest normal number
  double largest;
  Overflow overflow;
  bool negative_zero = true;
};

std::optional<Format> format_of(ElementType type) {
  switch (type) {
    case ElementType::f4e2m1fn:
      return Format{1, 0, 6, Overflow::saturates};
    case ElementType::f6e2m3fn:
      return Format{3, 0, 7.5, Overflow::saturates};
    case ElementType::f6e3m2fn:
      return Format{2, -2, 28, Overflow::saturates};
    case ElementType::f8e3m4:
      return Format{4, -2, 15.5, Overflow::infinity};
    case ElementType::f8e4m3:
      return Format{3, -6, 240, Overflow::infinity};
    case ElementType::f8e4m3fn:
      return Format{3, -6, 448, Overflow::nan};
    case ElementType::f8e4m3fnuz:
      return Format{3, -7, 240, Overflow::nan, false};
    case ElementType::f8e4m3b11fnuz:
      return Format{3, -10, 30, Overflow::nan, false};
    case ElementType::f8e5m2:
      return Format{2, -14, 57344, Overflow::infinity};
    case ElementType::f8e5m2fnuz:
      return Format{2, -15, 57344, Overflow::nan, false};
    case ElementType::bf16:
      return Format{7, -126, 0x1.fep127, Overflow::infinity};
    case ElementType::f16:
      return Format{10, -14, 65504, Overflow::infinity};
    default:
      return std::nullopt;
  }
}

double beyond(const Format& format, double value) {
  switch (format.overflow) {
    case Overflow::infinity:
      return std::copysign(HUGE_VAL, value);
    case Overflow::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Overflow::saturates:
      break;
  }
  return std::copysign(format.largest, value);
}

/// The nearest value with the format's mantissa, whatever its exponent, ties to even; below the smallest normal
/// exponent the quantum stays (subnormals).
double nearest(const Format& format, double value) {
  if (std::abs(value) < std::ldexp(1.0, format.minimum)) {
    return std::ldexp(std::nearbyint(std::ldexp(value, format.mantissa - format.minimum)),
                      format.minimum - format.mantissa);
  }
  const int dropped = 52 - format.mantissa;
  auto bits = std::bit_cast<std::uint64_t>(value);
  bits += (std::uint64_t{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  return std::bit_cast<double>(bits >> dropped << dropped);
}

double round_to_format(const Format& format, double value) {
  if (std::isnan(value)) return value;
  if (!std::isfinite(value)) return beyond(format, value);
  const double rounded = value == 0 ? value : nearest(format, value);
  if (std::abs(rounded) > format.largest) return beyond(format, value);
  return rounded == 0 && !format.negative_zero ? 0 : rounded;
}

/// f8e8m0fnu: powers of two alone, from 2^-127 to 2^127; nothing else, not even 0.
double round_to_power(double value) {
  if (!(value > 0) || !std::isfinite(value)) return std::numeric_limits<double>::quiet_NaN();
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // of [0.5, 1)
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
      return double(float(value));
    case ElementType::f64:
      return value;
    case ElementType::f8e8m0fnu:
      return round_to_power(value);
    default:
      break;
  }
  if (is_integer(type)) return wrap(value, element_types()[std::size_t(type)].bits, is_signed_integer(type));
  const std::optional<Format> format = format_of(type);
  if (!format) throw std::logic_error(to_string(type) + " values cannot be computed with");
  return round_to_format(*format, value);
}

bool same_values(const Literal& a, const Literal& b) {
  return a.shape.compatible(b.shape) && std::ranges::equal(a.values, b.values, same) && a.integers == b.integers &&
         std::ranges::equal(a.elements, b.elements, same_values);
}

}  // namespace podsim::sw
