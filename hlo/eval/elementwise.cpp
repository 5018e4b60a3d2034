// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/elementwise.h"

#include <array>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "base/host/interrupt.h"
#include "hlo/eval/bit_pattern.h"
#include "hlo/eval/complex/complex_function.h"
#include "hlo/eval/real_function.h"
#include "hlo/eval/whole/integer_function.h"

namespace podsim::hlo::eval {

namespace {

bool is_whole(ElementType type) { return is_integer(type) || type == ElementType::pred; }

/// Evaluates a comparison given x < y, y < x and x == y, which are all false for NaN.
bool holds(ComparisonDirection direction, bool less, bool greater, bool equal) {
  switch (direction) {
    case ComparisonDirection::eq:
      return equal;
    case ComparisonDirection::ne:
      return !equal;
    case ComparisonDirection::lt:
      return less;
    case ComparisonDirection::le:
      return less || equal;
    case ComparisonDirection::gt:
      return greater;
    case ComparisonDirection::ge:
      return greater || equal;
  }
  assert(false);
  return false;
}

bool compare(const Instruction& instruction, ElementType type, Element x, Element y) {
  if (is_whole(type)) {
    const std::int64_t a = integer_of(type, x), b = integer_of(type, y);
    return holds(instruction.comparison, whole::integer_less(type, a, b), whole::integer_less(type, b, a), a == b);
  }
  const double a = x.number, b = y.number;
  if (!instruction.total_order) return holds(instruction.comparison, a < b, b < a, a == b);
  const bool less = totally_less(a, b), greater = totally_less(b, a);
  return holds(instruction.comparison, less, greater, !less && !greater);
}

Element clamp(ElementType type, Element low, Element x, Element high) {
  if (is_whole(type)) {
    const std::int64_t floor = integer_of(type, low), value = integer_of(type, x), ceiling = integer_of(type, high);
    const std::int64_t raised = whole::apply_integer(Opcode::maximum, type, value, floor);
    return integer_element(type, whole::apply_integer(Opcode::minimum, type, raised, ceiling));
  }
  const double raised = apply_real(Opcode::maximum, x.number, low.number);
  return {apply_real(Opcode::minimum, raised, high.number), 0};
}

complex::Number number_of(ElementType type, Element element) {
  if (is_complex(type)) return {element.number, element.imaginary};
  return convert_element(type, ElementType::f64, element).number;
}

/// The operands of a select or clamp beyond the first two have the same type as the second.
Element apply_complex(const Instruction& instruction, ElementType type, std::span<const Element> operands) {
  const auto apply = [&](Opcode opcode, complex::Number x, complex::Number y) {
    Instruction step;
    step.opcode = opcode;
    return complex::apply(step, x, y);
  };
  const complex::Number x = number_of(type, operands[0]);
  const complex::Number y = operands.size() > 1 ? number_of(type, operands[1]) : complex::Number(0);
  const complex::Number result =
      instruction.opcode == Opcode::clamp
          ? apply(Opcode::minimum, apply(Opcode::maximum, y, x), number_of(type, operands[2]))
          : complex::apply(instruction, x, y);
  return {result.real(), 0, result.imag()};
}

}  // namespace

Element apply_elementwise(const Instruction& instruction, ElementType type, std::span<const Element> operands) {
  const Element x = operands[0];
  const Element y = operands.size() > 1 ? operands[1] : Element();
  switch (instruction.opcode) {
    case Opcode::convert:
      return convert_element(type, instruction.shape.element_type, x);
    case Opcode::select:
      return x.number != 0 ? y : operands[2];
    case Opcode::bitcast:
    case Opcode::bitcast_convert:
      return element_from_bits(instruction.shape.element_type, bits_of(type, x));
    default:
      break;
  }
  if (is_complex(type) || is_complex(instruction.shape.element_type)) {
    return apply_complex(instruction, type, operands);
  }
  switch (instruction.opcode) {
    case Opcode::compare:
      return {compare(instruction, type, x, y) ? 1.0 : 0.0, 0};
    case Opcode::clamp:
      return clamp(type, x, y, operands[2]);
    case Opcode::is_finite:
      return {std::isfinite(x.number) ? 1.0 : 0.0, 0};
    case Opcode::reduce_precision:
      return {reduce_precision(type, instruction.exponent_bits, instruction.mantissa_bits, x.number), 0};
    case Opcode::stochastic_convert:
      throw std::logic_error(fmt::format("{} cannot be evaluated", to_string(instruction.opcode)));
    default:
      break;
  }
  if (!is_whole(type)) return {apply_real(instruction.opcode, x.number, y.number), 0};
  return integer_element(type,
                         whole::apply_integer(instruction.opcode, type, integer_of(type, x), integer_of(type, y)));
}

Literal evaluate_elementwise(const Instruction& instruction, std::span<const Literal* const> operands) {
  assert(operands.size() <= 3);
  Literal result = make_zeros(instruction.shape);
  const ElementType type = operands.size() == 3 ? operands[1]->shape.element_type : operands[0]->shape.element_type;
  const ElementType result_type = result.shape.element_type;
  std::array<Element, 3> scalars;
  const std::span<const Element> arguments(scalars.data(), operands.size());
  const std::int64_t count = result.shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) {
    base::host::end_if_interrupted();
    for (std::size_t k = 0; k < operands.size(); ++k) {
      // The predicate of a select and the bounds of a clamp may be one scalar for all elements.
      scalars[k] = element_of(*operands[k], operands[k]->shape.rank() == 0 ? 0 : i);
    }
    set_element(result, i, rounded(result_type, apply_elementwise(instruction, type, arguments)));
  }
  return result;
}

}  // namespace podsim::hlo::eval
