// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/eval/complex/complex_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <stdexcept>

#include "base/host/interrupt.h"

namespace podsim::sw::ir::eval::complex {

namespace {

using Number = std::complex<double>;

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

Number apply(const Instruction& instruction, Number x, Number y) {
  switch (instruction.opcode) {
    case Opcode::complex:
      return {x.real(), y.real()};
    case Opcode::real:
    case Opcode::convert:
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
      return std::exp(x) - 1.0;
    case Opcode::log:
      return std::log(x);
    case Opcode::log_plus_one:
      return std::log(x + 1.0);
    case Opcode::logistic:
      return 1.0 / (1.0 + std::exp(-x));
    case Opcode::sqrt:
      return std::sqrt(x);
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

Literal parts(const Literal& array, std::size_t offset) {
  Literal made = make_zeros(make_shape(ElementType::f64, array.shape.dimensions));
  for (std::size_t i = 0; i < made.values.size(); ++i) {
    const Number number = number_of(array, std::int64_t(i));
    made.values[i] = offset == 0 ? number.real() : number.imag();
  }
  return made;
}

}  // namespace

bool is_on_complex(const Instruction& instruction, std::span<const Literal* const> operands) {
  const auto on_complex = [](const Literal* operand) { return is_complex(operand->shape.element_type); };
  return is_complex(instruction.shape.element_type) || std::ranges::any_of(operands, on_complex);
}

Literal evaluate_complex(const Instruction& instruction, std::span<const Literal* const> operands) {
  Literal result = make_zeros(instruction.shape);
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    base::host::end_if_interrupted();
    const auto at = [i](const Literal& operand) { return operand.shape.rank() == 0 ? 0 : i; };
    if (instruction.opcode == Opcode::select) {
      const Literal& chosen = *operands[operands[0]->values[std::size_t(at(*operands[0]))] != 0 ? 1 : 2];
      copy_element(result, i, chosen, i);
      continue;
    }
    const Number x = number_of(*operands[0], at(*operands[0]));
    const Number y = operands.size() > 1 ? number_of(*operands[1], at(*operands[1])) : Number(0);
    set_number(result, i, apply(instruction, x, y));
  }
  return result;
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

}  // namespace podsim::sw::ir::eval::complex
