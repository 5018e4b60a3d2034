// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/elementwise_gradient.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "sw/ir/transform/gradient.h"

namespace podsim::sw::ir::transform {

namespace {

[[noreturn]] void refuse(const Instruction& forward) { throw NoGradient(forward, "of this operation"); }

InstructionId one_minus_square(build::GraphBuilder& b, InstructionId y) {
  return b.subtract(b.full_like(y, 1), b.multiply(y, y));
}

InstructionId unary_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId y, InstructionId g) {
  const InstructionId x = forward.operands[0];
  const auto constant = [&](double value) { return b.full_like(y, value); };
  switch (forward.opcode) {
    case Opcode::negate:
      return b.negate(g);
    case Opcode::abs:
      return b.multiply(g, b.sign(x));
    case Opcode::exponential:
      return b.multiply(g, y);
    case Opcode::exponential_minus_one:
      return b.multiply(g, b.add(y, constant(1)));
    case Opcode::log:
      return b.divide(g, x);
    case Opcode::log_plus_one:
      return b.divide(g, b.add(x, constant(1)));
    case Opcode::sqrt:
      return b.divide(b.multiply(g, constant(0.5)), y);
    case Opcode::rsqrt:
      return b.multiply(g, b.multiply(constant(-0.5), b.multiply(y, b.multiply(y, y))));
    case Opcode::cbrt:
      return b.divide(b.multiply(g, constant(1.0 / 3)), b.multiply(y, y));
    case Opcode::tanh:
      return b.multiply(g, one_minus_square(b, y));
    case Opcode::tan:
      return b.multiply(g, b.add(constant(1), b.multiply(y, y)));
    case Opcode::logistic:
      return b.multiply(g, b.multiply(y, b.subtract(constant(1), y)));
    case Opcode::erf: {
      const InstructionId bell = b.exponential(b.negate(b.multiply(x, x)));
      return b.multiply(g, b.multiply(bell, constant(2 / std::sqrt(std::numbers::pi))));
    }
    case Opcode::sine:
      return b.multiply(g, b.unary(Opcode::cosine, x));
    case Opcode::cosine:
      return b.negate(b.multiply(g, b.unary(Opcode::sine, x)));
    case Opcode::convert:
      return b.convert(g, b.type(x));
    case Opcode::copy:
      return g;
    default:
      refuse(forward);
  }
}

/// Compares the second operand with the result rather than with the first operand, so that the first need not be kept.
InstructionId lhs_wins(build::GraphBuilder& b, const Instruction& forward, InstructionId y) {
  const auto direction = forward.opcode == Opcode::maximum ? ComparisonDirection::gt : ComparisonDirection::lt;
  return b.compare(y, forward.operands[1], direction);
}

InstructionId lhs_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId y, InstructionId g) {
  const InstructionId lhs = forward.operands[0], rhs = forward.operands[1];
  switch (forward.opcode) {
    case Opcode::add:
    case Opcode::subtract:
      return g;
    case Opcode::multiply:
      return b.multiply(g, rhs);
    case Opcode::divide:
      return b.divide(g, rhs);
    case Opcode::maximum:
    case Opcode::minimum:
      return b.select(lhs_wins(b, forward, y), g, b.full_like(g, 0));
    case Opcode::power:
      return b.multiply(g, b.multiply(rhs, b.power(lhs, b.subtract(rhs, b.full_like(rhs, 1)))));
    default:
      refuse(forward);
  }
}

InstructionId rhs_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId y, InstructionId g) {
  const InstructionId lhs = forward.operands[0], rhs = forward.operands[1];
  switch (forward.opcode) {
    case Opcode::add:
      return g;
    case Opcode::subtract:
      return b.negate(g);
    case Opcode::multiply:
      return b.multiply(g, lhs);
    case Opcode::divide:
      return b.negate(b.divide(b.multiply(g, y), rhs));
    case Opcode::maximum:
    case Opcode::minimum:
      return b.select(lhs_wins(b, forward, y), b.full_like(g, 0), g);
    case Opcode::power:
      return b.multiply(g, b.multiply(y, b.log(lhs)));
    default:
      refuse(forward);
  }
}

/// Gradients of select (predicate, on true, on false) and clamp (least, x, most).
InstructionId ternary_gradient(build::GraphBuilder& b, const Instruction& forward, int operand, InstructionId y,
                               InstructionId g) {
  const InstructionId zero = b.full_like(y, 0);
  if (forward.opcode == Opcode::select && operand == 1) return b.select(forward.operands[0], g, zero);
  if (forward.opcode == Opcode::select && operand == 2) return b.select(forward.operands[0], zero, g);
  if (forward.opcode == Opcode::clamp && operand == 1) {
    return b.select(b.compare(y, forward.operands[1], ComparisonDirection::eq), g, zero);
  }
  refuse(forward);
}

}  // namespace

InstructionId elementwise_gradient(build::GraphBuilder& builder, const Instruction& forward, int operand,
                                   InstructionId y, InstructionId g) {
  switch (forward.operands.size()) {
    case 1:
      return unary_gradient(builder, forward, y, g);
    case 2:
      return operand == 0 ? lhs_gradient(builder, forward, y, g) : rhs_gradient(builder, forward, y, g);
    default:
      return ternary_gradient(builder, forward, operand, y, g);
  }
}

}  // namespace podsim::sw::ir::transform
