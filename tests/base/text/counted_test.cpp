// SPDX-License-Identifier: Apache-2.0
#include "base/text/counted.h"

#include <gtest/gtest.h>

namespace podsim::base::text {
namespace {

TEST(Counted, OneIsNotPlural) {
  EXPECT_EQ(counted(1, "chip"), "1 chip");
  EXPECT_EQ(counted(0, "chip"), "0 chips");
  EXPECT_EQ(counted(2, "chip"), "2 chips");
  EXPECT_EQ(counted(1, "axis", "axes"), "1 axis");
  EXPECT_EQ(counted(3, "axis", "axes"), "3 axes");
}

// Eight, eighty, eleven, eighteen, eleven thousand and eighteen thousand begin with a vowel when read aloud.
TEST(Counted, TheArticleFollowsTheFirstSound) {
  for (const char* text : {"8x4", "8", "80", "800", "11", "18x2", "11000", "18000", "axis", "Op"}) {
    EXPECT_EQ(with_article(text), std::string("an ") + text);
  }
  for (const char* text : {"1x1", "4x8", "10", "16x16", "110", "118", "180", "1100", "128x32", "mesh", ""}) {
    EXPECT_EQ(with_article(text), std::string("a ") + text);
  }
}

}  // namespace
}  // namespace podsim::base::text
