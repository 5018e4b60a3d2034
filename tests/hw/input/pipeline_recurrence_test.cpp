// SPDX-License-Identifier: Apache-2.0
#include "hw/input/pipeline_recurrence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace podsim::hw::input {
namespace {

Stage stage(const char* name, double seconds, double spread, std::int64_t depth) {
  return {name, base::Duration(seconds), spread, depth};
}

/// Takes every batch when it is prepared. Returns when the last one was.
base::Time drain(PipelineRecurrence& pipeline, std::int64_t batches) {
  base::Time last;
  for (std::int64_t n = 0; n < batches; ++n) pipeline.take(last = pipeline.prepare());
  return last;
}

TEST(PipelineRecurrence, ThroughputIsThatOfTheSlowestStage) {
  // The first batch takes 1 + 4 + 2 ms, each further one 4 ms.
  for (std::int64_t depth : {1, 3}) {
    PipelineRecurrence pipeline({stage("a", 1e-3, 0, depth), stage("b", 4e-3, 0, depth), stage("c", 2e-3, 0, depth)}, 2,
                                1, 0);
    EXPECT_EQ(drain(pipeline, 1000).value(), 7'000'000'000 + 999 * 4'000'000'000) << depth;
  }
}

TEST(PipelineRecurrence, ABatchWaitsForAPlaceBehindTheLastStage) {
  PipelineRecurrence pipeline({stage("a", 1e-3, 0, 1)}, 2, 1, 0);
  EXPECT_EQ(pipeline.prepare().value(), 1'000'000'000);
  EXPECT_EQ(pipeline.prepare().value(), 2'000'000'000);
  pipeline.take(base::Time(10'000'000'000));
  EXPECT_EQ(pipeline.prepare().value(), 10'000'000'000);  // in the slot of the first
  pipeline.take(base::Time(20'000'000'000));
  EXPECT_EQ(pipeline.prepare().value(), 20'000'000'000);  // it was begun at 10 ms
}

/// An exponential source at rate r in front of an exponential server at rate 1 with k slots is the queue M/M/1/K with
/// K = k + 2: the batch that the source cannot hand on is in the system too. The source rests while the system is
/// full, so batches leave at the rate r (1 - p), where p = (1 - r) r^K / (1 - r^(K+1)) is the share of time in which
/// the system is full; with r = 1 that share is 1 / (K + 1).
TEST(PipelineRecurrence, ExponentialStagesAreTheQueueWithFinitePlaces) {
  constexpr std::int64_t batches = 1'000'000;
  for (const double rate : {0.5, 0.8, 1.0, 1.6}) {
    for (const std::int64_t places : {1, 2, 5}) {
      PipelineRecurrence pipeline({stage("source", 1e-3 / rate, 1, 1), stage("server", 1e-3, 1, places)}, 1000, 7, 0);
      const double seconds = base::to_duration(drain(pipeline, batches)).si();
      const double all = double(places) + 2;
      const double full = rate == 1 ? 1 / (all + 1) : (1 - rate) * std::pow(rate, all) / (1 - std::pow(rate, all + 1));
      const double expected = 1e3 * rate * (1 - full);
      // The standard error of the mean of 10^6 exponential times is 0.1 %.
      EXPECT_NEAR(double(batches) / seconds / expected, 1, 0.005) << rate << " " << places;
      // The server works for the batches that pass it: its share of the time is their rate over its own.
      EXPECT_NEAR(base::to_duration(pipeline.busy(1)).si() / seconds, expected / 1e3, 0.005) << rate << " " << places;
    }
  }
}

/// The mean number in an M/M/1/K system by Little's law, and with it the mean time that a batch spends in it.
TEST(PipelineRecurrence, WaitingIsThatOfTheQueueWithFinitePlaces) {
  constexpr std::int64_t batches = 1'000'000;
  constexpr double rate = 0.8;
  constexpr std::int64_t places = 3;
  const std::vector<Stage> stages{stage("source", 1e-3 / rate, 1, 1), stage("server", 1e-3, 1, places)};
  PipelineRecurrence pipeline(stages, 1000, 3, 0);
  // A batch enters the system when the source is done with it: its start there, which is when the source handed on the
  // batch before, plus its time, which the same generator gives again.
  ServiceTimes source(stages[0], 3, 0, 0);
  base::Time handed_on, total;
  base::Time leave_before;
  std::vector<base::Time> starts(std::size_t(places), base::Time(0));
  for (std::int64_t n = 0; n < batches; ++n) {
    const base::Time entered = handed_on + source.next();
    base::Time& freed = starts[std::size_t(n % places)];
    handed_on = std::max(entered, freed);
    freed = std::max(handed_on, leave_before);
    leave_before = pipeline.prepare();
    pipeline.take(leave_before);
    total += leave_before - entered;
  }
  // Mean number L = sum n r^n / sum r^n over n = 0 to K; mean time L / (throughput), throughput = rate (1 - p_K).
  constexpr int all = places + 2;
  double weight = 0, sum = 0;
  for (int n = 0; n <= all; ++n) {
    weight += std::pow(rate, n);
    sum += n * std::pow(rate, n);
  }
  const double throughput = 1e3 * rate * (1 - std::pow(rate, all) / weight);
  EXPECT_NEAR(base::to_duration(total).si() / double(batches) / (sum / weight / throughput), 1, 0.01);
}

TEST(PipelineRecurrence, IsTheSameForASeedAndAnotherForAnother) {
  const std::vector<Stage> stages{stage("a", 1e-3, 0.3, 2), stage("b", 1e-3, 0.3, 2)};
  PipelineRecurrence one(stages, 2, 5, 0), same(stages, 2, 5, 0), other(stages, 2, 6, 0), host(stages, 2, 5, 1);
  const base::Time end = drain(one, 100);
  EXPECT_EQ(drain(same, 100), end);
  EXPECT_NE(drain(other, 100), end);
  EXPECT_NE(drain(host, 100), end);
}

/// Mean and standard deviation of mean * (1 - s + s E) are mean and s * mean.
TEST(ServiceTimes, HaveTheMeanAndTheSpread) {
  for (const double spread : {0.0, 0.25, 1.0}) {
    ServiceTimes times(stage("a", 2e-3, spread, 1), 11, 0, 0);
    constexpr int count = 200'000;
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double t = base::to_duration(times.next()).si() * 1e3;
      sum += t;
      squares += t * t;
    }
    const double mean = sum / count;
    EXPECT_NEAR(mean, 2, 0.03);
    EXPECT_NEAR(std::sqrt(std::max(0.0, squares / count - mean * mean)), 2 * spread, 0.03);
  }
}

}  // namespace
}  // namespace podsim::hw::input
