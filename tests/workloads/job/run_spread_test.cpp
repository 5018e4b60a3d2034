// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/run_spread.h"

#include <gtest/gtest.h>

#include <cmath>

namespace podsim::workloads::job {
namespace {

/// A number that is seen at the next whole one is 1/2 later on average, and varies by 1/12 more (Sheppard).
TEST(RunSpread, HasTheMeanAndTheDeviationOfRoundedNormalNumbers) {
  const RunSpread runs = spread_of_runs({.runs = 200'000, .loops = 15.25, .spread = 0.1, .seed = 3});
  const double deviation = std::sqrt(1.525 * 1.525 + 1.0 / 12);
  EXPECT_NEAR(runs.mean(), 15.25, 4 * deviation / std::sqrt(200'000));
  EXPECT_NEAR(runs.standard_deviation() / deviation, 1, 0.01);
}

/// The mean of the middle three of five normal numbers varies by 0.476 of their deviation (Sarhan and Greenberg).
TEST(RunSpread, LeavesOutTheFastestAndTheSlowestAsMlperfDoes) {
  double squares = 0;
  constexpr int trials = 20'000;
  for (int seed = 0; seed < trials; ++seed) {
    const double mean = spread_of_runs({.runs = 5, .loops = 1000, .spread = 0.1, .seed = std::uint64_t(seed)}).mlperf();
    squares += (mean - 1000) * (mean - 1000);
  }
  EXPECT_NEAR(std::sqrt(squares / trials) / 100, 0.476, 0.012);
}

TEST(RunSpread, WithoutSpreadIsTheNextEvaluation) {
  const RunSpread runs = spread_of_runs({.runs = 3, .loops = 18, .spread = 0});
  EXPECT_EQ(runs.loops, (std::vector<std::int64_t>{18, 18, 18}));
  EXPECT_EQ(runs.standard_deviation(), 0);
  EXPECT_EQ(runs.mlperf(), 18);
}

TEST(RunSpread, DependsOnSeedAndNumberOfTheRunAlone) {
  const RunSpread few = spread_of_runs({.runs = 3, .loops = 100, .spread = 0.1, .seed = 5});
  const RunSpread many = spread_of_runs({.runs = 9, .loops = 100, .spread = 0.1, .seed = 5});
  EXPECT_TRUE(std::equal(few.loops.begin(), few.loops.end(), many.loops.begin()));
  EXPECT_NE(many.loops, spread_of_runs({.runs = 9, .loops = 100, .spread = 0.1, .seed = 6}).loops);
  EXPECT_LE(many.least(), many.mlperf());
  EXPECT_LE(many.mlperf(), many.most());
}

}  // namespace
}  // namespace podsim::workloads::job
