// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/step_categories.h"

#include <gtest/gtest.h>

namespace podsim::validation::profile {
namespace {

ProfileOp timed(std::string category, std::int64_t occurrences, double each_s) {
  ProfileOp op;
  op.category = std::move(category);
  op.occurrences = occurrences;
  op.self_time_s = each_s;
  op.total_self_time_s = double(occurrences) * each_s;
  return op;
}

double time_of(const StepTimes& times, std::string_view category) {
  for (const CategoryTime& time : times.categories) {
    if (time.category == category) return time.time_s;
  }
  return 0;
}

// A hundred steps; the profiler missed a quarter of an update, a loop has five trips, and an evaluation ran ten times.
TEST(StepCategories, AnOpCountsAsOftenAsAStepHasIt) {
  const StepTimes times =
      step_times({"profile",
                  {timed("convolution fusion", 100, 8), timed("convolution", 100, 1), timed("loop fusion", 75, 2),
                   timed("data formatting", 500, 0.25), timed("sort", 10, 40)}});
  EXPECT_EQ(times.steps, 100);
  EXPECT_DOUBLE_EQ(time_of(times, "convolution fusion"), 8 + 1);
  EXPECT_DOUBLE_EQ(time_of(times, "loop fusion"), 2);
  EXPECT_DOUBLE_EQ(time_of(times, "data formatting"), 5 * 0.25);
  EXPECT_EQ(time_of(times, "sort"), 0);
  EXPECT_DOUBLE_EQ(times.time_s, 9 + 2 + 1.25);
  EXPECT_DOUBLE_EQ(times.left_out, 400.0 / (800 + 100 + 150 + 125 + 400));
  EXPECT_EQ(times.categories.front().category, "convolution fusion");
}

TEST(StepCategories, RowsHaveWhatEitherProfileHas) {
  const StepTimes measured = step_times({"profile", {timed("gather fusion", 4, 2), timed("infeed", 4, 1)}});
  const StepTimes run = step_times({"run", {timed("gather", 2, 3), timed("all-reduce", 2, 5)}});
  const std::vector<CategoryRow> rows = categories_of(measured, run);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].category, "gather fusion");
  EXPECT_EQ(rows[0].first_s, 2);
  EXPECT_EQ(rows[0].second_s, 3);
  EXPECT_EQ(rows[1].second_s, 0);
  EXPECT_EQ(rows[2].category, "all-reduce");
  EXPECT_EQ(rows[2].first_s, 0);
}

TEST(StepCategories, AnEmptyProfileHasNoTime) {
  const StepTimes times = step_times({});
  EXPECT_EQ(times.time_s, 0);
  EXPECT_EQ(times.left_out, 0);
}

}  // namespace
}  // namespace podsim::validation::profile
