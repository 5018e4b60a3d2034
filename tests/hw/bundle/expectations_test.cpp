// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/expectations.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>

namespace podsim::hw::bundle {
namespace {

std::uint32_t bits(float value) { return std::bit_cast<std::uint32_t>(value); }

bool holds(std::uint32_t expected, std::uint32_t found, double tolerance) {
  return !check_expectation({isa::MemorySpace::hbm, 0, {expected}, tolerance, {}}, {found}).has_value();
}

constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Expectations, WithoutAToleranceBitsAreEqual) {
  EXPECT_TRUE(holds(bits(1), bits(1), -1));
  EXPECT_FALSE(holds(bits(1), bits(1) + 1, -1));
  EXPECT_FALSE(holds(bits(0.0F), bits(-0.0F), -1));
}

TEST(Expectations, AToleranceIsRelativeToTheLargerOf1AndTheValue) {
  EXPECT_TRUE(holds(bits(100), bits(101), 0.01));
  EXPECT_FALSE(holds(bits(100), bits(101.5F), 0.01));
  EXPECT_TRUE(holds(bits(0.001F), bits(0.010F), 0.01));
  EXPECT_FALSE(holds(bits(0.001F), bits(0.012F), 0.01));
  EXPECT_TRUE(holds(bits(0.0F), bits(-0.0F), 0));
}

TEST(Expectations, NanMatchesNanAndInfinityItself) {
  EXPECT_TRUE(holds(0x7fc00000, 0xffc00001, 0.1));
  EXPECT_FALSE(holds(0x7fc00000, bits(1), 0.1));
  EXPECT_FALSE(holds(bits(1), 0x7fc00000, 0.1));
  EXPECT_TRUE(holds(bits(infinity), bits(infinity), 0.1));
  EXPECT_FALSE(holds(bits(infinity), bits(-infinity), 0.1));
  EXPECT_FALSE(holds(bits(infinity), bits(1e38F), 0.1));
  EXPECT_FALSE(holds(bits(1e38F), bits(infinity), 0.1));
}

TEST(Expectations, TellTheFirstWordAndHowManyDiffer) {
  const isa::Expectation expectation{isa::MemorySpace::hbm, 0, {1, 2, 3, 4, 5}, -1, {}};
  const auto failed = check_expectation(expectation, {1, 9, 3, 8, 7});
  ASSERT_TRUE(failed);
  EXPECT_EQ(failed->expectation, &expectation);
  EXPECT_EQ(failed->first, 1u);
  EXPECT_EQ(failed->differences, 3u);
  EXPECT_EQ(failed->expected, 2u);
  EXPECT_EQ(failed->found, 9u);
}

}  // namespace
}  // namespace podsim::hw::bundle
