// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/complex/complex_function.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace podsim::hlo::eval::complex {

namespace {

/// An element of any type as a complex number.
Number number_of(const Literal& literal, std::int64_t i) {
  const ElementType type = literal.shape.element_type;
  if (is_complex(type)) return {literal.values[std::size_t(2 * i)], literal.values[std::size_t(2 * i + 1)]};
  if (type == ElementType::u64) return double(std::uint64_t(literal.integers[std::size_t(i)]));
  if (is_wide(type)) return double(literal.integers[std::size_t(i)]);
  return literal.values[std::size_t(i)];
}

ElementType part_type(ElementType type) {
  if (type == ElementType::c64) return ElementType::f32;
  return type == ElementType::c128 ? ElementType::f64 : type;
}

void set_number(Literal& literal, std::int64_t i, Number value) {
  const ElementType type = literal.shape.element_type, part = part_type(type);
  if (!is_complex(type)) {
    literal.values[std::size_t(i)] = round_to(part, value.real());
    return;
  }
  literal.values[std::size_t(2 * i)] = round_to(part, value.real());
  literal.values[std::size_t(2 * i + 1)] = round_to(part, value.imag());
}

/// A number of the direction of x and magnitude 1; 0 of 0.
Number sign(Number x) { return x == Number(0) ? x : x / std::abs(x); }

/// x^y, with 0^0 = 1 as on real numbers.
Number power(Number x, Number y) {
  if (x == Number(0)) return y == Number(0) ? Number(1) : Number(0);
  return std::pow(x, y);
}

/// Accurate where x is small.
Number exponential_minus_one(Number x) {
  const double half = std::sin(x.imag() / 2), scale = std::expm1(x.real());
  return {scale - 2 * half * half * (scale + 1), (scale + 1) * std::sin(x.imag())};
}
Number log_plus_one(Number x) {
  const double a = x.real(), b = x.imag();
  const bool is_small = std::abs(a) < 0.5 && std::abs(b) < 0.5;
  return {is_small ? std::log1p(a * (2 + a) + b * b) / 2 : std::log(std::hypot(1 + a, b)), std::atan2(b, 1 + a)};
}

bool less(Number x, Number y) { return x.real() < y.real() || (x.real() == y.real() && x.imag() < y.imag()); }

Literal parts(const Literal& array, std::size_t offset) {
  Literal made = make_zeros(make_shape(ElementType::f64, array.shape.dimensions));
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    const Number number = number_of(array, std::int64_t(i));
    made.values[i] = offset == 0 ? number.real() : number.imag();
  }
  return made;
}

}  // namespace

Number apply(const Instruction& instruction, Number x, Number y) {
  switch (instruction.opcode) {
    case Opcode::complex:
      return {x.real(), y.real()};
    case Opcode::real:
      return x.real();
    case Opcode::copy:
      return x;
    case Opcode::imag:
      return x.imag();
    case Opcode::abs:
      return std::abs(x);
    case Opcode::negate:
      return -x;
    case Opcode::add:
      return x + y;
    case Opcode::subtract:
      return x - y;
    case Opcode::multiply:
      return x * y;
    case Opcode::divide:
      return x / y;
    case Opcode::power:
      return power(x, y);
    case Opcode::exponential:
      return std::exp(x);
    case Opcode::exponential_minus_one:
      return exponential_minus_one(x);
    case Opcode::log:
      return std::log(x);
    case Opcode::log_plus_one:
      return log_plus_one(x);
    case Opcode::logistic:
      return 1.0 / (1.0 + std::exp(-x));
    case Opcode::sqrt:
      return std::sqrt(x);
    case Opcode::cbrt:
      return power(x, 1.0 / 3);
    case Opcode::maximum:
      return less(x, y) ? y : x;
    case Opcode::minimum:
      return less(y, x) ? y : x;
    case Opcode::rsqrt:
      return 1.0 / std::sqrt(x);
    case Opcode::cosine:
      return std::cos(x);
    case Opcode::sine:
      return std::sin(x);
    case Opcode::tan:
      return std::tan(x);
    case Opcode::tanh:
      return std::tanh(x);
    case Opcode::sign:
      return sign(x);
    case Opcode::atan2:
      return -Number(0, 1) * std::log((y + Number(0, 1) * x) / std::sqrt(x * x + y * y));
    case Opcode::compare:
      if (instruction.comparison == ComparisonDirection::eq) return x == y ? 1 : 0;
      if (instruction.comparison == ComparisonDirection::ne) return x != y ? 1 : 0;
      break;
    default:
      break;
  }
  throw std::logic_error(fmt::format("{} is not defined on complex numbers", to_string(instruction.opcode)));
}

Literal real_parts(const Literal& array) { return parts(array, 0); }
Literal imaginary_parts(const Literal& array) { return parts(array, 1); }

Literal joined(const Shape& shape, const Literal& real, const Literal& imaginary) {
  Literal made = make_zeros(shape);
  for (std::size_t i = 0; i < real.values.size(); ++i) {
    set_number(made, std::int64_t(i), {real.values[i], imaginary.values[i]});
  }
  return made;
}

}  // namespace podsim::hlo::eval::complex
