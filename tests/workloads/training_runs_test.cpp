// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workloads/job/run_spread.h"

namespace podsim::workloads {
namespace {

TEST(TrainingRuns, AreKnownForPublishedBatches) {
  EXPECT_EQ(convergence("resnet50", 4096)->epochs, 61);
  EXPECT_EQ(convergence("resnet50", 32768)->epochs, 72.8);
  EXPECT_EQ(convergence("resnet50", 32768)->source.find("between"), std::string::npos);
  EXPECT_EQ(known_batches("resnet50"), std::pair(std::int64_t(4096), std::int64_t(32768)));
}

// 8192 and 16384 divide the way from 4096 to 32768 into three doublings.
TEST(TrainingRuns, BetweenThemGrowWithTheLogarithmOfTheBatch) {
  EXPECT_NEAR(convergence("resnet50", 8192)->epochs, 61 + 11.8 / 3, 1e-9);
  EXPECT_NEAR(convergence("resnet50", 16384)->epochs, 61 + 23.6 / 3, 1e-9);
}

/// MLPerf's rule: of means without the extremes, 90 % are within 5 % with five runs, or within 10 % with ten.
TEST(TrainingRuns, VaryByWhatMlperfsNumbersOfRunsAllow) {
  const auto within = [](const char* workload, std::int64_t runs, double band) {
    constexpr int trials = 5000;
    const double spread = usual_epoch_spread(workload).value;
    int inside = 0;
    for (int seed = 0; seed < trials; ++seed) {
      const double mean =
          job::spread_of_runs({.runs = runs, .loops = 1000, .spread = spread, .seed = std::uint64_t(seed)}).mlperf();
      inside += std::abs(mean / 1000 - 1) < band ? 1 : 0;
    }
    return double(inside) / trials;
  };
  EXPECT_NEAR(within("resnet50", 5, 0.05), 0.90, 0.015);
  EXPECT_NEAR(within("bert_large", 10, 0.10), 0.90, 0.015);
}

TEST(TrainingRuns, AreUnknownOutsideOfThem) {
  EXPECT_FALSE(convergence("resnet50", 2048));
  EXPECT_FALSE(convergence("resnet50", 65536));
  EXPECT_FALSE(convergence("dense_137b", 4096));
  EXPECT_FALSE(known_batches("dense_137b"));
}

}  // namespace
}  // namespace podsim::workloads
