// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/popularity_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "workloads/streams/alias_table.h"
#include "workloads/streams/random_bits.h"

namespace podsim::workloads::streams {
namespace {

std::vector<double> zipf(int rows, double exponent) {
  std::vector<double> counts;
  for (int rank = 1; rank <= rows; ++rank) counts.push_back(1e9 * std::pow(rank, -exponent));
  return counts;
}

TEST(PopularityFigures, FindTheExponentOfAPowerLaw) {
  for (const double exponent : {0.5, 1.0, 1.7}) {
    EXPECT_NEAR(popularity_figures(zipf(50000, exponent)).exponent, exponent, 0.01);
  }
}

TEST(PopularityFigures, SharesOfTheTopAreThoseOfTheSums) {
  // 1 / rank: harmonic numbers of 10, 100, 1000 and 10000 rows.
  const PopularityFigures figures = popularity_figures(zipf(10000, 1));
  const double harmonic[] = {2.9289682539682538, 5.1873775176396202, 7.4854708605503449, 9.7876060360443823};
  EXPECT_NEAR(figures.top_thousandth, harmonic[0] / harmonic[3], 1e-9);
  EXPECT_NEAR(figures.top_hundredth, harmonic[1] / harmonic[3], 1e-9);
  EXPECT_NEAR(figures.top_tenth, harmonic[2] / harmonic[3], 1e-9);
}

TEST(PopularityFigures, ExpectedDistinctRowsAreThoseOfDraws) {
  const std::vector<double> counts = zipf(3000, 1.1);
  const AliasTable table(counts);
  RandomSequence random(7);
  double distinct = 0;
  constexpr int batches = 400, batch = 2000;
  for (int i = 0; i < batches; ++i) {
    std::set<std::uint32_t> rows;
    for (int draw = 0; draw < batch; ++draw) rows.insert(table.draw(random.bits()));
    distinct += double(rows.size()) / batches;
  }
  EXPECT_NEAR(distinct / expected_distinct(counts, batch), 1, 0.005);
  EXPECT_NEAR(duplicate_rate(counts, batch), 1 - expected_distinct(counts, batch) / batch, 1e-12);
  // Two draws of two equal rows: two outcomes of four have one row, two have two.
  EXPECT_DOUBLE_EQ(expected_distinct(std::vector<double>{1, 1}, 2), 1.5);
}

TEST(PopularityFigures, TheLargestShardHasTheHotRow) {
  // 4 shards of rows 0 mod 4 ...; row 0 has half of the look-ups, the other 7 rows share the rest.
  const std::vector<double> counts{7, 1, 1, 1, 1, 1, 1, 1};
  const ShardLoad load = shard_load(counts, 1e9, 4);
  EXPECT_DOUBLE_EQ(load.lookups, 4 * 8.0 / 14);
  EXPECT_NEAR(load.distinct, 1, 1e-9);  // a long batch finds all rows of all shards
}

TEST(PopularityFigures, AliasTablesDrawInProportionToWeights) {
  const std::vector<double> weights{1, 0, 5, 2, 2};
  const AliasTable table(weights);
  RandomSequence random(3);
  std::vector<double> drawn(5);
  constexpr int draws = 1'000'000;
  for (int i = 0; i < draws; ++i) ++drawn[table.draw(random.bits())];
  for (std::size_t i = 0; i < 5; ++i) {
    const double expected = weights[i] / 10 * draws;
    EXPECT_NEAR(drawn[i], expected, 5 * std::sqrt(expected)) << i;
  }
}

TEST(PopularityFigures, SingularValuesOfAProductAreProducts) {
  EXPECT_EQ(singular_values({{3, 0}, {0, 4}}).front(), 4);
  // A Kronecker product has all products of the singular values of its factors.
  const std::vector<std::vector<double>> a{{1, 2}, {3, 5}}, b{{2, 0, 1}, {1, 4, 2}};
  std::vector<std::vector<double>> product(4, std::vector<double>(6));
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 6; ++j) product[i][j] = a[i / 2][j / 3] * b[i % 2][j % 3];
  }
  std::vector<double> expected;
  for (double x : singular_values(a)) {
    for (double y : singular_values(b)) expected.push_back(x * y);
  }
  std::sort(expected.rbegin(), expected.rend());
  const std::vector<double> values = singular_values(product);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(values[i], expected[i], 1e-9);
}

}  // namespace
}  // namespace podsim::workloads::streams
