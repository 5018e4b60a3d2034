// SPDX-License-Identifier: Apache-2.0
// Slopes at corners: where two numbers are equal, a number is 0, or is on a bound. The expected ones are those of the
// rules of lax: maximum and minimum halve, relu has 0 at 0, abs has 1, and clamp none on a bound.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "hlo/transform/formulas/log_add_exp.h"
#include "hlo/transform/gradient.h"
#include "hlo/transform/inline_calls.h"
#include "hlo/transform/relu.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/transform/slopes.h"

namespace podsim::hlo::transform {
namespace {

using testing::slopes;
using Numbers = std::vector<double>;

const std::string two = "x = f64[3] parameter(0)\n y = f64[3] parameter(1)\n";
const std::string zeros = "z = f64[] constant(0)\n zs = f64[3] broadcast(z), dimensions={}\n";

TEST(TieGradient, OfMaximumAndMinimumIsHalvedBetweenEqualNumbers) {
  const auto maximum = slopes(two + "ROOT r = f64[3] maximum(x, y)", {{1, 2, 3}, {1, 3, 2}});
  EXPECT_EQ(maximum[0], (Numbers{0.5, 0, 1}));
  EXPECT_EQ(maximum[1], (Numbers{0.5, 1, 0}));
  const auto minimum = slopes(two + "ROOT r = f64[3] minimum(x, y)", {{1, 2, 3}, {1, 3, 2}});
  EXPECT_EQ(minimum[0], (Numbers{0.5, 1, 0}));
  EXPECT_EQ(minimum[1], (Numbers{0.5, 0, 1}));
  EXPECT_EQ(slopes("x = f64[3] parameter(0)\n" + zeros + "ROOT r = f64[3] maximum(x, zs)", {{-1, 0, 1}})[0],
            (Numbers{0, 0.5, 1}));
}

TEST(TieGradient, OfAReluIsZeroAtItsCorners) {
  for (const std::string name : {"relu", "relu_3", "relu.7"}) {
    SCOPED_TRACE(name);
    const std::string function =
        name + " {\n x = f64[3] parameter(0)\n" + zeros + "ROOT m = f64[3] maximum(x, zs)\n}\n";
    EXPECT_EQ(slopes("x = f64[3] parameter(0)\n ROOT r = f64[3] call(x), to_apply=" + name, {{-1, 0, 2}}, function)[0],
              (Numbers{0, 0, 1}));
  }
  const std::string relu6 = "relu6 {\n x = f64[3] parameter(0)\n" + zeros +
                            "m = f64[3] maximum(x, zs)\n s = f64[] constant(6)\n ss = f64[3] broadcast(s), "
                            "dimensions={}\n ROOT c = f64[3] minimum(m, ss)\n}\n";
  EXPECT_EQ(slopes("x = f64[3] parameter(0)\n ROOT r = f64[3] call(x), to_apply=relu6", {{0, 6, 2}}, relu6)[0],
            (Numbers{0, 0, 1}));
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(ElementType::f64, {3}), "x");
  const InstructionId loss = b.reduce_add(relu(b, x), {0});
  const InstructionId slope = gradients(b, loss, std::vector{x})[0];
  const Module module = std::move(b).build(slope);
  EXPECT_EQ(eval::evaluate(module, std::vector{testing::make_literal(ElementType::f64, {3}, {-1, 0, 2})}).values,
            (Numbers{0, 0, 1}));
}

TEST(TieGradient, ThatTheSecondOperandHasIsPartOfTheText) {
  const std::string marked = two + "ROOT r = f64[3] maximum(x, y), frontend_attributes={tie_gradient=\"second\"}";
  const auto found = slopes(marked, {{1, 2, 3}, {1, 3, 2}});
  EXPECT_EQ(found[0], (Numbers{0, 0, 1}));
  EXPECT_EQ(found[1], (Numbers{1, 1, 0}));
  const Module module = testing::graph_of_entry(marked);
  EXPECT_EQ(hlo::to_string(testing::graph_of(hlo::to_string(module))), hlo::to_string(module));
}

// The loss sum x c with c = x held: its slope is c. The mark survives printing.
TEST(TieGradient, OfACopyThatStopsGradientsIsZero) {
  const std::string stopped =
      "x = f64[3] parameter(0)\n c = f64[3] copy(x), frontend_attributes={gradient=\"none\"}\n ROOT r = f64[3] "
      "multiply(x, c)";
  EXPECT_EQ(slopes(stopped, {{1, 2, 3}})[0], (Numbers{1, 2, 3}));
  const Module module = testing::graph_of_entry(stopped);
  EXPECT_EQ(hlo::to_string(testing::graph_of(hlo::to_string(module))), hlo::to_string(module));
  EXPECT_EQ(slopes("x = f64[3] parameter(0)\n c = f64[3] copy(x)\n ROOT r = f64[3] multiply(x, c)", {{1, 2, 3}})[0],
            (Numbers{2, 4, 6}));
}

// The text does not have the rule of the function that computes c.
TEST(TieGradient, OfACopyWhoseRuleIsLostIsRefused) {
  const std::string lost =
      "x = f64[3] parameter(0)\n ROOT c = f64[3] copy(x), frontend_attributes={gradient=\"custom\"}";
  EXPECT_THROW(slopes(lost, {{1, 2, 3}}), std::logic_error);
}

// log(1 + e^x) has slope 1/2 at 0, and log(e^x + e^y) where x = y.
TEST(TieGradient, OfALogOfASumIsThatOfTheSmoothFunction) {
  const std::string softplus = "x = f64[3] parameter(0)\n" + zeros +
                               "m = f64[3] maximum(x, zs)\n a = f64[3] abs(x)\n n = f64[3] negate(a)\n e = f64[3] "
                               "exponential(n)\n l = f64[3] log-plus-one(e)\n ROOT r = f64[3] add(m, l)";
  const Numbers found = slopes(softplus, {{-1, 0, 1}})[0];
  EXPECT_EQ(found[1], 0.5);
  EXPECT_NEAR(found[0], 1 / (1 + std::exp(1.0)), 1e-15);
  EXPECT_NEAR(found[2], 1 / (1 + std::exp(-1.0)), 1e-15);
  const auto both = slopes(two +
                               "m = f64[3] maximum(x, y)\n d = f64[3] subtract(y, x)\n a = f64[3] abs(d)\n n = f64[3] "
                               "negate(a)\n e = f64[3] exponential(n)\n l = f64[3] log-plus-one(e)\n ROOT r = f64[3] "
                               "add(m, l)",
                           {{1, 1, 4}, {1, 1, 4}});
  EXPECT_EQ(both[0], (Numbers{0.5, 0.5, 0.5}));
  EXPECT_EQ(both[1], (Numbers{0.5, 0.5, 0.5}));
}

// Without the maximum, e^-|x| has the slope of -|x| at 0, which is -1.
TEST(TieGradient, OfAbsIsOneAtZero) {
  EXPECT_EQ(slopes("x = f64[3] parameter(0)\n ROOT r = f64[3] abs(x)", {{-2, 0, 3}})[0], (Numbers{-1, 1, 1}));
  EXPECT_EQ(
      slopes("x = f64[1] parameter(0)\n a = f64[1] abs(x)\n n = f64[1] negate(a)\n ROOT r = f64[1] exponential(n)",
             {{0}})[0],
      (Numbers{-1}));
}

TEST(TieGradient, OfAClampIsZeroOnItsBounds) {
  const std::string clamp =
      "l = f64[5] parameter(0)\n x = f64[5] parameter(1)\n h = f64[5] parameter(2)\n ROOT r = f64[5] "
      "clamp(l, x, h)";
  const auto found = slopes(clamp, {{-1, -1, -1, -1, -1}, {-2, -1, 0, 1, 2}, {1, 1, 1, 1, 1}});
  EXPECT_EQ(found[0], (Numbers{1, 0, 0, 0, 0}));
  EXPECT_EQ(found[1], (Numbers{0, 0, 1, 0, 0}));
  EXPECT_EQ(found[2], (Numbers{0, 0, 0, 0, 1}));
}

// max(0, x_i) over windows of two: windows whose result is the initial value, 0, change with no element.
TEST(TieGradient, OfAWindowThatItsInitialValueWinsIsZero) {
  const std::string max = "max {\n a = f64[] parameter(0)\n b = f64[] parameter(1)\n ROOT m = f64[] maximum(a, b)\n}\n";
  EXPECT_EQ(slopes("x = f64[4] parameter(0)\n z = f64[] constant(0)\n ROOT r = f64[3] reduce-window(x, z), "
                   "window={size=2}, to_apply=max",
                   {{-1, -2, 3, 1}}, max)[0],
            (Numbers{0, 0, 2, 0}));
}

// d 0^y / dy = 0, and not 0 log 0.
TEST(TieGradient, OfAPowerOfZeroIsZero) {
  EXPECT_EQ(
      slopes("x = f64[2] parameter(0)\n y = f64[2] parameter(1)\n ROOT r = f64[2] power(x, y)", {{0, 1}, {2, 5}})[1],
      (Numbers{0, 0}));
}

}  // namespace
}  // namespace podsim::hlo::transform
