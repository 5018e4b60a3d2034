// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient/elementwise_gradient.h"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "hlo/attribute_text.h"
#include "hlo/transform/formulas/complex_gradient.h"

namespace podsim::hlo::transform::gradient {

namespace {

InstructionId constant_like_result(Backward& s, double value) { return s.b.full_like(s.y, value); }

InstructionId one_minus_square(build::GraphBuilder& b, InstructionId y) {
  return b.subtract(b.full_like(y, 1), b.multiply(y, y));
}

/// The slope of acos, asin and the hyperbolic ones is 1 / sqrt(inside), or its negative.
InstructionId over_root(Backward& s, InstructionId inside) { return s.b.multiply(s.g(), s.b.rsqrt(inside)); }

InstructionId squared_operand(Backward& s) { return s.b.multiply(s.x(0), s.x(0)); }

}  // namespace

namespace of {

void flat(Backward&) { throw std::logic_error("a step has no rule to apply"); }

void negate(Backward& s) { s.give(0, s.b.negate(s.g())); }

void abs(Backward& s) {
  build::GraphBuilder& b = s.b;
  if (is_complex(b.type(s.x(0)))) return s.give(0, formulas::complex_abs_gradient(b, s.x(0), s.y, s.g()));
  const InstructionId is_up = b.compare(s.x(0), constant_like_result(s, 0), ComparisonDirection::ge);
  s.give(0, b.select(is_up, s.g(), b.negate(s.g())));
}

void real(Backward& s) {
  const ElementType type = s.b.type(s.x(0));
  s.give(0, is_complex(type) ? s.b.convert(s.g(), type) : s.g());
}

void imag(Backward& s) {
  const InstructionId zero = s.b.full_like(s.g(), 0);
  s.give(0, is_complex(s.b.type(s.x(0))) ? formulas::gradient_of_parts(s.b, zero, s.g()) : zero);
}

void exponential(Backward& s) { s.give(0, s.b.multiply(s.g(), s.y)); }

void exponential_minus_one(Backward& s) { s.give(0, s.b.multiply(s.g(), s.b.add(s.y, constant_like_result(s, 1)))); }

void log(Backward& s) { s.give(0, s.b.divide(s.g(), s.x(0))); }

void log_plus_one(Backward& s) { s.give(0, s.b.divide(s.g(), s.b.add(s.x(0), constant_like_result(s, 1)))); }

void sqrt(Backward& s) { s.give(0, s.b.divide(s.b.multiply(s.g(), constant_like_result(s, 0.5)), s.y)); }

void rsqrt(Backward& s) {
  const InstructionId cube = s.b.multiply(s.y, s.b.multiply(s.y, s.y));
  s.give(0, s.b.multiply(s.g(), s.b.multiply(constant_like_result(s, -0.5), cube)));
}

void cbrt(Backward& s) {
  const InstructionId third = s.b.multiply(s.g(), constant_like_result(s, 1.0 / 3));
  s.give(0, s.b.divide(third, s.b.multiply(s.y, s.y)));
}

void tanh(Backward& s) { s.give(0, s.b.multiply(s.g(), one_minus_square(s.b, s.y))); }

void tan(Backward& s) { s.give(0, s.b.multiply(s.g(), s.b.add(constant_like_result(s, 1), s.b.multiply(s.y, s.y)))); }

void logistic(Backward& s) {
  const InstructionId rest = s.b.subtract(constant_like_result(s, 1), s.y);
  s.give(0, s.b.multiply(s.g(), s.b.multiply(s.y, rest)));
}

void erf(Backward& s) {
  const InstructionId bell = s.b.exponential(s.b.negate(squared_operand(s)));
  const InstructionId factor = constant_like_result(s, 2 / std::sqrt(std::numbers::pi));
  s.give(0, s.b.multiply(s.g(), s.b.multiply(bell, factor)));
}

void sine(Backward& s) { s.give(0, s.b.multiply(s.g(), s.b.unary(Opcode::cosine, s.x(0)))); }

void cosine(Backward& s) { s.give(0, s.b.negate(s.b.multiply(s.g(), s.b.unary(Opcode::sine, s.x(0))))); }

void sinh(Backward& s) { s.give(0, s.b.multiply(s.g(), s.b.unary(Opcode::cosh, s.x(0)))); }

void cosh(Backward& s) { s.give(0, s.b.multiply(s.g(), s.b.unary(Opcode::sinh, s.x(0)))); }

void asin(Backward& s) {
  const InstructionId one = constant_like_result(s, 1);
  s.give(0, over_root(s, s.b.subtract(one, squared_operand(s))));
}

void acos(Backward& s) {
  const InstructionId one = constant_like_result(s, 1);
  s.give(0, s.b.negate(over_root(s, s.b.subtract(one, squared_operand(s)))));
}

void asinh(Backward& s) {
  const InstructionId square = squared_operand(s);
  s.give(0, over_root(s, s.b.add(square, constant_like_result(s, 1))));
}

void acosh(Backward& s) {
  const InstructionId one = constant_like_result(s, 1);
  const InstructionId below = s.b.rsqrt(s.b.subtract(s.x(0), one)), above = s.b.rsqrt(s.b.add(s.x(0), one));
  s.give(0, s.b.multiply(s.g(), s.b.multiply(below, above)));
}

void atanh(Backward& s) {
  const InstructionId one = constant_like_result(s, 1);
  s.give(0, s.b.divide(s.g(), s.b.subtract(one, squared_operand(s))));
}

void sign(Backward& s) { s.give(0, formulas::complex_sign_gradient(s.b, s.x(0), s.y, s.g())); }

void reduce_precision(Backward& s) {
  Instruction same = s.forward;
  same.name.clear();
  same.op_name.clear();
  same.operands = {s.g()};
  s.give(0, s.b.add(std::move(same)));
}

void convert(Backward& s) { s.give(0, formulas::convert_gradient(s.b, s.g(), s.b.type(s.x(0)))); }

void copy(Backward& s) {
  if (s.forward.opcode == Opcode::copy && s.forward.target == lost_gradient) {
    s.refuse("its function has a rule of its own, which the text does not keep");
  }
  for (std::size_t leaf = 0; leaf < s.slopes.size(); ++leaf) {
    if (s.slopes[leaf] >= 0) s.give_leaf(0, leaf, s.slopes[leaf]);
  }
}

}  // namespace of

}  // namespace podsim::hlo::transform::gradient
