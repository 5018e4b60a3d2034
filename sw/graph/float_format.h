// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sw/graph/element_type.h"

namespace podsim::sw {

/// A binary floating-point format with subnormals, of 4 to 16 bits: IEEE half, bfloat16, the formats of the OCP 8-bit
/// and microscaling specifications, and those with the suffix fnuz (no infinity, no negative zero).
struct FloatFormat {
  /// What lies beyond the largest number.
  enum class Overflow { infinity, nan, saturates };

  int mantissa;  ///< bits after the point
  int minimum;   ///< exponent of the smallest normal number
  double largest;
  Overflow overflow;
  bool negative_zero = true;
};

/// Nothing for f32, f64 and f8e8m0fnu, which has no mantissa, and for what is no real number.
std::optional<FloatFormat> float_format(ElementType type);

/// The nearest number of the format, ties to even.
double round_to_format(const FloatFormat& format, double value);

/// The code of a number that the format has, sign first; NaN as the format's own, without its payload. `bits` is the
/// format's width.
std::uint64_t encode(const FloatFormat& format, int bits, double value);
double decode(const FloatFormat& format, int bits, std::uint64_t code);

}  // namespace podsim::sw
