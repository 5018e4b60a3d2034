// SPDX-License-Identifier: Apache-2.0
#include "base/text/percent.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/units.h"

namespace podsim::base::text {
namespace {

TEST(Percent, HasItsDecimalsAndSign) {
  EXPECT_EQ(percent(0.25), "25.0 %");
  EXPECT_EQ(percent(0.25, 0), "25 %");
  EXPECT_EQ(signed_percent(0.25, 2), "+25.00 %");
  EXPECT_EQ(signed_percent(-0.25), "-25.0 %");
}

/// 0/0, and a change from nothing.
TEST(Percent, OfNothingIsADash) {
  const double none = std::numeric_limits<double>::quiet_NaN(), all = std::numeric_limits<double>::infinity();
  for (const double share : {none, -none, all, -all}) {
    EXPECT_EQ(percent(share), "-");
    EXPECT_EQ(signed_percent(share), "-");
  }
}

TEST(Percent, ARateOverNoTimeIsADash) {
  EXPECT_EQ(to_string(Bandwidth(std::numeric_limits<double>::infinity())), "-");
  EXPECT_EQ(to_string(Duration(std::numeric_limits<double>::quiet_NaN())), "-");
}

}  // namespace
}  // namespace podsim::base::text
