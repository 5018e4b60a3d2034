// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/interaction_seed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/diagnostic.h"
#include "tests/workloads/streams/small_seed.h"
#include "workloads/streams/popularity_law.h"

namespace podsim::workloads::streams {
namespace {

TEST(InteractionSeed, HasEveryPairOnceAndIsTheSameForTheSameNumber) {
  const InteractionSeed& seed = small_seed();
  ASSERT_EQ(seed.interactions.size(), std::size_t(small_options().interactions));
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const Interaction& interaction : seed.interactions) {
    EXPECT_LT(interaction.user, seed.users);
    EXPECT_LT(interaction.item, seed.items);
    pairs.emplace(interaction.user, interaction.item);
  }
  EXPECT_EQ(pairs.size(), seed.interactions.size());
  EXPECT_EQ(interaction_seed(small_options()).interactions, seed.interactions);
  SeedOptions other = small_options();
  other.seed = 2;
  EXPECT_NE(interaction_seed(other).interactions, seed.interactions);
}

TEST(InteractionSeed, UsersHaveTheCountsOfTheirLaw) {
  const SeedOptions options = small_options();
  std::vector<std::int64_t> counts = counts_of_users(options.users, small_seed().interactions);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const PopularityLaw law =
      popularity_law(options.users, options.user_exponent, double(options.most_of_user), double(options.interactions));
  for (std::size_t rank = 1; rank <= counts.size(); ++rank) {
    EXPECT_NEAR(double(counts[rank - 1]), law.count(double(rank)), 1.01) << rank;
  }
}

TEST(InteractionSeed, ItemsHaveTheCountsOfTheirLawThoughNoPairRepeats) {
  // The most popular item is chosen by 3000 of 6400 users. Without weights that make up for repetitions the top 1 % of
  // the items would have a quarter less.
  const SeedOptions options = small_options();
  std::vector<std::int64_t> counts = counts_of_items(options.items, small_seed().interactions);
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const PopularityLaw law =
      popularity_law(options.items, options.item_exponent, double(options.most_of_item), double(options.interactions));
  double counted = 0, expected = 0;
  for (std::size_t rank = 1; rank <= counts.size() / 2; ++rank) {
    counted += double(counts[rank - 1]);
    expected += law.count(double(rank));
    if (rank == 32 || rank == 320 || rank == 1600) {
      EXPECT_NEAR(counted / expected, 1, 0.05) << rank;
    }
  }
}

TEST(InteractionSeed, TastesPreferGenresBeyondChance) {
  // Interactions of a block of 16 x 32 against the product of its row's and column's shares: without preferences the
  // sum of squared deviations is chi-squared with 15 x 31 degrees of freedom, about 465 +- 30.
  const InteractionSeed& seed = small_seed();
  double blocks[16][32] = {}, tastes[16] = {}, genres[32] = {};
  for (const Interaction& interaction : seed.interactions) {
    const auto taste = group_of(interaction.user, seed.users, 16), genre = group_of(interaction.item, seed.items, 32);
    ++blocks[taste][genre];
    ++tastes[taste];
    ++genres[genre];
  }
  double deviation = 0;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 32; ++j) {
      const double expected = tastes[i] * genres[j] / double(seed.interactions.size());
      deviation += std::pow(blocks[i][j] - expected, 2) / expected;
    }
  }
  EXPECT_GT(deviation, 10 * 465);
}

TEST(InteractionSeed, RefusesUsersWithMoreThanHalfOfTheItems) {
  SeedOptions options = small_options();
  options.most_of_user = 1601;
  EXPECT_THROW(interaction_seed(options), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::streams
