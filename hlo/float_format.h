// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "hlo/element_type.h"

namespace podsim::hlo {

/// A binary floating-point format of 4 to 16 bits with subnormals: IEEE half, bfloat16, the formats of the OCP 8-bit
/// and microscaling specifications, and those with the suffix fnuz (no infinity, no negative zero).
struct FloatFormat {
  /// Result of rounding a number beyond the largest one.
  enum class Overflow { infinity, nan, saturates };

  int mantissa;  ///< bits after the point
  int minimum;   ///< exponent of the smallest normal number
  double largest;
  Overflow overflow;
  bool negative_zero = true;
};

/// Returns std::nullopt for f32, f64, f8e8m0fnu (which has no mantissa), and types that are not real numbers.
std::optional<FloatFormat> float_format(ElementType type);

/// Rounds to the nearest number of the format, ties to even.
double round_to_format(const FloatFormat& format, double value);

/// Returns the code of a number that the format contains, sign bit first. NaN becomes the format's NaN, without its
/// payload. `bits` is the width of the format.
std::uint64_t encode(const FloatFormat& format, int bits, double value);
double decode(const FloatFormat& format, int bits, std::uint64_t code);

}  // namespace podsim::hlo
