// SPDX-License-Identifier: Apache-2.0
#include "hlo/tile_order.h"

#include <gtest/gtest.h>

namespace podsim::hlo {
namespace {

Shape of_layout(std::vector<std::int64_t> sizes, std::vector<int> minor_to_major = {}) {
  Shape shape = make_shape(ElementType::f32, std::move(sizes));
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

TEST(TileOrder, NamesTheDigitsOfAPlace) {
  using Digits = std::vector<PlaceDigit>;
  EXPECT_EQ(place_digits(of_layout({4096, 1024})), (Digits{{0, 512, 8}, {1, 8, 128}, {0, 8, 1}, {1, 128, 1}}));
  EXPECT_EQ(place_digits(of_layout({128, 16, 64}, {0, 2, 1})), (Digits{{1, 16, 1}, {2, 8, 8}, {2, 8, 1}, {0, 128, 1}}));
  EXPECT_EQ(place_digits(of_layout({128, 16, 64})), std::nullopt) << "64 of 128 lanes";
  EXPECT_EQ(place_digits(of_layout({12, 128})), std::nullopt) << "one and a half tiles";
  EXPECT_EQ(place_digits(of_layout({1024})), std::nullopt);
}

TEST(TileOrder, PadsTheLeast) {
  EXPECT_EQ(min_padded_order(of_layout({4096, 1024})), std::vector<int>{});
  EXPECT_EQ(min_padded_order(of_layout({1024, 16, 64})), (std::vector<int>{0, 2, 1})) << "as silicon lays out W_q";
  EXPECT_EQ(min_padded_order(of_layout({2048, 1000})), (std::vector<int>{0, 1})) << "as silicon lays out a classifier";
  EXPECT_EQ(min_padded_order(of_layout({7})), std::vector<int>{});
}

}  // namespace
}  // namespace podsim::hlo
