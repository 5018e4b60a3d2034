// SPDX-License-Identifier: Apache-2.0
#include "hlo/shape.h"

#include <gtest/gtest.h>

namespace podsim::hlo {
namespace {

Shape laid_out(ElementType type, std::vector<std::int64_t> sizes, std::vector<int> minor_to_major) {
  Shape shape = make_shape(type, std::move(sizes));
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

TEST(Shape, PrintsAsHloDoes) {
  EXPECT_EQ(to_string(laid_out(ElementType::bf16, {128, 56, 56, 64}, {0, 3, 2, 1})), "bf16[128,56,56,64]{0,3,2,1}");
  EXPECT_EQ(to_string(make_tuple_shape({make_shape(ElementType::f32, {}), make_shape(ElementType::s32, {2})})),
            "(f32[], s32[2])");
}

TEST(Shape, LogicalBytesAreElementsTimesWidth) {
  EXPECT_EQ(logical_bytes(make_shape(ElementType::bf16, {128, 224, 224, 3})).value(), 128LL * 224 * 224 * 3 * 2);
  EXPECT_EQ(
      logical_bytes(make_tuple_shape({make_shape(ElementType::f64, {3}), make_shape(ElementType::pred, {5})})).value(),
      3 * 8 + 5);
}

// Tiles as printed in profiles of TPU v3: f32[64]{0:T(256)}, f32[2048]{0:T(1024)}, bf16[64]{0:T(512)},
// pred[32]{0:T(1024)}, f32[1,1024]{1,0:T(2,128)}, bf16[7,7,3,64]{3,2,1,0:T(4,128)},
// bf16[128,56,56,64]{0,3,2,1:T(8,128)}.
TEST(Shape, PaddedBytesFollowTheTilesSeenInProfiles) {
  EXPECT_EQ(padded_bytes(make_shape(ElementType::f32, {64})).value(), 256 * 4);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::f32, {2048})).value(), 2048 * 4);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::f32, {30522})).value(), 30 * 1024 * 4);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::bf16, {64})).value(), 512 * 2);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::pred, {32})).value(), 1024);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::f32, {1, 1024})).value(), 2 * 1024 * 4);
  EXPECT_EQ(padded_bytes(make_shape(ElementType::bf16, {7, 7, 3, 64})).value(), 7 * 7 * 4 * 128 * 2);
  EXPECT_EQ(padded_bytes(laid_out(ElementType::bf16, {128, 56, 56, 64}, {0, 3, 2, 1})).value(), 128 * 56 * 56 * 64 * 2);
  EXPECT_EQ(padded_bytes(laid_out(ElementType::bf16, {128, 56, 56, 64}, {3, 0, 2, 1})).value(),
            2 * 128 * 56 * 56 * 64 * 2);
}

TEST(Shape, CompatibleIgnoresTheLayout) {
  EXPECT_TRUE(laid_out(ElementType::f32, {2, 3}, {0, 1}).compatible(make_shape(ElementType::f32, {2, 3})));
  EXPECT_FALSE(make_shape(ElementType::f32, {2, 3}).compatible(make_shape(ElementType::bf16, {2, 3})));
  EXPECT_FALSE(make_tuple_shape({make_shape(ElementType::f32, {2})}).compatible(make_tuple_shape({})));
}

}  // namespace
}  // namespace podsim::hlo
