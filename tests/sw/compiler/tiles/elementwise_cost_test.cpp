// SPDX-License-Identifier: Apache-2.0
// The cost of a function is that of its expansion. The test writes each expansion operation by operation and evaluates
// it against the function.
#include "sw/compiler/tiles/elementwise_cost.h"

#include <gtest/gtest.h>

#include <numbers>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::sw::compiler::tiles {
namespace {

using std::numbers::inv_pi, std::numbers::ln2, std::numbers::pi;

hlo::Shape array(hlo::ElementType type) { return hlo::make_shape(type, {256}); }

struct Value {
  hlo::build::GraphBuilder* builder;
  hlo::InstructionId id;

  Value number(double value) const { return {builder, builder->full_like(id, value)}; }
  Value unary(hlo::Opcode opcode) const { return {builder, builder->unary(opcode, id)}; }
  Value binary(hlo::Opcode opcode, Value y) const { return {builder, builder->binary(opcode, id, y.id)}; }
  Value convert(hlo::ElementType type) const { return {builder, builder->convert(id, type)}; }
  Value bits_as(hlo::ElementType type) const {
    hlo::Instruction cast;
    cast.opcode = hlo::Opcode::bitcast_convert;
    cast.shape = array(type);
    cast.operands = {id};
    return {builder, builder->add(std::move(cast))};
  }
};

Value operator+(Value x, Value y) { return x.binary(hlo::Opcode::add, y); }
Value operator-(Value x, Value y) { return x.binary(hlo::Opcode::subtract, y); }
Value operator*(Value x, Value y) { return x.binary(hlo::Opcode::multiply, y); }
Value operator/(Value x, Value y) { return x.binary(hlo::Opcode::divide, y); }
Value operator+(Value x, double y) { return x + x.number(y); }
Value operator-(Value x, double y) { return x - x.number(y); }
Value operator*(Value x, double y) { return x * x.number(y); }
Value operator-(double x, Value y) { return y.number(x) - y; }
Value operator/(double x, Value y) { return y.number(x) / y; }
Value operator-(Value x) { return x.unary(hlo::Opcode::negate); }
Value abs(Value x) { return x.unary(hlo::Opcode::abs); }
Value sign(Value x) { return x.unary(hlo::Opcode::sign); }
Value sqrt(Value x) { return x.unary(hlo::Opcode::sqrt); }
Value exp(Value x) { return x.unary(hlo::Opcode::exponential); }
Value log(Value x) { return x.unary(hlo::Opcode::log); }

Value if_less(Value x, Value y, Value then, Value otherwise) {
  const hlo::InstructionId less = x.builder->compare(x.id, y.id, hlo::ComparisonDirection::lt);
  return {x.builder, x.builder->select(less, then.id, otherwise.id)};
}

/// Evaluates by Horner's rule, the highest power first.
Value polynomial(Value x, std::initializer_list<double> coefficients) {
  Value sum = x.number(*coefficients.begin());
  for (const double* next = coefficients.begin() + 1; next != coefficients.end(); ++next) sum = sum * x + *next;
  return sum;
}

Value expand_logistic(Value x, Value) { return 1.0 / (exp(-x) + 1); }

Value expand_expm1(Value x, Value = {}) {
  const Value e = exp(x);
  return if_less(abs(x), x.number(0.5), (x * 0.5).unary(hlo::Opcode::tanh) * (e + 1), e - 1);
}

Value expand_log1p(Value x, Value = {}) { return if_less(abs(x), x.number(1e-4), (x * -0.5 + 1) * x, log(x + 1)); }

/// sin(r), negated for odd multiples. The coefficients are those of SLEEF's sinf.
Value odd_and_sign(Value r, Value multiple) {
  const Value square = r * r;
  const Value sine = polynomial(square, {2.6083159809786593541503e-06, -0.0001981069071916863322258,
                                         0.00833307858556509017944336, -0.166666597127914428710938}) *
                         square * r +
                     r;
  const Value integer = multiple.convert(hlo::ElementType::s32);
  const Value flip = integer.binary(hlo::Opcode::shift_left, integer.number(31));
  return sine.bits_as(hlo::ElementType::s32).binary(hlo::Opcode::logical_xor, flip).bits_as(hlo::ElementType::f32);
}

/// pi in parts with exact products with small integers.
constexpr double pi_parts[] = {3.1414794921875, 0.00011315941810607910156, 1.9841872589410058936e-09};

Value expand_sine(Value x, Value = {}) {
  const Value n = (x * inv_pi).unary(hlo::Opcode::round_nearest_even);
  return odd_and_sign(x - n * pi_parts[0] - n * pi_parts[1] - n * pi_parts[2], n);
}

Value expand_cosine(Value x, Value = {}) {
  const Value n = (x * inv_pi - 0.5).unary(hlo::Opcode::round_nearest_even);
  const Value h = n + 0.5;
  return odd_and_sign(h * pi_parts[0] - x + h * pi_parts[1] + h * pi_parts[2], n);
}

Value expand_tan(Value x, Value) { return expand_sine(x) / expand_cosine(x); }

/// The coefficients are those of Eigen's and XLA's erf.
Value expand_erf(Value x, Value) {
  x = x.binary(hlo::Opcode::maximum, x.number(-4)).binary(hlo::Opcode::minimum, x.number(4));
  const Value square = x * x;
  return x *
         polynomial(square, {-2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
                             -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02}) /
         polynomial(square, {-1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
                             -1.42647390514189e-02});
}

/// The coefficients are those of SLEEF's atan2f.
Value expand_atan2(Value y, Value x) {
  const Value height = abs(y), width = abs(x);
  const Value slope = height.binary(hlo::Opcode::minimum, width) / height.binary(hlo::Opcode::maximum, width);
  const Value square = slope * slope;
  const Value angle =
      polynomial(square, {0.00282363896258175373077393, -0.0159569028764963150024414, 0.0425049886107444763183594,
                          -0.0748900920152664184570312, 0.106347933411598205566406, -0.142027363181114196777344,
                          0.199926957488059997558594, -0.333331018686294555664062}) *
          square * slope +
      slope;
  const Value upright = if_less(width, height, pi / 2 - angle, angle);
  const Value half = if_less(x, x.number(0), pi - upright, upright);
  const Value bits = y.bits_as(hlo::ElementType::s32);
  const Value y_sign = bits.binary(hlo::Opcode::logical_and, bits.number(double(INT32_MIN)));
  return half.bits_as(hlo::ElementType::s32).binary(hlo::Opcode::logical_or, y_sign).bits_as(hlo::ElementType::f32);
}

Value expand_cbrt(Value x, Value) { return sign(x) * abs(x).binary(hlo::Opcode::power, x.number(1.0 / 3)); }

Value expand_remainder(Value x, Value y) {
  return x - (x / y).convert(hlo::ElementType::s32).convert(hlo::ElementType::f32) * y;
}

Value expand_asin(Value x, Value) { return expand_atan2(x, sqrt(1 - x * x) + 1) * 2; }
Value expand_acos(Value x, Value) { return expand_atan2(sqrt(1 - x * x), x + 1) * 2; }
Value expand_cosh(Value x, Value) { return exp(x - ln2) + exp(-ln2 - x); }

Value expand_sinh(Value x, Value) {
  const Value e = expand_expm1(x);
  return if_less(abs(x), x.number(1), (e + e / (e + 1)) * 0.5, exp(x - ln2) - exp(-ln2 - x));
}

Value expand_asinh(Value x, Value) {
  const Value square = x * x;
  return sign(x) * expand_log1p(abs(x) + square / (sqrt(square + 1) + 1));
}

Value expand_acosh(Value x, Value) { return log(x + sqrt((x + 1) * (x - 1))); }
Value expand_atanh(Value x, Value) { return (expand_log1p(x) - expand_log1p(-x)) * 0.5; }
Value expand_clamp(Value x, Value) {
  return x.binary(hlo::Opcode::maximum, x.number(-0.5)).binary(hlo::Opcode::minimum, x.number(0.5));
}

struct Expansion {
  hlo::Opcode opcode;
  Value (*of)(Value x, Value y);
  double low, high;  ///< range of x; y is in [1, 3]
};

const Expansion expansions[] = {
    {hlo::Opcode::logistic, expand_logistic, -20, 20},
    {hlo::Opcode::exponential_minus_one, expand_expm1, -3, 3},
    {hlo::Opcode::log_plus_one, expand_log1p, -0.9, 3},
    {hlo::Opcode::sine, expand_sine, -20, 20},
    {hlo::Opcode::cosine, expand_cosine, -20, 20},
    {hlo::Opcode::tan, expand_tan, -1.4, 1.4},
    {hlo::Opcode::erf, expand_erf, -6, 6},
    {hlo::Opcode::atan2, expand_atan2, -9, 9},
    {hlo::Opcode::cbrt, expand_cbrt, -50, 50},
    {hlo::Opcode::remainder, expand_remainder, -7, 7},
    {hlo::Opcode::asin, expand_asin, -0.99, 0.99},
    {hlo::Opcode::acos, expand_acos, -0.99, 0.99},
    {hlo::Opcode::cosh, expand_cosh, -5, 5},
    {hlo::Opcode::sinh, expand_sinh, -5, 5},
    {hlo::Opcode::asinh, expand_asinh, -9, 9},
    {hlo::Opcode::acosh, expand_acosh, 1.1, 9},
    {hlo::Opcode::atanh, expand_atanh, -0.9, 0.9},
    {hlo::Opcode::clamp, expand_clamp, -1, 1},
};

template <class Write>
hlo::Module module_of(Write write) {
  hlo::build::GraphBuilder builder("expansion");
  const Value x{&builder, builder.parameter(array(hlo::ElementType::f32), "x")};
  const Value y{&builder, builder.parameter(array(hlo::ElementType::f32), "y")};
  const hlo::InstructionId root = write(x, y).id;
  return std::move(builder).build(root);
}

/// Applies the opcode to x, or to x and y; a clamp has the bounds [-1/2, 1/2].
Value function(hlo::Opcode opcode, Value x, Value y) {
  if (opcode == hlo::Opcode::atan2 || opcode == hlo::Opcode::remainder) return x.binary(opcode, y);
  if (opcode != hlo::Opcode::clamp) return x.unary(opcode);
  hlo::Instruction clamp;
  clamp.opcode = opcode;
  clamp.shape = array(hlo::ElementType::f32);
  clamp.operands = {x.number(-0.5).id, x.id, x.number(0.5).id};
  return {x.builder, x.builder->add(std::move(clamp))};
}

TEST(ElementwiseCost, OfTheTranscendentalUnitsOwnFunctionsCountsPushesScalingAndRefinement) {
  EXPECT_EQ(elementwise_cost(hlo::Opcode::add), (ElementwiseCost{1, 0}));
  for (const hlo::Opcode opcode : {hlo::Opcode::tanh, hlo::Opcode::rsqrt, hlo::Opcode::sqrt}) {
    EXPECT_EQ(elementwise_cost(opcode), (ElementwiseCost{1, 1})) << hlo::to_string(opcode) << ": a push";
  }
  for (const hlo::Opcode opcode : {hlo::Opcode::exponential, hlo::Opcode::log}) {
    EXPECT_EQ(elementwise_cost(opcode), (ElementwiseCost{2, 1})) << hlo::to_string(opcode) << ": a product, a push";
  }
  EXPECT_EQ(elementwise_cost(hlo::Opcode::divide), (ElementwiseCost{3, 1})) << "a push, a refinement, a product";
  EXPECT_EQ(elementwise_cost(hlo::Opcode::power), (ElementwiseCost{3, 2})) << "two pushes, a product";
}

TEST(ElementwiseCost, OfOtherFunctionsIsThatOfTheirExpansions) {
  for (const Expansion& expansion : expansions) {
    const hlo::Module module = module_of(expansion.of);
    ElementwiseCost sum;
    for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
      if (!hlo::is_elementwise(instruction.opcode)) continue;
      const ElementwiseCost cost = elementwise_cost(instruction.opcode);
      sum.alu += cost.alu;
      sum.transcendental += cost.transcendental;
    }
    const ElementwiseCost cost = elementwise_cost(expansion.opcode);
    EXPECT_EQ(cost.alu, sum.alu) << hlo::to_string(expansion.opcode);
    EXPECT_EQ(cost.transcendental, sum.transcendental) << hlo::to_string(expansion.opcode);
  }
}

// f32 has 24 bits, a unit of 1.2e-7: expansions with a dozen roundings are right to a few units.
TEST(ElementwiseCost, ExpansionsAreTheFunctions) {
  for (const Expansion& expansion : expansions) {
    SCOPED_TRACE(hlo::to_string(expansion.opcode));
    const std::vector<hlo::Literal> arguments = {
        hlo::testing::random_literal(array(hlo::ElementType::f32), 1, expansion.low, expansion.high),
        hlo::testing::random_literal(array(hlo::ElementType::f32), 2, 1, 3)};
    const hlo::Module exact = module_of([&](Value x, Value y) { return function(expansion.opcode, x, y); });
    hlo::testing::expect_near(hlo::eval::evaluate(module_of(expansion.of), arguments),
                              hlo::eval::evaluate(exact, arguments), 3e-6, 1e-6);
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
