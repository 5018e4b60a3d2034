// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/layout/dimension_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace podsim::sw::compiler::layout {
namespace {

using Order = std::vector<int>;

TEST(DimensionLinks, AnOrderIsThatOfEveryArrayOfTheSet) {
  DimensionLinks links(3);
  EXPECT_TRUE(links.join(0, 1, {1, 2, 0}));  // dimension 0 of array 0 is dimension 1 of array 1
  EXPECT_TRUE(links.join(1, 2, {}));
  links.fix(0, {0, 1, 2});
  const DimensionLinks::Representative of_2 = links.find(2);
  ASSERT_TRUE(links.order(of_2.array));
  EXPECT_EQ(renamed(*links.order(of_2.array), inverse(of_2.dimensions)), (Order{1, 2, 0}));
}

TEST(DimensionLinks, ContradictionsJoinNothing) {
  DimensionLinks links(4);
  EXPECT_TRUE(links.join(0, 1, {}));
  EXPECT_TRUE(links.join(1, 0, {0, 1}));
  EXPECT_FALSE(links.join(1, 0, {1, 0})) << "the dimensions correspond in another way";
  links.fix(2, {0, 1});
  links.fix(3, {1, 0});
  EXPECT_FALSE(links.join(2, 3, {}));
  EXPECT_TRUE(links.join(2, 3, {1, 0})) << "exchanged, the orders agree";
}

// The reference numbers elements: array i has its dimensions permuted by `places[i]`, so that any two correspond by
// `places[b]` after the inverse of `places[a]`.
TEST(DimensionLinks, CorrespondencesAreThoseOfPermutedArrays) {
  std::mt19937 random(11);
  const int arrays = 40, rank = 4;
  std::vector<Order> places(arrays);
  for (Order& place : places) {
    place.resize(rank);
    std::iota(place.begin(), place.end(), 0);
    std::shuffle(place.begin(), place.end(), random);
  }
  DimensionLinks links(arrays);
  for (int i = 0; i < 100; ++i) {
    const std::size_t a = random() % arrays, b = random() % arrays;
    const Order to_b = composed(inverse(places[a]), places[b]);
    EXPECT_TRUE(links.join(a, b, to_b));
    const DimensionLinks::Representative of_a = links.find(a), of_b = links.find(b);
    ASSERT_EQ(of_a.array, of_b.array);
    for (int d = 0; d < rank; ++d) {
      const auto at = [&](const DimensionLinks::Representative& of, int dimension) {
        return of.dimensions.empty() ? dimension : of.dimensions[std::size_t(dimension)];
      };
      EXPECT_EQ(at(of_a, d), at(of_b, to_b[std::size_t(d)]));
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::layout
