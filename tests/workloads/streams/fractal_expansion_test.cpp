// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/fractal_expansion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/diagnostic.h"
#include "tests/workloads/streams/small_seed.h"
#include "workloads/streams/popularity_figures.h"
#include "workloads/streams/stream_counts.h"

namespace podsim::workloads::streams {
namespace {

/// A seed of 4 x 6 with an interaction in every other element.
InteractionSeed checkered() {
  InteractionSeed seed{4, 6, {}};
  for (std::uint32_t user = 0; user < 4; ++user) {
    for (std::uint32_t item = user % 2; item < 6; item += 2) seed.interactions.push_back({user, item});
  }
  return seed;
}

TEST(FractalExpansion, HasMlperfsSizes) {
  // 2.2 million users and 855 thousand items (MLPerf's NCF; Belletti et al. 2019): 16 and 32 times those of the seed.
  const SeedOptions seed;
  const ExpansionOptions options;
  EXPECT_NEAR(double(seed.users * options.user_factor), 2.2e6, 0.01 * 2.2e6);
  EXPECT_NEAR(double(seed.items * options.item_factor), 855e3, 0.01 * 855e3);
  EXPECT_NEAR(double(options.interactions), 1.2e9, 0.01 * 1.2e9);
}

TEST(FractalExpansion, OfProbabilitiesOneIsTheWholeKroneckerProduct) {
  // All blocks of the checkered seed have the same mean, so that 2 x 3 whole copies keep every interaction.
  const InteractionSeed seed = checkered();
  const FractalExpansion expansion(seed, {2, 3, 6 * 12});
  InteractionStream stream(expansion);
  std::vector<Interaction> turn(6 * 12);
  std::set<std::pair<std::uint32_t, std::uint32_t>> product;
  for (std::uint32_t i = 0; i < 2; ++i) {
    for (std::uint32_t j = 0; j < 3; ++j) {
      for (const Interaction& interaction : seed.interactions) {
        product.emplace(4 * i + interaction.user, 6 * j + interaction.item);
      }
    }
  }
  for (int turns = 0; turns < 2; ++turns) {
    stream.next(turn);
    std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
    for (const Interaction& interaction : turn) pairs.emplace(interaction.user, interaction.item);
    EXPECT_EQ(pairs, product);
  }
}

TEST(FractalExpansion, KeepsACopysInteractionsWithTheMeanOfItsBlockAndNoneTwice) {
  const InteractionSeed& seed = small_seed();
  const ExpansionOptions options{4, 8, 600'000};
  const FractalExpansion expansion(seed, options);
  InteractionStream stream(expansion);
  std::vector<std::vector<double>> blocks(4, std::vector<double>(8)), seed_blocks = blocks;
  for (const Interaction& interaction : seed.interactions) {
    ++seed_blocks[std::size_t(group_of(interaction.user, seed.users, 4))]
                 [std::size_t(group_of(interaction.item, seed.items, 8))];
  }
  std::vector<std::uint64_t> pairs;
  std::vector<Interaction> one(1);
  while (stream.turns() == 0) {
    stream.next(one);
    ++blocks[std::size_t(one[0].user / seed.users)][std::size_t(one[0].item / seed.items)];
    pairs.push_back(std::uint64_t(one[0].user) << 32 | one[0].item);
  }
  const double size = double(pairs.size());
  EXPECT_NEAR(size, 6e5, 0.01 * 6e5);
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      // 600 thousand x the block's share of the seed; five standard deviations of that count.
      const double expected = 6e5 * seed_blocks[i][j] / double(seed.interactions.size());
      EXPECT_NEAR(blocks[i][j], expected, 5 * std::sqrt(expected)) << i << ' ' << j;
    }
  }
  std::sort(pairs.begin(), pairs.end());
  EXPECT_EQ(std::adjacent_find(pairs.begin(), pairs.end()), pairs.end());
}

TEST(FractalExpansion, StreamsTheSamePairsInBlocksOfAnySize) {
  const FractalExpansion expansion(small_seed(), {4, 8, 2'000'000});
  InteractionStream whole(expansion), parts(expansion);
  std::vector<Interaction> expected(1'000'000), found(1'000'000);
  whole.next(expected);
  std::size_t begin = 0;
  for (std::size_t size = 1; begin < found.size(); size = size * 3 + 1) {
    const std::size_t count = std::min(size, found.size() - begin);
    parts.next(std::span(found).subspan(begin, count));
    begin += count;
  }
  EXPECT_EQ(found, expected);
}

TEST(FractalExpansion, OfMovieLensKeepsExponentTailAndDuplicatesOfTheSeed) {
  const InteractionSeed seed = interaction_seed({});
  const FractalExpansion expansion(seed, {});
  InteractionStream stream(expansion);
  constexpr std::int64_t batch = 1 << 15;
  // As many look-ups of a row in a batch of the seed as in one of the expansion.
  const StreamCounts small = seed_counts(seed, batch / 16, batch / 32);
  const StreamCounts large = stream_counts(expansion, stream, 50'000'000, batch);
  const auto check = [](const TableCounts& of_seed, const TableCounts& of_expansion) {
    const PopularityFigures a = popularity_figures(of_seed.lookups), b = popularity_figures(of_expansion.lookups);
    EXPECT_NEAR(b.exponent / a.exponent, 1, 0.05);
    EXPECT_NEAR(b.top_thousandth / a.top_thousandth, 1, 0.05);
    EXPECT_NEAR(b.top_hundredth / a.top_hundredth, 1, 0.05);
    EXPECT_NEAR(b.top_tenth / a.top_tenth, 1, 0.05);
    EXPECT_NEAR(of_expansion.duplicate_rate() / of_seed.duplicate_rate(), 1, 0.05);
  };
  check(small.users, large.users);
  check(small.items, large.items);
}

TEST(FractalExpansion, OfMovieLensHasMlperfsNumberOfInteractions) {
  const InteractionSeed seed = interaction_seed({});
  const FractalExpansion expansion(seed, {});
  InteractionStream stream(expansion);
  std::vector<Interaction> block(100'000);
  double interactions = 0;
  while (stream.turns() == 0) {
    stream.next(block);
    interactions += double(block.size());
  }
  EXPECT_NEAR(interactions, 1.2e9, 0.01 * 1.2e9);
}

TEST(FractalExpansion, RowsAreLookedUpAsOftenAsTheProductOfBothSidesSays) {
  const FractalExpansion expansion(small_seed(), {4, 8, 2'000'000});
  InteractionStream stream(expansion);
  const StreamCounts counts = stream_counts(expansion, stream, 2'000'000, 1000);
  const std::vector<double> expected = expansion.item_counts();
  ASSERT_EQ(counts.items.lookups.size(), expected.size());
  double deviation = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    deviation += std::pow(counts.items.lookups[i] - expected[i], 2) / expected[i];
  }
  // At most that of independent draws, about 1 for each row: systematic sampling spreads more evenly.
  EXPECT_LT(deviation / double(expected.size()), 1.05);
}

TEST(FractalExpansion, RefusesMoreInteractionsThanItsLargestCopyHolds) {
  const InteractionSeed& seed = small_seed();
  EXPECT_THROW(FractalExpansion(seed, {16, 32, 16 * 32 * std::int64_t(seed.interactions.size())}), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::streams
