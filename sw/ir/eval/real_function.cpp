// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/eval/real_function.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "sw/ir/literal.h"

namespace podsim::sw::ir::eval {

namespace {

/// HLO's maximum propagates a NaN of either operand, unlike std::fmax.
double maximum(double x, double y) { return std::isnan(x) || x > y ? x : y; }
double minimum(double x, double y) { return std::isnan(x) || x < y ? x : y; }

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

/// Exponent of the smallest normal number of a type.
int smallest_exponent(ElementType type) {
  switch (type) {
    case ElementType::f16:
      return -14;
    case ElementType::bf16:
    case ElementType::f32:
      return -126;
    default:
      return -1022;
  }
}

/// Nearest number with `mantissa` bits after the point, ties to even; below 2^minimum the quantum is constant.
double round_mantissa(double x, int mantissa, int minimum) {
  const int exponent = std::max(std::ilogb(x), minimum);
  return std::ldexp(std::nearbyint(std::ldexp(x, mantissa - exponent)), exponent - mantissa);
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
  if (x == 0 || !std::isfinite(x)) return x;
  const int bias = exponent_bits < 1 || exponent_bits > 11 ? 1023 : (1 << (exponent_bits - 1)) - 1;
  const int own = smallest_exponent(type);
  const double rounded = round_mantissa(x, mantissa_bits, own);
  if (1 - bias <= own) return round_to(type, rounded);
  if (std::abs(rounded) >= std::ldexp(1.0, bias + 1)) return std::copysign(HUGE_VAL, x);
  return std::abs(rounded) < std::ldexp(1.0, 1 - bias) ? std::copysign(0.0, x) : rounded;
}

}  // namespace podsim::sw::ir::eval
