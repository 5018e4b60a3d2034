// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/tile_order.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <numeric>

#include "sw/ir/array_tile.h"

namespace podsim::sw::ir {
namespace {

Shape of_layout(std::vector<std::int64_t> sizes, std::vector<int> minor_to_major = {}) {
  Shape shape = make_shape(ElementType::f32, std::move(sizes));
  shape.minor_to_major = std::move(minor_to_major);
  return shape;
}

/// The place in memory of every element, in row-major order of the elements: tiles of 8 x 128 over the two most minor
/// dimensions, whole tiles row by row, and the other dimensions around them.
std::vector<std::int64_t> places(const Shape& shape) {
  std::vector<std::int64_t> result, index(shape.dimensions.size(), 0);
  const auto lanes = std::size_t(shape.minor_dimension(0)), sublanes = std::size_t(shape.minor_dimension(1));
  for (std::int64_t element = 0; element < shape.element_count(); ++element) {
    std::int64_t rest = element;
    for (std::size_t d = index.size(); d-- > 0;) {
      index[d] = rest % shape.dimensions[d];
      rest /= shape.dimensions[d];
    }
    std::int64_t place = 0;
    for (int i = shape.rank() - 1; i > 1; --i) {
      const auto d = std::size_t(shape.minor_dimension(i));
      place = place * shape.dimensions[d] + index[d];
    }
    place = place * (shape.dimensions[sublanes] / tile_sublanes) + index[sublanes] / tile_sublanes;
    place = place * (shape.dimensions[lanes] / tile_lanes) + index[lanes] / tile_lanes;
    place = place * tile_sublanes + index[sublanes] % tile_sublanes;
    result.push_back(place * tile_lanes + index[lanes] % tile_lanes);
  }
  return result;
}

TEST(TileOrder, NamesTheDigitsOfAPlace) {
  using Digits = std::vector<PlaceDigit>;
  EXPECT_EQ(place_digits(of_layout({4096, 1024})), (Digits{{0, 512, 8}, {1, 8, 128}, {0, 8, 1}, {1, 128, 1}}));
  EXPECT_EQ(place_digits(of_layout({128, 16, 64}, {0, 2, 1})), (Digits{{1, 16, 1}, {2, 8, 8}, {2, 8, 1}, {0, 128, 1}}));
  EXPECT_EQ(place_digits(of_layout({128, 16, 64})), std::nullopt) << "64 of 128 lanes";
  EXPECT_EQ(place_digits(of_layout({12, 128})), std::nullopt) << "one and a half tiles";
  EXPECT_EQ(place_digits(of_layout({1024})), std::nullopt);
}

TEST(TileOrder, ReshapesBetweenRowsOfTilesMoveNothing) {
  EXPECT_TRUE(same_places(of_layout({4096, 1024}), of_layout({512, 8, 8, 128}, {3, 1, 2, 0})));
  EXPECT_TRUE(same_places(of_layout({512, 8, 8, 128}), of_layout({32768, 128})));
  EXPECT_TRUE(same_places(of_layout({32, 512, 1024}), of_layout({32 * 512, 1024})));
  EXPECT_FALSE(same_places(of_layout({4096, 1024}), of_layout({32768, 128}))) << "a tile has eight rows";
}

RC_GTEST_PROP(TileOrder, TellsReshapesThatMoveNothing, ()) {
  // Lanes, sublanes and up to two other dimensions, in any order in the text, with 16 tiles together.
  const auto arbitrary = [] {
    std::int64_t left = 16;
    std::vector<std::int64_t> times;
    for (int d = 0; d < 3; ++d) {
      times.push_back(std::int64_t{1} << *rc::gen::inRange(0, 3));
      while (left % times.back() != 0) times.back() /= 2;
      left /= times.back();
    }
    times.push_back(left);
    std::vector<int> numbers(times.size());  // in the text, of the dimensions from the fastest in memory
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::size_t i = numbers.size(); i > 1; --i) {
      std::swap(numbers[i - 1], numbers[*rc::gen::inRange<std::size_t>(0, i)]);
    }
    std::vector<std::int64_t> sizes(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      sizes[std::size_t(numbers[i])] = times[i] * (i == 0 ? tile_lanes : i == 1 ? tile_sublanes : 1);
    }
    return of_layout(sizes, numbers);
  };
  const Shape a = arbitrary(), b = arbitrary();
  RC_LOG() << to_string(a) << " " << to_string(b);
  RC_CLASSIFY(places(a) == places(b), "same places");
  RC_ASSERT(same_places(a, b) == (places(a) == places(b)));
}

TEST(TileOrder, PadsTheLeast) {
  EXPECT_EQ(least_padded_order(of_layout({4096, 1024})), std::vector<int>{});
  EXPECT_EQ(least_padded_order(of_layout({1024, 16, 64})), (std::vector<int>{0, 2, 1})) << "as silicon lays out W_q";
  EXPECT_EQ(least_padded_order(of_layout({2048, 1000})), (std::vector<int>{0, 1}))
      << "as silicon lays out a classifier";
  EXPECT_EQ(least_padded_order(of_layout({7})), std::vector<int>{});
}

}  // namespace
}  // namespace podsim::sw::ir
