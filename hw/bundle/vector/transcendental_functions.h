// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "hw/bundle/vector/lane_functions.h"

/// The transcendental operations in one lane. Only operations that IEEE 754 rounds exactly are used, so every host
/// gives the same bits. exp, log and tanh are computed in f64 and rounded to f32 once, so f32's denormals and overflow
/// need no special treatment: both are well within the range of f64.
///
/// exp: with n = x / ln 2 rounded to an integer and r = x - n ln 2, |r| <= ln 2 / 2, exp(x) = 2^n (1 + r q(r)), where q
///   is the Taylor polynomial of (exp(r) - 1) / r; the truncation error is below r^8 / 8! < 2^-27.
/// log: with x = 2^e m, sqrt(1/2) <= m < sqrt(2), and s = (m - 1) / (m + 1), log(x) = e ln 2 + 2 artanh(s), artanh(s) =
///   s + s^3 / 3 + s^5 / 5 + ...; |s| < 0.172, so the terms after s^9 are below 2^-28 of the sum.
/// tanh: with t = exp(2 |x|) - 1 = 2^n r q(r) + (2^n - 1), tanh(|x|) = t / (t + 2); no cancellation, as n = 0 leaves
///   only the first term. For |x| >= 20 it is 1 in f32.
/// rsqrt, sqrt, recip: square root and quotient in f32, each rounded to nearest. The relative error of the root is at
///   most 2^-24, which is at most one ulp of its reciprocal; the quotient adds up to half an ulp.
/// (Abramowitz and Stegun, Handbook of Mathematical Functions, 4.1.27, 4.2.1, 4.5.)
namespace podsim::hw::bundle::vector::lane {

inline constexpr double ln2 = 0x1.62e42fefa39efp-1;
inline constexpr double reciprocal_ln2 = 0x1.71547652b82fep+0;

/// 2^n and 2^n r q(r) for |x| < 1000.
struct ExpParts {
  double scale, rest;
};
[[gnu::always_inline]] inline ExpParts exp_parts(double x) {
  // Adding 1.5 x 2^52 rounds to an integer and leaves it in the low bits.
  constexpr double to_integer = 0x1.8p52;
  const double shifted = x * reciprocal_ln2 + to_integer;
  const double scale = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
  const double r = x - (shifted - to_integer) * ln2;
  double q = 1.0 / 5040;
  q = q * r + 1.0 / 720;
  q = q * r + 1.0 / 120;
  q = q * r + 1.0 / 24;
  q = q * r + 1.0 / 6;
  q = q * r + 1.0 / 2;
  q = q * r + 1;
  return {scale, scale * (r * q)};
}

/// Clamps x first: beyond the bounds exp is 0 or infinite in f32. NaN passes through.
[[gnu::always_inline]] inline Word exp_f32(Word y) {
  const float below = f32(y) > 90.0F ? 90.0F : f32(y);
  const float bounded = below < -110.0F ? -110.0F : below;
  const ExpParts parts = exp_parts(double(bounded));
  return word(float(parts.scale + parts.rest));
}

[[gnu::always_inline]] inline Word log_f32(Word y) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  const float x = f32(y);
  const auto bits = std::bit_cast<std::uint64_t>(double(x));
  // The biased exponent of x / sqrt(1/2), converted to a number through the mantissa of 2^52.
  const std::uint64_t exponent = (bits - sqrt_half + one) >> 52;
  const double e = std::bit_cast<double>(exponent | 0x4330000000000000) - (0x1p52 + 1023);
  const auto m = std::bit_cast<double>(bits - (exponent << 52) + one);
  const double s = (m - 1) / (m + 1), square = s * s;
  double p = 1.0 / 9;
  p = p * square + 1.0 / 7;
  p = p * square + 1.0 / 5;
  p = p * square + 1.0 / 3;
  p = p * square + 1;
  const float finite = float(e * ln2 + 2 * s * p);
  const float or_infinite = x < HUGE_VALF ? finite : x;
  return word(x > 0 ? or_infinite : x == 0 ? -HUGE_VALF : std::bit_cast<float>(quiet_nan));
}

[[gnu::always_inline]] inline Word tanh_f32(Word y) {
  const float magnitude = f32(y & 0x7fffffff);
  const ExpParts parts = exp_parts(2 * double(magnitude > 20.0F ? 20.0F : magnitude));
  const double t = parts.rest + (parts.scale - 1);
  const float result = float(t / (t + 2));
  return word(f32(std::bit_cast<Word>(result) | (y & 0x80000000)));
}

[[gnu::always_inline]] inline Word rsqrt_f32(Word y) { return word(1 / std::sqrt(f32(y))); }
[[gnu::always_inline]] inline Word sqrt_f32(Word y) { return word(std::sqrt(f32(y))); }
[[gnu::always_inline]] inline Word recip_f32(Word y) { return word(1 / f32(y)); }

}  // namespace podsim::hw::bundle::vector::lane
