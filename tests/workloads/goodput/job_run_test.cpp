// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/job_run.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/workloads/goodput/sample_job.h"
#include "workloads/goodput/random_times.h"
#include "workloads/goodput/seeds.h"

namespace podsim::workloads::goodput {
namespace {

using test::ns;
using test::sample_plan;

/// exp(-1): a repair takes its mean.
const double mean_draw = std::exp(-1.0);

FaultEvent fault(double time_s, Cause cause, std::int64_t unit, double draw = mean_draw) {
  return {ns(time_s), cause, unit, draw};
}

JobOutcome run(const JobPlan& plan, const std::vector<FaultEvent>& events) {
  JobOutcome outcome = run_job(plan, events);
  EXPECT_EQ(outcome.all(), plan.horizon);
  return outcome;
}

/// 60 s of start, then 120 s for 100 steps: 1260 s are ten periods.
TEST(JobRun, WithoutFailuresIsStepsAndCheckpoints) {
  const JobOutcome outcome = run(sample_plan(1260), {});
  EXPECT_EQ(outcome.steps, 1000);
  EXPECT_EQ(outcome.training, ns(1000));
  EXPECT_EQ(outcome.checkpoints, ns(200));
  EXPECT_EQ(outcome.start, ns(60));
}

/// A crash at 230.5 s: 100 steps are saved at 180 s, 50.5 s of work are lost; 40 s until it is known, 60 s of restart.
TEST(JobRun, LosesTheStepsSinceTheCheckpoint) {
  const JobOutcome outcome = run(sample_plan(430.5), {fault(230.5, Cause::software, 0)});
  const CauseTimes& times = outcome.of(Cause::software);
  EXPECT_EQ(times.interruptions, 1);
  EXPECT_EQ(times.lost, ns(50.5));
  EXPECT_EQ(times.detection, ns(40));
  EXPECT_EQ(times.restart, ns(60));
  EXPECT_EQ(outcome.steps, 200);  // 100 s are left, all for steps
}

/// A checkpoint that is not stored does not count: at 175 s it is.
TEST(JobRun, GoesBackBehindAnUnfinishedCheckpoint) {
  const JobOutcome outcome = run(sample_plan(400), {fault(175, Cause::software, 0)});
  EXPECT_EQ(outcome.of(Cause::software).lost, ns(100));
  EXPECT_EQ(outcome.steps, 105);  // from 275 s: a period until 395 s, and 5 s
}

/// Stored while steps run, a checkpoint blocks 5 s and is complete 15 s later: at 60 + 105 + 15 = 180 s.
TEST(JobRun, StoresCheckpointsBesideTheSteps) {
  JobPlan plan = sample_plan(700);
  plan.beside = true;
  EXPECT_EQ(run(plan, {fault(179, Cause::software, 0)}).of(Cause::software).lost, ns(100 + 14));
  EXPECT_EQ(run(plan, {fault(181, Cause::software, 0)}).of(Cause::software).lost, ns(16));
  EXPECT_EQ(run(plan, {}).checkpoints, ns(6 * 5));  // 640 s are six periods of 105 s and 10 s
}

/// A broken chip, and a failure while the job restarts: that begins again.
TEST(JobRun, BeginsARestartAgain) {
  JobPlan plan = sample_plan(1000);
  plan.spares = 2;
  const JobOutcome outcome = run(plan, {fault(100, Cause::chip, 5), fault(450, Cause::host, 7)});
  // 100 + 40 s, then 300 s of exchange, restart at 440 s; at 450 s the second: 40 s, 300 s, 60 s: runs at 850 s.
  EXPECT_EQ(outcome.of(Cause::chip).waiting, ns(300));
  EXPECT_EQ(outcome.of(Cause::chip).restart, ns(10));
  EXPECT_EQ(outcome.of(Cause::host).waiting, ns(300));
  EXPECT_EQ(outcome.of(Cause::host).restart, ns(60));
  EXPECT_EQ(outcome.steps, 100 + 30);  // 120 s for the first 100 with their checkpoint
}

TEST(JobRun, WaitsForARepairWithoutASpare) {
  JobPlan plan = sample_plan(20'000);
  plan.without_spare = WithoutSpare::wait;
  const JobOutcome outcome = run(plan, {fault(100, Cause::hbm, 5)});
  EXPECT_EQ(outcome.of(Cause::hbm).waiting, ns(8000 - 40));  // the repair begins with the failure
  EXPECT_EQ(outcome.slower, ns(0));
}

/// On half of the slice from 100 + 40 + 60 = 200 s to 8100 s: 7900 s are 35 periods of 220 s and 200 s, which are the
/// steps of the next. It saves them (20 s), restarts (60 s), and has 3600 steps at 8180 s; 120 s a hundred from there.
TEST(JobRun, GoesOnWithHalfOfTheSliceUntilTheRepair) {
  const JobOutcome outcome = run(sample_plan(8180 + 1200), {fault(100, Cause::chip, 5)});
  EXPECT_EQ(outcome.smaller_slices, 1);
  EXPECT_EQ(outcome.steps, 3600 + 1000);
  EXPECT_EQ(outcome.slower, ns(3600));
  EXPECT_EQ(outcome.of(Cause::chip).lost, ns(40));  // before the first checkpoint
  EXPECT_EQ(outcome.of(Cause::chip).restart, ns(120));
  EXPECT_EQ(outcome.of(Cause::chip).waiting, ns(0));
}

/// A repair that takes less than the restarts for a smaller slice is waited for.
TEST(JobRun, DoesNotMoveForAShortRepair) {
  JobPlan plan = sample_plan(5000);
  plan.repair = ns(150);
  const JobOutcome outcome = run(plan, {fault(100, Cause::chip, 5)});
  EXPECT_EQ(outcome.smaller_slices, 0);
  EXPECT_EQ(outcome.of(Cause::chip).waiting, ns(110));
}

/// A part outside of the slice on which the job runs does not stop it: chip 5 is in the lower half, chip 6 too.
TEST(JobRun, IsNotStoppedByPartsThatItDoesNotUse) {
  const JobOutcome outcome =
      run(sample_plan(4000), {fault(100, Cause::chip, 5), fault(1000, Cause::chip, 0), fault(2000, Cause::host, 0)});
  EXPECT_EQ(outcome.interruptions, 1);
}

TEST(JobRun, ReroutesAroundADeadCable) {
  JobPlan plan = sample_plan(2000);
  EXPECT_EQ(run(plan, {fault(100, Cause::cable, 0)}).rerouted, 1);
  plan.rerouted.reset();
  const JobOutcome without = run(plan, {fault(100, Cause::cable, 0)});
  EXPECT_EQ(without.rerouted, 0);
  EXPECT_EQ(without.smaller_slices, 1);
}

/// Maintenance is announced: the job saves its state (20 s) and loses no finished step.
TEST(JobRun, SavesBeforeMaintenance) {
  JobPlan plan = sample_plan(5000);
  plan.spares = 1;
  const JobOutcome outcome = run(plan, {fault(110.5, Cause::maintenance, 3)});
  EXPECT_EQ(outcome.announced, 1);
  EXPECT_EQ(outcome.interruptions, 0);
  EXPECT_EQ(outcome.of(Cause::maintenance).lost, ns(0.5));
  EXPECT_EQ(outcome.of(Cause::maintenance).detection, ns(0));
}

/// A chip computes wrong results from 200 s on. Its checks, of 2 s, end at 60 + 102 + 122 n s; every one finds it, so
/// that at 284 s. The job goes back to the checkpoint of 182 s: 100 steps again.
TEST(JobRun, GoesBackBeforeSilentCorruption) {
  JobPlan plan = sample_plan(5000);
  plan.check = ns(2);
  plan.spares = 1;
  const JobOutcome outcome = run(plan, {fault(200, Cause::silent, 9)});
  EXPECT_EQ(outcome.of(Cause::silent).interruptions, 1);
  EXPECT_EQ(outcome.of(Cause::silent).lost, ns(100));
  EXPECT_EQ(outcome.suspect_steps, 0);
  // Found by the third check only (0.2: log 0.2 / log 0.5 = 2.3), it takes two checkpoints with it.
  plan.silent_found = 0.5;
  EXPECT_EQ(run(plan, {fault(200, Cause::silent, 9, 0.2)}).of(Cause::silent).lost, ns(300));
  plan.check.reset();
  const JobOutcome unchecked = run(plan, {fault(200, Cause::silent, 9)});
  EXPECT_EQ(unchecked.interruptions, 0);
  EXPECT_EQ(unchecked.suspect_steps, unchecked.steps - 120);
}

/// Times add up to the horizon, steps that count are not negative, and a seed has the same outcome again.
TEST(JobRun, AddsUpWhateverFails) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    RandomTimes random(seed);
    JobPlan plan = sample_plan(2e5 * random.uniform() + 10);
    plan.beside = random.uniform() < 0.5;
    if (random.uniform() < 0.5) plan.check = ns(1.5);
    plan.silent_found = 0.4;
    plan.spares = random.below(3);
    if (random.uniform() < 0.3) plan.without_spare = WithoutSpare::wait;
    if (random.uniform() < 0.3) plan.rerouted.reset();
    plan.checkpoint_steps = 1 + random.below(400);
    std::array<double, all_causes.size()> rates{};
    for (double& rate : rates) rate = random.uniform() < 0.3 ? 0 : random.exponential(0.2);
    const auto events = fault_events(fault_sources(*plan.site, rates, 1), plan.horizon, seed);
    const JobOutcome outcome = run(plan, events);
    EXPECT_GE(outcome.slower, ns(0));
    EXPECT_GE(outcome.steps, 0);
    EXPECT_GE(outcome.suspect_steps, 0);
    for (const CauseTimes& times : outcome.causes) {
      EXPECT_GE(std::min({times.lost, times.detection, times.waiting, times.restart}), ns(0));
    }
    EXPECT_EQ(run(plan, events).steps, outcome.steps);
  }
}

/// Crashes at a constant rate: the mean time for a period of work and its checkpoint is
/// M exp(R / M) (exp((work + C) / M) - 1), with R from a crash until the job runs.
TEST(JobRun, TakesTheTimeOfTheRenewalProcess) {
  for (const double between_s : {600.0, 3000.0}) {
    JobPlan plan = sample_plan(3e8);
    const FaultSource crashes{Cause::software, plan.site->hosts(), 86'400 / between_s / double(plan.site->hosts()), 1};
    const auto events = fault_events({&crashes, 1}, plan.horizon, 11);
    const JobOutcome outcome = run(plan, events);
    const double expected =
        expected_time(base::Duration(100), base::Duration(20), base::Duration(100), base::Duration(between_s)).si();
    // 1e5 crashes or more: 1 % is three deviations.
    EXPECT_NEAR(3e8 / (double(outcome.steps) / 100) / expected, 1, 0.01) << between_s;
  }
}

/// A job that waits for repairs, and loses nothing else, runs while all hosts work: (M / (M + R))^hosts of the time.
TEST(JobRun, RunsWhileAllHostsWork) {
  JobPlan plan = sample_plan(2e9);
  plan.ways[0] = {{8, 8}, ns(1), ns(0), ns(0), ns(0)};
  plan.checkpoint_steps = 1;
  plan.without_spare = WithoutSpare::wait;
  plan.detection = plan.diagnosis = ns(0);
  const FaultSource hosts{Cause::host, plan.site->hosts(), 1, 1};
  const JobOutcome outcome = run(plan, fault_events({&hosts, 1}, plan.horizon, 3));
  const double works = 86'400 / (86'400 + 8000.0);
  // Some 1e5 repairs: 0.005 is more than three deviations.
  EXPECT_NEAR(seconds(outcome.training) / 2e9, std::pow(works, 8), 0.005);
}

}  // namespace
}  // namespace podsim::workloads::goodput
