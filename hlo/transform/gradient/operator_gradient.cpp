// SPDX-License-Identifier: Apache-2.0
// Part of hlo/transform/gradient/elementwise_gradient.h.
#include <numeric>
#include <vector>

#include "hlo/attribute_text.h"
#include "hlo/transform/formulas/complex_gradient.h"
#include "hlo/transform/gradient/elementwise_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

/// The slope of atan2(y, x) along y is x / (x^2 + y^2), and along x its counterpart.
InstructionId over_squares(Backward& s, std::size_t other) {
  build::GraphBuilder& b = s.b;
  const InstructionId first = b.multiply(s.x(0), s.x(0));
  const InstructionId squares = b.add(first, b.multiply(s.x(1), s.x(1)));
  return b.multiply(s.g(), b.divide(s.x(other), squares));
}

/// The gradient of one operand of a maximum or minimum: g where that is the result, and half of it on a tie.
InstructionId chosen_gradient(Backward& s, std::size_t operand, ComparisonDirection direction) {
  build::GraphBuilder& b = s.b;
  const InstructionId own = s.x(operand), other = s.x(1 - operand), g = s.g();
  const InstructionId half = b.multiply(g, b.full_like(g, 0.5)), zero = b.full_like(g, 0);
  const InstructionId on_tie = b.select(b.compare(own, other, ComparisonDirection::eq), half, zero);
  return b.select(b.compare(own, other, direction), g, on_tie);
}

/// The same where the second operand has the whole gradient of a tie. It is compared with the result rather than with
/// the first operand, so that the first need not be kept.
InstructionId gradient_with_tie_to_second(Backward& s, std::size_t operand, ComparisonDirection direction) {
  build::GraphBuilder& b = s.b;
  const InstructionId first_wins = b.compare(s.y, s.x(1), direction), zero = b.full_like(s.g(), 0);
  return operand == 0 ? b.select(first_wins, s.g(), zero) : b.select(first_wins, zero, s.g());
}

void extreme(Backward& s, ComparisonDirection direction) {
  for (std::size_t k = 0; k < 2; ++k) {
    if (!s.wants(k)) continue;
    s.give(k, s.forward.target == tie_to_second ? gradient_with_tie_to_second(s, k, direction)
                                                : chosen_gradient(s, k, direction));
  }
}

/// The quotient without its fraction, which a remainder subtracts that often.
InstructionId whole_quotient(Backward& s) {
  const InstructionId quotient = s.b.divide(s.x(0), s.x(1));
  return s.b.multiply(s.b.sign(quotient), s.b.unary(Opcode::floor, s.b.abs(quotient)));
}

/// A bound of a clamp may be one number for all elements.
InstructionId bound_like(build::GraphBuilder& b, InstructionId bound, InstructionId x) {
  return b.shape(bound).rank() == 0 ? b.broadcast(bound, b.shape(x).dimensions) : bound;
}

/// In clamp(least, x, most), g goes to x where it is strictly between the bounds, and else to the bound that it is
/// beyond. On a bound nothing has a slope.
InstructionId clamp_gradient(Backward& s, std::size_t operand) {
  build::GraphBuilder& b = s.b;
  const InstructionId x = s.x(1), g = s.g();
  const InstructionId least = bound_like(b, s.x(0), x), most = bound_like(b, s.x(2), x);
  const auto below = [&](InstructionId low, InstructionId high) {
    return b.compare(low, high, ComparisonDirection::lt);
  };
  InstructionId has_slope = -1;
  if (operand == 0) has_slope = b.logical_and(below(x, least), below(least, most));
  if (operand == 1) has_slope = b.logical_and(below(least, x), below(x, most));
  if (operand == 2) has_slope = below(most, x);
  const InstructionId slope = b.select(has_slope, g, b.full_like(g, 0));
  const bool is_scalar_bound = b.shape(s.x(operand)).rank() < b.shape(x).rank();
  if (!is_scalar_bound) return slope;
  std::vector<std::int64_t> all(b.shape(x).dimensions.size());
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return b.reduce_add(slope, std::move(all));
}

/// The gradient of what a predicate chooses, for the operand that it chooses where it is true or false.
InstructionId where_chosen(Backward& s, std::size_t operand, InstructionId g, InstructionId zero) {
  return operand == 1 ? s.b.select(s.x(0), g, zero) : s.b.select(s.x(0), zero, g);
}

}  // namespace

namespace of {

void add(Backward& s) {
  s.give(0, s.g());
  s.give(1, s.g());
}

void subtract(Backward& s) {
  s.give(0, s.g());
  if (s.wants(1)) s.give(1, s.b.negate(s.g()));
}

void multiply(Backward& s) {
  if (s.wants(0)) s.give(0, s.b.multiply(s.g(), s.x(1)));
  if (s.wants(1)) s.give(1, s.b.multiply(s.g(), s.x(0)));
}

void divide(Backward& s) {
  if (s.wants(0)) s.give(0, s.b.divide(s.g(), s.x(1)));
  if (s.wants(1)) s.give(1, s.b.negate(s.b.divide(s.b.multiply(s.g(), s.y), s.x(1))));
}

void maximum(Backward& s) { extreme(s, ComparisonDirection::gt); }

void minimum(Backward& s) { extreme(s, ComparisonDirection::lt); }

void atan2(Backward& s) {
  if (s.wants(0)) s.give(0, over_squares(s, 1));
  if (s.wants(1)) s.give(1, s.b.negate(over_squares(s, 0)));
}

void complex(Backward& s) {
  if (s.wants(0)) s.give(0, s.b.unary(Opcode::real, s.g()));
  if (s.wants(1)) s.give(1, s.b.negate(s.b.unary(Opcode::imag, s.g())));
}

void remainder(Backward& s) {
  s.give(0, s.g());
  if (s.wants(1)) s.give(1, s.b.negate(s.b.multiply(s.g(), whole_quotient(s))));
}

void power(Backward& s) {
  build::GraphBuilder& b = s.b;
  const InstructionId x = s.x(0), exponent = s.x(1);
  if (s.wants(0)) {
    const InstructionId lower = b.subtract(exponent, b.full_like(exponent, 1));
    s.give(0, b.multiply(s.g(), b.multiply(exponent, b.power(x, lower))));
  }
  if (s.wants(1)) {
    // 0^y does not change with y.
    const InstructionId is_zero = b.compare(x, b.full_like(x, 0), ComparisonDirection::eq);
    const InstructionId log = b.log(b.select(is_zero, b.full_like(x, 1), x));
    s.give(1, b.multiply(s.g(), b.multiply(s.y, log)));
  }
}

void select(Backward& s) {
  for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
    if (s.wants(k)) s.give(k, where_chosen(s, k, s.g(), s.b.full_like(s.y, 0)));
  }
}

void clamp(Backward& s) {
  for (std::size_t k = 0; k < 3; ++k) {
    if (s.wants(k)) s.give(k, clamp_gradient(s, k));
  }
}

void stochastic_convert(Backward& s) { s.give(0, formulas::convert_gradient(s.b, s.g(), s.b.type(s.x(0)))); }

void tuple_select(Backward& s) {
  for (std::size_t leaf = 0; leaf < s.slopes.size(); ++leaf) {
    if (s.slopes[leaf] < 0) continue;
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) {
      const InstructionId zero = s.b.full_like(s.slopes[leaf], 0);
      s.give_leaf(k, leaf, where_chosen(s, k, s.slopes[leaf], zero));
    }
  }
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
