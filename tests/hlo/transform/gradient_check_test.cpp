// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/gradient_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "hlo/transform/gradient.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::transform {
namespace {

using testing::f64;
using Function = std::function<InstructionId(build::GraphBuilder&, InstructionId x)>;

/// The check of the sum of f(x) + cos(y), with a gradient of f that is `factor` times the right one.
std::vector<DirectionalSlope> slopes_of(const Function& f, const std::vector<double>& x, double factor = 1) {
  const auto program = [&](bool with_gradients) {
    build::GraphBuilder b("test");
    const Shape shape = make_shape(f64, {std::int64_t(x.size())});
    const InstructionId first = b.parameter(shape, "x"), second = b.parameter(shape, "y");
    const InstructionId value = f(b, first);
    InstructionId root = b.reduce_add(b.add(value, b.unary(Opcode::cosine, second)), {0});
    if (with_gradients) {
      GivenGradient wrong{value, {first}, [&](build::GraphBuilder& g, InstructionId slope) {
                            const InstructionId loss = g.reduce_add(value, {0});
                            const InstructionId right = gradients(g, loss, std::vector{first})[0];
                            return std::vector{g.multiply(g.multiply(right, slope), g.full_like(right, factor))};
                          }};
      root = b.tuple(gradients(b, root, std::vector{first, second}, {}, std::vector{wrong}));
    }
    return std::move(b).build(root);
  };
  const Module loss = program(false), gradient = program(true);
  CheckedGradient checked;
  checked.loss = &loss;
  checked.gradients = &gradient;
  checked.parameters = {0, 1};
  const std::vector<std::vector<Literal>> arguments{
      {testing::make_literal(f64, {std::int64_t(x.size())}, x),
       testing::random_literal(make_shape(f64, {std::int64_t(x.size())}), 3)}};
  return check_gradients(checked, arguments);
}

// d sin / dx along the direction that the check drew, from the slope of -sin along that of y as it is drawn likewise.
TEST(GradientCheck, OfARightGradientAgreesInAllDigitsThatDifferencesHave) {
  const auto found = slopes_of([](auto& b, InstructionId x) { return b.unary(Opcode::sine, x); }, {0.3, -2, 7});
  for (const DirectionalSlope& slope : found) {
    EXPECT_EQ(slope.verdict, Slope::agrees);
    EXPECT_LT(slope.relative_difference(), 1e-8);
    EXPECT_NE(slope.by_differences, 0);
    EXPECT_NEAR(slope.to_left, slope.to_right, 1e-4);
  }
}

TEST(GradientCheck, OfAWrongGradientNamesItsParameter) {
  for (const double factor : {2.0, 0.0, -1.0, 1.001, 1.00001}) {
    SCOPED_TRACE(factor);
    const auto found = slopes_of([](auto& b, InstructionId x) { return b.exponential(x); }, {0.3, -2, 1}, factor);
    EXPECT_EQ(found[0].verdict, Slope::differs);
    EXPECT_NEAR(found[0].by_gradient / found[0].by_differences, factor, 1e-7);
    EXPECT_EQ(found[1].verdict, Slope::agrees);
  }
}

// |x| has the slopes -1 and 1 at 0, of which the gradient is one.
TEST(GradientCheck, OfACornerIsReportedAsOne) {
  const auto found = slopes_of([](auto& b, InstructionId x) { return b.abs(x); }, {0});
  EXPECT_EQ(found[0].verdict, Slope::is_kinked);
  EXPECT_NEAR(found[0].to_left, -found[0].to_right, 1e-9);
  EXPECT_NEAR(std::abs(found[0].by_gradient), std::abs(found[0].to_right), 1e-9);
  EXPECT_EQ(found[1].verdict, Slope::agrees);
}

TEST(GradientCheck, OfAJumpIsReportedAsACorner) {
  const auto found =
      slopes_of([](build::GraphBuilder& b, InstructionId x) { return b.add(x, b.unary(Opcode::floor, x)); }, {3});
  EXPECT_EQ(found[0].verdict, Slope::is_kinked);
}

TEST(GradientCheck, OfWhatIsNotANumberIsNotFinite) {
  const auto found = slopes_of([](auto& b, InstructionId x) { return b.log(x); }, {-1});
  EXPECT_EQ(found[0].verdict, Slope::not_finite);
}

}  // namespace
}  // namespace podsim::hlo::transform
