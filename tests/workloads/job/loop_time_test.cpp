// SPDX-License-Identifier: Apache-2.0
#include "workloads/job/loop_time.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/diagnostic.h"

namespace podsim::workloads::job {
namespace {

constexpr base::Time ms(1'000'000'000);

LoopParts parts(std::int64_t steps, std::int64_t evaluation) {
  LoopParts result;
  result.plan = {steps, evaluation};
  result.step = 100 * ms;
  result.evaluation_step = 30 * ms;
  result.reduction = ms;
  result.launch = 5 * ms;
  result.queue = 2;
  return result;
}

/// One host, with two stages of these times.
hw::input::InputPlan host(double first_s, double second_s) {
  hw::input::InputPlan plan;
  plan.stages = {{"a", base::Duration(first_s), 0, 1}, {"b", base::Duration(second_s), 0, 1}};
  return plan;
}

TEST(LoopTime, WithoutHostsIsTheSumOfItsParts) {
  const LoopTime time = time_of_loop(parts(10, 4));
  EXPECT_EQ(time.steps, 1000 * ms);
  EXPECT_EQ(time.evaluation, 121 * ms);
  EXPECT_EQ(time.launches, 10 * ms);
  EXPECT_EQ(time.waiting, base::Time(0));
  EXPECT_EQ(time.all(), 1131 * ms);
}

TEST(LoopTime, WithoutEvaluationHasOneLaunchAndNoReduction) {
  const LoopTime time = time_of_loop(parts(10, 0));
  EXPECT_EQ(time.all(), 1005 * ms);
  EXPECT_EQ(time.evaluation, base::Time(0));
}

TEST(LoopTime, AHostThatKeepsUpCostsNothing) {
  LoopParts fed = parts(50, 0);
  fed.input = host(0.05, 0.099);
  EXPECT_EQ(time_of_loop(fed).waiting, base::Time(0));
}

/// In the steady state a slow host prepares one batch an interval, for any work of the device: 50 steps and 5 of
/// evaluation take 55 intervals, the launches and the reduction are hidden behind them.
TEST(LoopTime, ASlowHostGivesOneBatchAnInterval) {
  LoopParts fed = parts(50, 5);
  fed.input = host(0.05, 0.12);
  EXPECT_EQ(time_of_loop(fed).all(), 55 * 120 * ms);
}

/// While the device evaluates for a short time, hosts prepare as many batches in advance as the queues hold.
TEST(LoopTime, APauseOfTheDeviceIsFilledWithAsManyBatchesAsTheQueuesHold) {
  LoopParts fed = parts(50, 0);
  fed.launch = 10'000 * ms;
  fed.input = host(0.05, 0.12);
  // Ready when the loop begins: 2 batches behind the last stage, one that it is done with, and one in front of it. So
  // the waits begin with the fourth batch, which the last stage begins when the first is taken at 0 ms: it arrives at
  // 120 ms, after the first three at 0, 100 and 200 ms. The fifth arrives at 240 ms, the sixth at 360, the n-th at
  // 120 (n - 3); it is late for its step at 100 (n - 1) from n = 14 on.
  const LoopTime time = time_of_loop(fed);
  EXPECT_EQ(time.steps, (120 * (50 - 3) + 100) * ms);
}

TEST(LoopTime, HostsThatVaryWaitForTheSlowest) {
  LoopParts fed = parts(200, 0);
  fed.input = host(0.01, 0.09);
  for (hw::input::Stage& stage : fed.input->stages) stage.spread = 0.5;
  const base::Time one = time_of_loop(fed).waiting;
  fed.input->hosts = 16;
  EXPECT_GT(time_of_loop(fed).waiting, one);
}

/// The spans of the device, and those of the loop, follow one another without a gap.
TEST(LoopTime, IsRecordedFromSpanToSpan) {
  LoopParts fed = parts(20, 4);
  fed.input = host(0.05, 0.12);
  JobRecord record;
  const LoopTime time = time_of_loop(fed, &record);
  EXPECT_EQ(time, time_of_loop(fed));
  std::map<std::string, base::Time> lengths, ends;
  std::map<std::string, int> counts;
  for (const JobSpan& span : record.spans()) {
    EXPECT_GE(span.begin, ends[span.lane]) << span.lane << " " << span.name;
    ends[span.lane] = span.end;
    lengths[span.lane] += span.end - span.begin;
    ++counts[span.lane];
  }
  EXPECT_EQ(ends["loop"], record.end());
  EXPECT_EQ(lengths["b"], 120 * ms * counts["b"]);  // the second stage of the host
  EXPECT_EQ(counts["b"], 48);                       // a batch for every step of both rounds
  EXPECT_EQ(lengths["loop"], record.end());
  EXPECT_EQ(lengths["device"] + 4 * 5 * ms, record.end());
}

TEST(LoopTime, ARecordKeepsTheFirstSpansOfEachLane) {
  JobRecord record;
  static_cast<void>(time_of_loop(parts(10'000, 0), &record));
  EXPECT_EQ(record.spans().size(), JobRecord::most + 4);  // of the device, with two launches and two loops
  EXPECT_EQ(record.end(), 2 * (10'000 * 100 + 5) * ms);
}

LoopParts sending_parts(base::Time handling, std::int64_t queue) {
  LoopParts sending = parts(50, 0);
  sending.outfeed_transfer = 2 * ms;
  sending.outfeed_handling = handling;
  sending.outfeed_queue = queue;
  return sending;
}

TEST(LoopTime, AHostThatTakesResultsFastEnoughCostsNothing) {
  const LoopTime time = time_of_loop(sending_parts(99 * ms, 2));
  EXPECT_EQ(time.outfeed_waiting, base::Time(0));
  EXPECT_EQ(time.all(), (50 * 100 + 5) * ms);
}

/// In the steady state a slow host takes the results of a step every 130 ms, for any length of the queue.
TEST(LoopTime, AHostThatLagsStopsTheSteps) {
  for (const std::int64_t queue : {2, 5}) {
    const LoopTime time = time_of_loop(sending_parts(130 * ms, queue));
    EXPECT_EQ(time.all(), 50 * 130 * ms) << queue;
    EXPECT_EQ(time.outfeed_waiting, (50 * 30 - 5) * ms) << queue;  // the host works during a program's launch
  }
}

/// With a single slot a step ends when its host has dealt with the results of the one before: 100 ms and, behind them,
/// transfer and handling, as long as these are shorter than a step.
TEST(LoopTime, WithOnePlaceResultsOfAStepAreTakenDuringTheNext) {
  EXPECT_EQ(time_of_loop(sending_parts(97 * ms, 1)).outfeed_waiting, base::Time(0));
  EXPECT_EQ(time_of_loop(sending_parts(100 * ms, 1)).outfeed_waiting, 49 * 2 * ms);
}

LoopParts saved_parts(bool beside) {
  LoopParts saved = parts(10, 4);
  saved.plan.checkpoint_steps = 4;
  saved.save = 7 * ms;
  saved.store = 300 * ms;
  saved.store_beside = beside;
  return saved;
}

/// Three programs of 4, 4 and 2 steps, two of which are saved.
TEST(LoopTime, ACheckpointStopsTheDeviceForBothOfItsParts) {
  const LoopTime time = time_of_loop(saved_parts(false));
  EXPECT_EQ(time.checkpoints, 2 * 307 * ms);
  EXPECT_EQ(time.launches, 4 * 5 * ms);
  EXPECT_EQ(time.all(), (1000 + 614 + 121 + 20) * ms);
}

TEST(LoopTime, ACheckpointBesideTheStepsStopsItForTheCopyAlone) {
  EXPECT_EQ(time_of_loop(saved_parts(true)).checkpoints, 2 * 7 * ms);
}

/// The storage takes longer than the 405 ms to the next checkpoint: the second waits for the first, and the first of
/// the next round, 5 + 200 + 5 + 121 + 5 + 400 ms later, for the second.
TEST(LoopTime, ACheckpointWaitsForTheOneBefore) {
  LoopParts saved = saved_parts(true);
  saved.store = 1000 * ms;
  const base::Time between = 405 * ms, around = (5 + 200 + 5 + 121 + 5 + 400) * ms;
  EXPECT_EQ(time_of_loop(saved).checkpoints, 2 * 7 * ms + (1000 * ms - between) + (1000 * ms - around));
}

TEST(LoopTime, HostsGetAheadDuringACheckpoint) {
  LoopParts fed = parts(40, 0);
  fed.plan.checkpoint_steps = 10;
  fed.store = 100'000 * ms;
  fed.input = host(0.05, 0.12);
  // As in a pause before each ten: the n-th batch arrives after 120 (n - 3) ms, and is late from n = 14 on.
  EXPECT_EQ(time_of_loop(fed).waiting, base::Time(0));
}

TEST(LoopPlan, IsReadFromItsParts) {
  const LoopPlan plan = parse_loop("steps=1252 eval=13");
  EXPECT_EQ(plan.steps, 1252);
  EXPECT_EQ(plan.evaluation_steps, 13);
  EXPECT_EQ(plan.checkpoints(), 0);
  EXPECT_EQ(parse_loop("steps=1252 checkpoint=400").checkpoints(), 3);
  EXPECT_EQ(parse_loop("eval=2,steps=3").steps, 3);
  EXPECT_EQ(parse_loop("steps=3").evaluation_steps, 0);
}

TEST(LoopPlan, PointsAtWhatIsWrong) {
  const auto column_of = [](const char* text) {
    try {
      static_cast<void>(parse_loop(text));
    } catch (const base::InputError& error) {
      return error.diagnostics().front().location.column;
    }
    return 0;
  };
  EXPECT_EQ(column_of("steps=10 evil=3"), 10);
  EXPECT_EQ(column_of("steps=ten"), 1);
  EXPECT_EQ(column_of("steps=0"), 1);
  EXPECT_EQ(column_of("steps=5 eval=-1"), 9);
  EXPECT_EQ(column_of("steps=5 checkpoint=0"), 9);
  EXPECT_EQ(column_of("checkpoint=6 steps=5"), 1);
  EXPECT_EQ(column_of("eval=3"), 1);
  EXPECT_EQ(column_of(""), 1);
}

}  // namespace
}  // namespace podsim::workloads::job
