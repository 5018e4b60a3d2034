// SPDX-License-Identifier: Apache-2.0
#include "workloads/training_runs.h"

#include <gtest/gtest.h>

namespace podsim::workloads {
namespace {

TEST(TrainingRuns, AreKnownForPublishedBatches) {
  EXPECT_EQ(convergence("resnet50", 4096)->epochs, 61);
  EXPECT_EQ(convergence("resnet50", 32768)->epochs, 72);
  EXPECT_EQ(convergence("resnet50", 32768)->source.find("between"), std::string::npos);
  EXPECT_EQ(known_batches("resnet50"), std::pair(std::int64_t(4096), std::int64_t(32768)));
}

// 8192 and 16384 divide the way from 4096 to 32768 into three doublings.
TEST(TrainingRuns, BetweenThemGrowWithTheLogarithmOfTheBatch) {
  EXPECT_NEAR(convergence("resnet50", 8192)->epochs, 61 + 11.0 / 3, 1e-9);
  EXPECT_NEAR(convergence("resnet50", 16384)->epochs, 61 + 22.0 / 3, 1e-9);
}

TEST(TrainingRuns, AreUnknownOutsideOfThem) {
  EXPECT_FALSE(convergence("resnet50", 2048));
  EXPECT_FALSE(convergence("resnet50", 65536));
  EXPECT_FALSE(convergence("dense_137b", 4096));
  EXPECT_FALSE(known_batches("dense_137b"));
}

}  // namespace
}  // namespace podsim::workloads
