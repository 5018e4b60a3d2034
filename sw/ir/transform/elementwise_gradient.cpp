// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/elementwise_gradient.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "sw/ir/attribute_text.h"
#include "sw/ir/transform/complex_gradient.h"
#include "sw/ir/transform/gradient.h"

namespace podsim::sw::ir::transform {

namespace {

[[noreturn]] void refuse(const Instruction& forward) { throw NoGradient(forward, "of this operation"); }

InstructionId one_minus_square(build::GraphBuilder& b, InstructionId y) {
  return b.subtract(b.full_like(y, 1), b.multiply(y, y));
}

InstructionId square(build::GraphBuilder& b, InstructionId x) { return b.multiply(x, x); }

/// The slope of acos, asin and the hyperbolic ones is 1 / sqrt(inside), or its negative.
InstructionId over_root(build::GraphBuilder& b, InstructionId g, InstructionId inside) {
  return b.multiply(g, b.rsqrt(inside));
}

/// The slope of atan2(y, x) along y is x / (x^2 + y^2), and along x its counterpart.
InstructionId over_squares(build::GraphBuilder& b, InstructionId g, const Instruction& forward, std::size_t other) {
  const InstructionId squares = b.add(square(b, forward.operands[0]), square(b, forward.operands[1]));
  return b.multiply(g, b.divide(forward.operands[other], squares));
}

InstructionId unary_gradient(build::GraphBuilder& b, const Instruction& forward, InstructionId y, InstructionId g) {
  const InstructionId x = forward.operands[0];
  const auto constant = [&](double value) { return b.full_like(y, value); };
  switch (forward.opcode) {
    case Opcode::negate:
      return b.negate(g);
    case Opcode::abs:
      if (is_complex(b.type(x))) return complex_abs_gradient(b, x, y, g);
      return b.select(b.compare(x, constant(0), ComparisonDirection::ge), g, b.negate(g));
    case Opcode::real:
      return is_complex(b.type(x)) ? b.convert(g, b.type(x)) : g;
    case Opcode::imag:
      return is_complex(b.type(x)) ? gradient_of_parts(b, b.full_like(g, 0), g) : b.full_like(g, 0);
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
    case Opcode::sinh:
      return b.multiply(g, b.unary(Opcode::cosh, x));
    case Opcode::cosh:
      return b.multiply(g, b.unary(Opcode::sinh, x));
    case Opcode::asin:
      return over_root(b, g, b.subtract(constant(1), square(b, x)));
    case Opcode::acos:
      return b.negate(over_root(b, g, b.subtract(constant(1), square(b, x))));
    case Opcode::asinh:
      return over_root(b, g, b.add(square(b, x), constant(1)));
    case Opcode::acosh:
      return b.multiply(g, b.multiply(b.rsqrt(b.subtract(x, constant(1))), b.rsqrt(b.add(x, constant(1)))));
    case Opcode::atanh:
      return b.divide(g, b.subtract(constant(1), square(b, x)));
    case Opcode::reduce_precision: {
      Instruction same = forward;
      same.name.clear();
      same.op_name.clear();
      same.operands = {g};
      return b.add(std::move(same));
    }
    case Opcode::convert:
      return convert_gradient(b, g, b.type(x));
    case Opcode::copy:
      return g;
    default:
      refuse(forward);
  }
}

/// The gradient of one operand of a maximum or minimum: g where that is the result, and half of it on a tie.
InstructionId chosen_gradient(build::GraphBuilder& b, const Instruction& forward, std::size_t operand,
                              InstructionId g) {
  const InstructionId own = forward.operands[operand], other = forward.operands[1 - operand];
  const auto direction = forward.opcode == Opcode::maximum ? ComparisonDirection::gt : ComparisonDirection::lt;
  const InstructionId half = b.multiply(g, b.full_like(g, 0.5)), zero = b.full_like(g, 0);
  const InstructionId on_tie = b.select(b.compare(own, other, ComparisonDirection::eq), half, zero);
  return b.select(b.compare(own, other, direction), g, on_tie);
}

/// The same where the second operand has the whole gradient of a tie. It is compared with the result rather than with
/// the first operand, so that the first need not be kept.
InstructionId gradient_with_tie_to_second(build::GraphBuilder& b, const Instruction& forward, std::size_t operand,
                                          InstructionId y, InstructionId g) {
  const auto direction = forward.opcode == Opcode::maximum ? ComparisonDirection::gt : ComparisonDirection::lt;
  const InstructionId first_wins = b.compare(y, forward.operands[1], direction), zero = b.full_like(g, 0);
  return operand == 0 ? b.select(first_wins, g, zero) : b.select(first_wins, zero, g);
}

InstructionId extreme_gradient(build::GraphBuilder& b, const Instruction& forward, std::size_t operand, InstructionId y,
                               InstructionId g) {
  return forward.target == tie_to_second ? gradient_with_tie_to_second(b, forward, operand, y, g)
                                         : chosen_gradient(b, forward, operand, g);
}

/// The quotient without its fraction, which a remainder subtracts that often.
InstructionId whole_quotient(build::GraphBuilder& b, const Instruction& forward) {
  const InstructionId quotient = b.divide(forward.operands[0], forward.operands[1]);
  return b.multiply(b.sign(quotient), b.unary(Opcode::floor, b.abs(quotient)));
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
      return extreme_gradient(b, forward, 0, y, g);
    case Opcode::atan2:
      return over_squares(b, g, forward, 1);
    case Opcode::complex:
      return b.unary(Opcode::real, g);
    case Opcode::remainder:
      return g;
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
      return extreme_gradient(b, forward, 1, y, g);
    case Opcode::atan2:
      return b.negate(over_squares(b, g, forward, 0));
    case Opcode::complex:
      return b.negate(b.unary(Opcode::imag, g));
    case Opcode::remainder:
      return b.negate(b.multiply(g, whole_quotient(b, forward)));
    case Opcode::power: {
      // 0^y does not change with y.
      const InstructionId is_zero = b.compare(lhs, b.full_like(lhs, 0), ComparisonDirection::eq);
      return b.multiply(g, b.multiply(y, b.log(b.select(is_zero, b.full_like(lhs, 1), lhs))));
    }
    default:
      refuse(forward);
  }
}

/// A bound of a clamp may be one number for all elements.
InstructionId bound_like(build::GraphBuilder& b, InstructionId bound, InstructionId x) {
  return b.shape(bound).rank() == 0 ? b.broadcast(bound, b.shape(x).dimensions) : bound;
}

/// In clamp(least, x, most), g goes to x where it is strictly between the bounds, and else to the bound that it is
/// beyond. On a bound nothing has a slope.
InstructionId clamp_gradient(build::GraphBuilder& b, const Instruction& forward, int operand, InstructionId g) {
  const InstructionId x = forward.operands[1];
  const InstructionId least = bound_like(b, forward.operands[0], x), most = bound_like(b, forward.operands[2], x);
  const auto below = [&](InstructionId low, InstructionId high) {
    return b.compare(low, high, ComparisonDirection::lt);
  };
  InstructionId has_slope = -1;
  if (operand == 0) has_slope = b.logical_and(below(x, least), below(least, most));
  if (operand == 1) has_slope = b.logical_and(below(least, x), below(x, most));
  if (operand == 2) has_slope = below(most, x);
  const InstructionId slope = b.select(has_slope, g, b.full_like(g, 0));
  const bool is_scalar_bound = b.shape(forward.operands[std::size_t(operand)]).rank() < b.shape(x).rank();
  if (!is_scalar_bound) return slope;
  std::vector<std::int64_t> all(b.shape(x).dimensions.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return b.reduce_add(slope, std::move(all));
}

/// Gradients of select (predicate, on true, on false) and clamp (least, x, most).
InstructionId ternary_gradient(build::GraphBuilder& b, const Instruction& forward, int operand, InstructionId y,
                               InstructionId g) {
  const InstructionId zero = b.full_like(y, 0);
  if (forward.opcode == Opcode::select && operand == 1) return b.select(forward.operands[0], g, zero);
  if (forward.opcode == Opcode::select && operand == 2) return b.select(forward.operands[0], zero, g);
  if (forward.opcode == Opcode::clamp) return clamp_gradient(b, forward, operand, g);
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
