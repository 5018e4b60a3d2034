// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/published/scaling_lines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace podsim::validation::measured::published {
namespace {

std::vector<PublishedStep> rows(const std::string& text) {
  return published_steps("training_steps.csv",
                         "workload,generation,chips,topology,global_batch,partitioning,step_ms,what\n" + text);
}

std::string command_of(const PublishedStep& row) { return fmt::format("{}", fmt::join(row.command, " ")); }

// Between 16 and 128 chips are 32 and 64. With 64 samples a core these have 4096 and 8192, of which the row on 128
// chips allows 6144: 48 a core.
TEST(ScalingLines, HaveStepsBetweenPublishedOnesWithTheirSamplesPerCore) {
  const auto between =
      steps_between(rows("resnet50,v3,128,16x8,6144,data parallel,30,train only\n"
                         "resnet50,v3,16,4x4,2048,data parallel,60,train only\n"
                         "resnet50,v3,8,4x2,1024,data parallel,60,train only\n"));
  ASSERT_EQ(between.size(), 2U);
  EXPECT_EQ(command_of(between[0]), "run resnet50 --slice 8x4 --batch-per-core 64");
  EXPECT_EQ(command_of(between[1]), "run resnet50 --slice 8x8 --batch-per-core 48");
}

TEST(ScalingLines, OfOneRowReachHalfAndTwiceItsChips) {
  const auto between =
      steps_between(rows("gnmt,v3,16,4x4,4096,data parallel 128 per core,100,train only\n"
                         "dense_137b,v3,256,16x16,128,mesh 16 x 32,100,train only\n"
                         "alexnet,v3,16,4x4,4096,data parallel,100,train only\n"));
  ASSERT_EQ(between.size(), 2U);  // a mesh is of one number of cores
  EXPECT_EQ(command_of(between[0]), "run gnmt --slice 4x2 --batch-per-core 128");
  EXPECT_EQ(command_of(between[1]), "run gnmt --slice 8x4 --batch-per-core 128");
}

TEST(ScalingLines, PassThroughTheLargestBatchOfEqualChips) {
  SimulatedSteps steps;
  double seconds = 0;
  for (PublishedStep& row : rows("resnet50,v3,16,4x4,4096,data parallel,130,train only\n"
                                 "resnet50,v2,4,2x2,1024,data parallel,230,train only\n"
                                 "resnet50,v3,16,4x4,1024,data parallel,40,train only\n"
                                 "resnet50,v3,4,2x2,1024,data parallel,137,train only\n")) {
    steps.steps.push_back({.published = std::move(row), .step_s = ++seconds});
  }
  steps.between.push_back({.published = steps_between(rows("resnet50,v3,16,4x4,4096,data parallel,1,train only\n"
                                                           "resnet50,v3,4,2x2,1024,data parallel,1,train only\n"))
                                            .front(),
                           .step_s = 9});
  const auto lines = scaling_lines(steps);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].published.size(), 3U);
  ASSERT_EQ(lines[0].line.size(), 3U);
  EXPECT_EQ(lines[0].line[0].step_s, 4);
  EXPECT_EQ(lines[0].line[1].step_s, 9);
  EXPECT_EQ(lines[0].line[2].step_s, 1);
  EXPECT_EQ(lines[1].generation, "v2");
}

}  // namespace
}  // namespace podsim::validation::measured::published
