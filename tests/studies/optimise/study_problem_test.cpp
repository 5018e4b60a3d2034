// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/study_problem.h"

#include <gtest/gtest.h>

#include "tests/studies/study_texts.h"

namespace podsim::studies::optimise {
namespace {

std::string machines(const std::string& more = "") {
  return resnet_study(R"([axes]
"mxu.size" = [256, 96, 100, 128]
workload = ["resnet50", "bert_large", "ssd"]
[[zip]]
batch_per_core = [8, 16]
steps = [1, 2]
[derived]
cells = "mxu.size^2"
)" + more + R"([report]
minimise = ["step_time_s"]
maximise = ["cells"]
[search]
points = 5
)",
                      "constraints = [\"mxu.size > 96\"]");
}

/// Axes of numbers are ordered by them, others are categories; axes that move together are one dimension.
TEST(StudyProblem, DimensionsAreTheGroupsOfAxes) {
  const plan::Study study = study_of(machines());
  const StudyProblem problem(study);
  ASSERT_EQ(problem.space().dimensions().size(), 3U);
  EXPECT_EQ(problem.space().dimensions()[0].ranks, (std::vector<std::int64_t>{3, 0, 1, 2}));
  EXPECT_TRUE(problem.space().dimensions()[1].ranks.empty());
  EXPECT_EQ(problem.space().dimensions()[2].ranks, (std::vector<std::int64_t>{0, 1}));
}

/// 128 x 128 cells are known before a run, negated since they are maximised.
TEST(StudyProblem, DerivedObjectivesAreKnown) {
  const plan::Study study = study_of(machines());
  StudyProblem problem(study);
  EXPECT_EQ(problem.objectives(), 2U);
  EXPECT_EQ(problem.known_cost({3, 0, 0}, 0), std::nullopt);
  EXPECT_EQ(problem.known_cost({3, 0, 0}, 1), -128.0 * 128.0);
  const plan::StudyPoint point = problem.point({3, 0, 0});
  EXPECT_EQ(problem.costs(point, {{"step_time_s", 0.25}}), (Costs{0.25, -128.0 * 128.0}));
  EXPECT_EQ(problem.costs(point, {}), std::nullopt);
}

/// A matrix unit of 100 has no whole number of registers of 8 rows.
TEST(StudyProblem, WhatMakesNoMachineCannotRun) {
  const plan::Study study = study_of(machines());
  StudyProblem problem(study);
  EXPECT_FALSE(problem.allows({1, 0, 0}));  // by the constraint
  EXPECT_TRUE(problem.allows({2, 0, 0}));
  EXPECT_FALSE(problem.can_run({2, 0, 0}));
  EXPECT_FALSE(problem.can_run({2, 0, 1}));
  EXPECT_EQ(problem.refused(), 2U);
  EXPECT_NE(problem.first_refusal().find("must be a multiple of 8"), std::string::npos);
  EXPECT_TRUE(problem.can_run({0, 0, 0}));
}

/// A v3 has 128; a base of bert_large; [baseline] 16 of the batches.
TEST(StudyProblem, StartsAtTheBaseline) {
  const plan::Study study = study_of(machines("[baseline]\nworkload = \"bert_large\"\nbatch_per_core = 16\n"));
  EXPECT_EQ(StudyProblem(study).options().start, (Candidate{3, 1, 1}));
}

/// 700 Gb/s are nearer to the 656 of a v3 than 600.
TEST(StudyProblem, StartsNearTheBaselineWhereItIsNoValue) {
  const plan::Study study = study_of(resnet_study(
      "[axes]\n\"ici.link_rate\" = [\"900 Gb/s\", \"700 Gb/s\", \"600 Gb/s\"]\n[report]\nminimise = [\"step_time_s\"]\n"
      "[search]\npoints = 2\n"));
  EXPECT_EQ(StudyProblem(study).options().start, Candidate{1});
}

}  // namespace
}  // namespace podsim::studies::optimise
