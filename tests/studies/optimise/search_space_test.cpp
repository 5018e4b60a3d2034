// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/search_space.h"

#include <gtest/gtest.h>

#include <set>

namespace podsim::studies::optimise {
namespace {

/// Two by three by five: numbers 0 to 29, the last dimension fastest.
TEST(SearchSpace, NumbersItsCandidatesAsDigits) {
  const SearchSpace space({{2, {}}, {3, {0, 1, 2}}, {5, {}}});
  EXPECT_EQ(space.size(), 30);
  EXPECT_EQ(space.candidate(0), (Candidate{0, 0, 0}));
  EXPECT_EQ(space.candidate(29), (Candidate{1, 2, 4}));
  EXPECT_EQ(space.number_of({1, 0, 3}), 15 + 3);
  for (std::int64_t number = 0; number < 30; ++number) EXPECT_EQ(space.number_of(space.candidate(number)), number);
}

/// The values 4, 1, 2 are apart by their ranks 2, 0, 1; categories by 1.
TEST(SearchSpace, DistancesAreRanksOrDifference) {
  const Dimension ordered{3, {2, 0, 1}}, categories{3, {}};
  EXPECT_DOUBLE_EQ(ordered.distance(0, 1), 1);
  EXPECT_DOUBLE_EQ(ordered.distance(0, 2), 0.5);
  EXPECT_DOUBLE_EQ(categories.distance(0, 2), 1);
  EXPECT_DOUBLE_EQ(categories.distance(1, 1), 0);
  const SearchSpace space({ordered, categories});
  EXPECT_EQ(space.neighbours({0, 1}), (std::vector<Candidate>{{2, 1}, {0, 0}, {0, 2}}));
}

TEST(RandomOrder, HasEveryNumberOnce) {
  for (const std::int64_t size : {1, 2, 5, 16, 17, 1000}) {
    const RandomOrder order(size, 7);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size; ++i) seen.insert(order.at(i));
    EXPECT_EQ(std::int64_t(seen.size()), size);
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), size - 1);
  }
}

/// The first number of 4000 orders of 16 numbers is each of them 250 times, within 5 deviations of 15.
TEST(RandomOrder, EverySeedHasAnotherOne) {
  std::vector<int> first(16);
  for (std::uint64_t seed = 0; seed < 4000; ++seed) ++first[std::size_t(RandomOrder(16, seed).at(0))];
  for (const int count : first) EXPECT_NEAR(count, 250, 5 * 15.3);
}

}  // namespace
}  // namespace podsim::studies::optimise
