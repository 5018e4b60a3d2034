// SPDX-License-Identifier: Apache-2.0
#include "noc/distribution.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace podsim::noc {
namespace {

TEST(Distribution, QuantilesAreThoseOfTables) {
  // Quantiles of the absolute value of a standard normal variable: 50 %, 68.27 % (one sigma), 95 %, 99.73 % (three).
  EXPECT_NEAR(quantile(Distribution::normal, 0.5), 0.674489750196082, 1e-12);
  EXPECT_NEAR(quantile(Distribution::normal, 0.682689492137086), 1, 1e-12);
  EXPECT_NEAR(quantile(Distribution::normal, 0.95), 1.959963984540054, 1e-12);
  EXPECT_NEAR(quantile(Distribution::normal, 0.997300203936740), 3, 1e-11);
  EXPECT_EQ(quantile(Distribution::normal, 0), 0);
  EXPECT_NEAR(quantile(Distribution::exponential, 1 - std::exp(-3.0)), 3, 1e-12);
  EXPECT_EQ(quantile(Distribution::uniform, 0.25), 0.25);
}

TEST(Distribution, ANormalQuantileIsTheInverseOfTheErrorFunction) {
  for (int exponent = 1; exponent < 53; ++exponent) {
    for (const double share : {std::ldexp(1.0, -exponent), 1 - std::ldexp(1.0, -exponent)}) {
      const double x = quantile(Distribution::normal, share) / std::numbers::sqrt2;
      EXPECT_NEAR(std::erfc(x), 1 - share, 1e-9 * (1 - share)) << share;
    }
  }
}

TEST(Distribution, DrawsHaveTheMeansOfTheirDistributions) {
  // Standard deviations of scale 1: 0.29, 1 and 0.60; over 100,000 draws four standard errors are below 0.013.
  std::array<double, 3> sums{};
  constexpr std::uint64_t draws = 100'000;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    const std::array<std::uint64_t, 2> what{7, draw};
    const double share = drawn_share(1, what);
    ASSERT_GE(share, 0);
    ASSERT_LT(share, 1);
    for (std::size_t i = 0; i < 3; ++i) sums[i] += quantile(Distribution(i), share);
  }
  EXPECT_NEAR(sums[0] / double(draws), 0.5, 0.013);
  EXPECT_NEAR(sums[1] / double(draws), 1, 0.013);
  EXPECT_NEAR(sums[2] / double(draws), std::sqrt(2 / std::numbers::pi), 0.013);
}

TEST(Distribution, TheLargestOfSeveralHasTheMeanOfTheLawOfExtremes) {
  // 1 + 1/2 + 1/3 + 1/4, 4/5; the mean of two absolute values of normal variables is 2 / sqrt(pi): E max(|x|, |y|) =
  // E (|x + y| + |x - y|) / 2, and x + y has the standard deviation sqrt(2).
  EXPECT_NEAR(mean_of_largest(Distribution::exponential, 4), 25.0 / 12, 1e-12);
  EXPECT_NEAR(mean_of_largest(Distribution::uniform, 4), 0.8, 1e-12);
  EXPECT_NEAR(mean_of_largest(Distribution::normal, 1), std::sqrt(2 / std::numbers::pi), 1e-5);
  EXPECT_NEAR(mean_of_largest(Distribution::normal, 2), 2 / std::sqrt(std::numbers::pi), 1e-5);
  // Many: H_n tends to ln n + 0.5772; the mean of several sets of draws agrees.
  EXPECT_NEAR(mean_of_largest(Distribution::exponential, 4096), std::log(4096.0) + 0.577215665 + 0.5 / 4096, 1e-7);
  double sum = 0;
  for (std::uint64_t set = 0; set < 400; ++set) {
    double largest = 0;
    for (std::uint64_t draw = 0; draw < 256; ++draw) {
      const std::array<std::uint64_t, 2> what{set, draw};
      largest = std::max(largest, quantile(Distribution::normal, drawn_share(5, what)));
    }
    sum += largest;
  }
  // The largest has a standard deviation of 0.39: four standard errors of 400 are 0.08.
  EXPECT_NEAR(sum / 400, mean_of_largest(Distribution::normal, 256), 0.08);
}

TEST(Distribution, ADrawDependsOnTheSeedAndOnWhatItIsFor) {
  const std::array<std::uint64_t, 2> what{1, 2}, other{2, 1};
  EXPECT_EQ(drawn_share(1, what), drawn_share(1, what));
  EXPECT_NE(drawn_share(1, what), drawn_share(2, what));
  EXPECT_NE(drawn_share(1, what), drawn_share(1, other));
}

TEST(Distribution, NamesReadBack) {
  for (const Distribution one : {Distribution::uniform, Distribution::exponential, Distribution::normal}) {
    EXPECT_EQ(parse_distribution(to_string(one)), one);
  }
  EXPECT_EQ(parse_distribution("gaussian"), std::nullopt);
}

}  // namespace
}  // namespace podsim::noc
