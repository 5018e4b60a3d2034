// SPDX-License-Identifier: Apache-2.0
#include "report/html/chart_scale.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace podsim::report::html {
namespace {

using Values = std::vector<double>;

void expect_near(const Values& found, const Values& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9 * std::abs(expected[i]));
}

TEST(ChartScale, PlacesEndsAndTheMiddleBetweenThem) {
  const ChartScale up = ChartScale::linear(10, 30, 200, 0);
  EXPECT_DOUBLE_EQ(up.place(10), 200);
  EXPECT_DOUBLE_EQ(up.place(30), 0);
  EXPECT_DOUBLE_EQ(up.place(20), 100);
  const ChartScale decades = ChartScale::logarithmic(1, 1e4, 0, 100);
  EXPECT_NEAR(decades.place(100), 50, 1e-9);
}

RC_GTEST_PROP(ChartScale, ValueAtUndoesPlace, ()) {
  const double low = double(*rc::gen::inRange(1, 1000)), high = low + double(*rc::gen::inRange(1, 100000));
  const double part = double(*rc::gen::inRange(0, 1000)) / 1000;
  for (const ChartScale& scale : {ChartScale::linear(low, high, 300, 20), ChartScale::logarithmic(low, high, 7, 400)}) {
    const double value = low + part * (high - low);
    RC_ASSERT(std::abs(scale.value_at(scale.place(value)) - value) < 1e-9 * high);
  }
}

TEST(ChartScale, TicksAreRound) {
  expect_near(ChartScale::linear(0, 10, 0, 1).ticks(5), {0, 2, 4, 6, 8, 10});
  expect_near(ChartScale::linear(0.1, 0.95, 0, 1).ticks(5), {0.2, 0.4, 0.6, 0.8});
  expect_near(ChartScale::linear(-3, 7, 0, 1).ticks(2), {0, 5});
  expect_near(ChartScale::logarithmic(1, 1000, 0, 1).ticks(6), {1, 10, 100, 1000});
  expect_near(ChartScale::logarithmic(0.5, 30, 0, 1).ticks(9), {0.5, 1, 2, 5, 10, 20});
  expect_near(ChartScale::logarithmic(1, 1e8, 0, 1).ticks(4), {1, 1e2, 1e4, 1e6, 1e8});
}

RC_GTEST_PROP(ChartScale, TicksLieWithinAndAreFew, ()) {
  const double low = double(*rc::gen::inRange(-100000, 100000)) / 37,
               high = low + double(*rc::gen::inRange(1, 1000000)) / 91;
  const int most = *rc::gen::inRange(2, 12);
  const ChartScale scale = ChartScale::linear(low, high, 0, 100);
  const Values ticks = scale.ticks(most);
  const double slack = 1e-6 * (high - low);
  RC_ASSERT(int(ticks.size()) <= most + 1);
  for (const double tick : ticks) RC_ASSERT(tick >= low - slack && tick <= high + slack);
  const ChartScale wide = scale.rounded(most);
  RC_ASSERT(wide.low() <= low + slack && wide.high() >= high - slack);
}

TEST(ChartScale, TakesValuesThatDifferByRoundingAloneForOne) {
  for (const double value : {0.1, -3.0, 7e15}) {
    const ChartScale scale = ChartScale::linear(value, std::nextafter(value, 1e18), 0, 100);
    EXPECT_NEAR(scale.place(value), 50, 1e-6);
    EXPECT_GE(scale.ticks(6).size(), 2U) << value;
    EXPECT_LE(scale.rounded(6).ticks(6).size(), 8U) << value;
  }
}

TEST(ChartScale, RoundsItsEndsOutward) {
  const ChartScale linear = ChartScale::linear(0, 9.3, 0, 1).rounded(5);
  EXPECT_DOUBLE_EQ(linear.high(), 10);
  const ChartScale decades = ChartScale::logarithmic(0.3, 2000, 0, 1).rounded();
  EXPECT_NEAR(decades.low(), 0.1, 1e-12);
  EXPECT_NEAR(decades.high(), 1e4, 1e-6);
}

TEST(ChartScale, WidensARangeOfOneValue) {
  for (const ChartScale& scale : {ChartScale::linear(3, 3, 0, 100), ChartScale::logarithmic(3, 3, 0, 100)}) {
    EXPECT_NEAR(scale.place(3), 50, 1e-9);
    EXPECT_FALSE(scale.ticks().empty());
  }
}

// A damaged result may hold any number. A tick is at a multiple of a step, or of a decade with its 2 and 5.
TEST(ChartScale, HasFewFiniteTicksForAnyNumbers) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  const Values ends = {-infinity, -1e308, -1, 0, 1e-320, 1, 1e308, infinity, nan};
  for (const double low : ends) {
    for (const double high : ends) {
      for (const ChartScale& scale :
           {ChartScale::linear(low, high, 0, 100), ChartScale::logarithmic(low, high, 0, 100)}) {
        const Values ticks = scale.ticks(6);
        EXPECT_LE(ticks.size(), 13U) << low << " " << high;
        for (const double tick : ticks) EXPECT_TRUE(std::isfinite(tick)) << low << " " << high;
      }
    }
  }
}

TEST(ChartScale, PlacesWhatHasNoLogarithmAtItsLowEnd) {
  EXPECT_DOUBLE_EQ(ChartScale::logarithmic(1, 10, 5, 95).place(0), 5);
  EXPECT_DOUBLE_EQ(ChartScale::logarithmic(1, 10, 5, 95).place(-2), 5);
}

}  // namespace
}  // namespace podsim::report::html
