// SPDX-License-Identifier: Apache-2.0
#include "hlo/float_format.h"

#include <bit>
#include <cmath>
#include <limits>

namespace podsim::hlo {

namespace {

using Overflow = FloatFormat::Overflow;

double beyond(const FloatFormat& format, double value) {
  switch (format.overflow) {
    case Overflow::infinity:
      return std::copysign(std::numeric_limits<double>::infinity(), value);
    case Overflow::nan:
      return std::numeric_limits<double>::quiet_NaN();
    case Overflow::saturates:
      break;
  }
  return std::copysign(format.largest, value);
}

/// Rounds to the format's mantissa without limiting the exponent. Below the smallest normal exponent the quantum is
/// constant (subnormals).
double nearest(const FloatFormat& format, double value) {
  if (std::abs(value) < std::ldexp(1.0, format.minimum)) {
    return std::ldexp(std::nearbyint(std::ldexp(value, format.mantissa - format.minimum)),
                      format.minimum - format.mantissa);
  }
  const int dropped = 52 - format.mantissa;
  auto bits = std::bit_cast<std::uint64_t>(value);
  bits += (std::uint64_t{1} << (dropped - 1)) - 1 + ((bits >> dropped) & 1);
  return std::bit_cast<double>(bits >> dropped << dropped);
}

std::uint64_t sign_bit(int bits) { return std::uint64_t{1} << (bits - 1); }

std::uint64_t nan_code(const FloatFormat& format, int bits) {
  if (!format.negative_zero) return sign_bit(bits);
  const std::uint64_t all = sign_bit(bits) - 1;
  if (format.overflow == Overflow::nan) return all;
  // A quiet NaN: the exponent and the first bit of the mantissa.
  const int mantissa = format.mantissa - 1;
  return all >> mantissa << mantissa;
}

}  // namespace

std::optional<FloatFormat> float_format(ElementType type) {
  switch (type) {
    case ElementType::f4e2m1fn:
      return FloatFormat{1, 0, 6, Overflow::saturates};
    case ElementType::f6e2m3fn:
      return FloatFormat{3, 0, 7.5, Overflow::saturates};
    case ElementType::f6e3m2fn:
      return FloatFormat{2, -2, 28, Overflow::saturates};
    case ElementType::f8e3m4:
      return FloatFormat{4, -2, 15.5, Overflow::infinity};
    case ElementType::f8e4m3:
      return FloatFormat{3, -6, 240, Overflow::infinity};
    case ElementType::f8e4m3fn:
      return FloatFormat{3, -6, 448, Overflow::nan};
    case ElementType::f8e4m3fnuz:
      return FloatFormat{3, -7, 240, Overflow::nan, false};
    case ElementType::f8e4m3b11fnuz:
      return FloatFormat{3, -10, 30, Overflow::nan, false};
    case ElementType::f8e5m2:
      return FloatFormat{2, -14, 57344, Overflow::infinity};
    case ElementType::f8e5m2fnuz:
      return FloatFormat{2, -15, 57344, Overflow::nan, false};
    case ElementType::bf16:
      return FloatFormat{7, -126, 0x1.fep127, Overflow::infinity};
    case ElementType::f16:
      return FloatFormat{10, -14, 65504, Overflow::infinity};
    default:
      return std::nullopt;
  }
}

double round_to_format(const FloatFormat& format, double value) {
  if (std::isnan(value)) return value;
  if (!std::isfinite(value)) return beyond(format, value);
  const double rounded = value == 0 ? value : nearest(format, value);
  if (std::abs(rounded) > format.largest) return beyond(format, value);
  return rounded == 0 && !format.negative_zero ? 0 : rounded;
}

std::uint64_t encode(const FloatFormat& format, int bits, double value) {
  if (std::isnan(value)) return nan_code(format, bits);
  const std::uint64_t sign = std::signbit(value) && (value != 0 || format.negative_zero) ? sign_bit(bits) : 0;
  const double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return sign | ((sign_bit(bits) - 1) >> format.mantissa << format.mantissa);
  if (magnitude < std::ldexp(1.0, format.minimum)) {
    return sign | std::uint64_t(std::ldexp(magnitude, format.mantissa - format.minimum));
  }
  const int exponent = std::ilogb(magnitude);
  const auto mantissa = std::uint64_t(std::ldexp(magnitude, format.mantissa - exponent));  // includes the leading 1
  return sign | ((std::uint64_t(exponent - format.minimum) << format.mantissa) + mantissa);
}

double decode(const FloatFormat& format, int bits, std::uint64_t code) {
  const bool negative = (code & sign_bit(bits)) != 0;
  const std::uint64_t rest = code & (sign_bit(bits) - 1);
  const auto exponent = int(rest >> format.mantissa);
  const std::uint64_t mantissa = rest & ((std::uint64_t{1} << format.mantissa) - 1);
  const int quantum = format.minimum - format.mantissa;
  const double magnitude =
      exponent == 0 ? std::ldexp(double(mantissa), quantum)
                    : std::ldexp(double(mantissa + (std::uint64_t{1} << format.mantissa)), quantum + exponent - 1);
  if (!format.negative_zero && negative && rest == 0) return std::numeric_limits<double>::quiet_NaN();
  if (magnitude > format.largest) {
    const bool infinite = format.overflow == Overflow::infinity && mantissa == 0;
    if (!infinite) return std::numeric_limits<double>::quiet_NaN();
    return negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  }
  return negative ? -magnitude : magnitude;
}

}  // namespace podsim::hlo
