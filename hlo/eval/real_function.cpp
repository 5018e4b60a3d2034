// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/real_function.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "hlo/eval/bit_pattern.h"
#include "hlo/float_format.h"

namespace podsim::hlo::eval {

namespace {

/// HLO's maximum propagates a NaN of either operand, unlike std::fmax, and -0 is less than +0.
double maximum(double x, double y) {
  if (x == y) return std::signbit(x) ? y : x;
  return std::isnan(x) || x > y ? x : y;
}
double minimum(double x, double y) {
  if (x == y) return std::signbit(x) ? x : y;
  return std::isnan(x) || x < y ? x : y;
}

double real_sign(double x) { return std::isnan(x) || x == 0 ? x : double((x > 0) - (x < 0)); }

double apply_unary(Opcode opcode, double x) {
  switch (opcode) {
    case Opcode::negate:
      return -x;
    case Opcode::abs:
      return std::abs(x);
    case Opcode::sign:
      return real_sign(x);
    case Opcode::copy:
    case Opcode::real:
      return x;
    case Opcode::imag:
      return 0;
    case Opcode::ceil:
      return std::ceil(x);
    case Opcode::floor:
      return std::floor(x);
    case Opcode::round_nearest_afz:
      return std::round(x);
    case Opcode::round_nearest_even:
      return std::nearbyint(x);
    case Opcode::exponential:
      return std::exp(x);
    case Opcode::exponential_minus_one:
      return std::expm1(x);
    case Opcode::log:
      return std::log(x);
    case Opcode::log_plus_one:
      return std::log1p(x);
    case Opcode::logistic:
      return 1 / (1 + std::exp(-x));
    case Opcode::erf:
      return std::erf(x);
    case Opcode::sqrt:
      return std::sqrt(x);
    case Opcode::rsqrt:
      return 1 / std::sqrt(x);
    case Opcode::cbrt:
      return std::cbrt(x);
    case Opcode::sine:
      return std::sin(x);
    case Opcode::cosine:
      return std::cos(x);
    case Opcode::tan:
      return std::tan(x);
    case Opcode::asin:
      return std::asin(x);
    case Opcode::acos:
      return std::acos(x);
    case Opcode::sinh:
      return std::sinh(x);
    case Opcode::cosh:
      return std::cosh(x);
    case Opcode::tanh:
      return std::tanh(x);
    case Opcode::asinh:
      return std::asinh(x);
    case Opcode::acosh:
      return std::acosh(x);
    case Opcode::atanh:
      return std::atanh(x);
    default:
      throw std::logic_error(fmt::format("{} of real numbers cannot be evaluated", to_string(opcode)));
  }
}

/// The type in whose bits a precision is reduced: XLA computes in f32 with formats of 8 bits and fewer.
ElementType computed_type(ElementType type) {
  return element_types()[std::size_t(type)].bits < 16 ? ElementType::f32 : type;
}

int mantissa_bits_of(ElementType type) {
  switch (type) {
    case ElementType::f64:
      return 52;
    case ElementType::f32:
      return 23;
    default:
      return float_format(type)->mantissa;
  }
}

/// Adds half of the last kept bit, or just less than that where the bits before it are even, and drops the rest. A
/// carry goes into the exponent. Without kept mantissa bits, "even" is that of the exponent.
std::uint64_t round_bits(std::uint64_t bits, int dropped) {
  if (dropped <= 0) return bits;
  const std::uint64_t last = std::uint64_t{1} << dropped;
  return (bits + (last >> 1) - 1 + ((bits & last) != 0 ? 1 : 0)) & ~(last - 1);
}

}  // namespace

double apply_real(Opcode opcode, double x, double y) {
  switch (opcode) {
    case Opcode::add:
      return x + y;
    case Opcode::subtract:
      return x - y;
    case Opcode::multiply:
      return x * y;
    case Opcode::divide:
      return x / y;
    case Opcode::remainder:
      return std::fmod(x, y);
    case Opcode::maximum:
      return maximum(x, y);
    case Opcode::minimum:
      return minimum(x, y);
    case Opcode::power:
      return std::pow(x, y);
    case Opcode::atan2:
      return std::atan2(x, y);
    default:
      return apply_unary(opcode, x);
  }
}

bool totally_less(double x, double y) {
  // The bits of a negative number grow with its magnitude.
  const auto key = [](double value) {
    const auto bits = std::bit_cast<std::int64_t>(value);
    return bits < 0 ? bits ^ INT64_MAX : bits;
  };
  return key(x) < key(y);
}

double reduce_precision(ElementType type, int exponent_bits, int mantissa_bits, double x) {
  if (std::isnan(x)) return mantissa_bits > 0 ? x : round_to(type, HUGE_VAL);
  const ElementType computed = computed_type(type);
  const int mantissa = mantissa_bits_of(computed);
  const int exponent = element_types()[std::size_t(computed)].bits - 1 - mantissa;
  const std::uint64_t one = 1, sign = one << (mantissa + exponent);
  const std::uint64_t bits = bits_of(computed, {x, 0});
  std::uint64_t rounded = round_bits(bits & (sign - 1), mantissa - mantissa_bits);
  if (exponent_bits < exponent) {
    const std::uint64_t bias = (one << (exponent - 1)) - 1, new_bias = (one << (exponent_bits - 1)) - 1;
    const std::uint64_t scale = rounded >> mantissa;
    if (scale > bias + new_bias) rounded = sign - (one << mantissa);  // infinity
    if (scale <= bias - new_bias) rounded = 0;
  }
  return round_to(type, element_from_bits(computed, (bits & sign) | rounded).number);
}

}  // namespace podsim::hlo::eval
