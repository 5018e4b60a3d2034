// SPDX-License-Identifier: Apache-2.0
#include "hlo/pipeline/schedules.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/pipeline/timeline.h"

namespace podsim::hlo::pipeline {
namespace {

/// The makespan of a schedule of equal stages whose computations take whole seconds.
double makespan(const Schedule& schedule, double forward, double input, double weight) {
  const ChunkTimes times{base::Duration(forward), base::Duration(input), base::Duration(weight)};
  return timeline(schedule, std::vector<ChunkTimes>(std::size_t(schedule.chunks), times), base::Duration())
      .makespan.si();
}

/// Calls a check with all numbers of stages and micro-batches.
template <class Check>
void for_pipelines(Check check) {
  for (std::int64_t stages = 2; stages <= 16; ++stages) {
    for (std::int64_t microbatches = 4; microbatches <= 64; ++microbatches) {
      SCOPED_TRACE(::testing::Message() << stages << " stages, " << microbatches << " micro-batches");
      check(stages, microbatches);
    }
  }
}

// Forward and backward, each direction takes M + K - 1 times of a stage (Huang et al. 2019).
TEST(Schedules, GpipeHasItsBubbleAndKeepsAllMicrobatches) {
  for_pipelines([](std::int64_t k, std::int64_t m) {
    const Schedule schedule = gpipe(k, m);
    EXPECT_FALSE(find_fault(schedule));
    EXPECT_EQ(makespan(schedule, 3, 4, 2), double(m + k - 1) * 9);
    EXPECT_EQ(peak_activations(schedule), std::vector<std::int64_t>(std::size_t(k), m));
  });
}

TEST(Schedules, OneForwardOneBackwardHasTheBubbleOfGpipeAndKeepsAsManyMicrobatchesAsStagesFollow) {
  for_pipelines([](std::int64_t k, std::int64_t m) {
    const Schedule schedule = one_f_one_b(k, m);
    EXPECT_FALSE(find_fault(schedule));
    EXPECT_EQ(makespan(schedule, 3, 4, 2), double(m + k - 1) * 9);
    const std::vector<std::int64_t> peaks = peak_activations(schedule);
    for (std::int64_t s = 0; s < k; ++s) EXPECT_EQ(peaks[std::size_t(s)], std::min(m, k - s)) << s;
  });
}

// Narayanan et al. 2021: with v chunks the bubble is (K - 1)(F + B) / v; a chunk takes 1 / v of a stage's time.
TEST(Schedules, InterleavedChunksDivideTheBubble) {
  for (const std::int64_t v : {2, 3, 4}) {
    for_pipelines([v](std::int64_t k, std::int64_t m) {
      if (m % k != 0) return;
      const Schedule schedule = interleaved(k, m, v);
      EXPECT_FALSE(find_fault(schedule));
      EXPECT_EQ(makespan(schedule, 3, 4, 2), double(v * m + k - 1) * 9);
      const std::vector<std::int64_t> peaks = peak_activations(schedule);
      for (std::int64_t s = 0; s < k; ++s) {
        EXPECT_EQ(peaks[std::size_t(s)], std::min(v * m, (v - 1) * k + 2 * (k - s) - 1)) << s;
      }
    });
  }
}

// Qi et al. 2023, table 2: bubble (K - 1)(F + I - W), memory of K micro-batches.
TEST(Schedules, ZeroBubbleFillsTheEndWithGradientsOfWeights) {
  for_pipelines([](std::int64_t k, std::int64_t m) {
    const Schedule schedule = zero_bubble(k, m);
    EXPECT_FALSE(find_fault(schedule));
    const std::vector<std::int64_t> peaks = peak_activations(schedule);
    EXPECT_EQ(*std::ranges::max_element(peaks), std::min(m, k));
    if (m < k) return;
    EXPECT_EQ(makespan(schedule, 3, 4, 2), double(m * 9 + (k - 1) * 5));
    EXPECT_EQ(makespan(schedule, 3, 3, 3), double(m * 9 + (k - 1) * 3));
  });
}

// Qi et al. 2023, table 5: 0.2347 for 24 micro-batches of a 6.2 B model on 8 stages, from measured times, with
// transfers. With equal times and without transfers it is 7 / 31 = 0.226.
TEST(Schedules, OneForwardOneBackwardIsIdleForTheShareThatThePaperComputes) {
  const std::vector<ChunkTimes> times(8, {base::Duration(1), base::Duration(1), base::Duration(1)});
  EXPECT_NEAR(timeline(one_f_one_b(8, 24), times, base::Duration()).idle_share(0), 0.2347, 0.01);
}

TEST(Schedules, TransfersDelayTheFirstMicrobatchThroughEveryStage) {
  const std::vector<ChunkTimes> times(4, {base::Duration(1), base::Duration(1), base::Duration(1)});
  // GPipe's transfers but the first of each direction are concurrent with computations.
  EXPECT_DOUBLE_EQ(timeline(gpipe(4, 8), times, base::Duration(0.5)).makespan.si(), 11 * 3 + 2 * 3 * 0.5);
}

TEST(Schedules, NamesAndChunksThatDoNotExistAreRefused) {
  EXPECT_EQ(schedule_by_name("1f1b", 4, 8, std::nullopt), one_f_one_b(4, 8));
  EXPECT_EQ(schedule_by_name("interleaved", 4, 8, std::nullopt), interleaved(4, 8, 2));
  EXPECT_THROW(schedule_by_name("1fb1", 4, 8, std::nullopt), base::InputError);
  EXPECT_THROW(schedule_by_name("gpipe", 4, 8, 2), base::InputError);
  EXPECT_THROW(schedule_by_name("interleaved", 4, 6, 2), base::InputError);
  EXPECT_THROW(schedule_by_name("gpipe", 0, 8, std::nullopt), base::InputError);
}

}  // namespace
}  // namespace podsim::hlo::pipeline
