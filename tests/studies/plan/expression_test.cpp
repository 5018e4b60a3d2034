// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/expression.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include <cmath>

namespace podsim::studies::plan {
namespace {

double value_of(const std::string& text, double x = 0, double y = 0) {
  Expression expression({"x", text, {}});
  return expression.evaluate([&](const std::string& name) { return name == "a.x" ? x : y; });
}

TEST(Expression, HasNamesWithDots) {
  const Expression expression({"x", "mxu.size ^ 2 * mxu.count - chips + mxu.size", {}});
  EXPECT_EQ(expression.names(), (std::vector<std::string>{"mxu.size", "mxu.count", "chips"}));
}

TEST(Expression, KnowsNumbersFromNames) {
  EXPECT_EQ(value_of("2.5e3 * 2 + .5"), 5000.5);
  EXPECT_EQ(value_of("a.x * 1.5", 4), 6);
}

TEST(Expression, ComparesAndJoins) {
  EXPECT_EQ(value_of("a.x <= 3 && y > 1", 3, 2), 1);
  EXPECT_EQ(value_of("a.x < 3 || y != 2", 3, 2), 0);
  EXPECT_EQ(value_of("a.x == 3 ? 10 : 20", 3), 10);
  EXPECT_EQ(value_of("!(a.x < 3 && y != 2) && !0", 3, 2), 1);
  EXPECT_EQ(value_of("!a.x", 3), 0);
}

TEST(Expression, HasRoundingAndRemainders) {
  EXPECT_EQ(value_of("floor(2.7) + 10 * ceil(2.2) + 100 * mod(7, 4)"), 2 + 30 + 300);
  EXPECT_EQ(value_of("log2(1024) + sqrt(16)"), 14);
}

TEST(Expression, GivesInfinityForADivisionByNothing) { EXPECT_TRUE(std::isinf(value_of("1 / a.x"))); }

TEST(Expression, PointsAtANameAsAWord) {
  const Expression expression({"x", "batch_per_core * core", {"s.toml", 3, 10, 1, ""}});
  EXPECT_EQ(expression.place("core").column, 10 + 17);
  EXPECT_EQ(expression.place("core").length, 4);
}

RC_GTEST_PROP(Expression, CalculatesAsC, (double x, double y)) {
  RC_PRE(std::isfinite(x) && std::isfinite(y));
  RC_ASSERT(value_of("a.x * 3 + (y - a.x) / 4", x, y) == x * 3 + (y - x) / 4);
}

}  // namespace
}  // namespace podsim::studies::plan
