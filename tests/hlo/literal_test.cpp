// SPDX-License-Identifier: Apache-2.0
#include "hlo/literal.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <cstdint>

namespace podsim::hlo {
namespace {

TEST(Literal, Bf16RoundsToNearestEven) {
  EXPECT_EQ(round_to(ElementType::bf16, 1 + 1.0 / 256), 1);              // half way, the even neighbour is below
  EXPECT_EQ(round_to(ElementType::bf16, 1 + 3.0 / 256), 1 + 4.0 / 256);  // half way, the even neighbour is above
  EXPECT_EQ(round_to(ElementType::bf16, 1 + 1.0 / 256 + 1e-12), 1 + 2.0 / 256);  // no double rounding through f32
  EXPECT_EQ(round_to(ElementType::bf16, 3.4e38), INFINITY);
  EXPECT_TRUE(std::isnan(round_to(ElementType::bf16, NAN)));
}

TEST(Literal, RoundingOfF32ValuesToBf16AndF16EqualsEigens) {
  EXPECT_TRUE(rc::check([](std::uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    RC_PRE(std::isfinite(value));
    RC_ASSERT(round_to(ElementType::bf16, value) == double(float(Eigen::bfloat16(value))));
    RC_ASSERT(round_to(ElementType::f16, value) == double(float(Eigen::half(value))));
  }));
}

TEST(Literal, IntegersWrapAndPredicatesAreZeroOrOne) {
  EXPECT_EQ(round_to(ElementType::s8, 128), -128);
  EXPECT_EQ(round_to(ElementType::s8, -129), 127);
  EXPECT_EQ(round_to(ElementType::u8, -1), 255);
  EXPECT_EQ(round_to(ElementType::s32, 2147483648.0), -2147483648.0);
  EXPECT_EQ(round_to(ElementType::pred, -0.5), 1);
}

}  // namespace
}  // namespace podsim::hlo
