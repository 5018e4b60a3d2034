// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/saved_states.h"

#include <gtest/gtest.h>

namespace podsim::workloads::goodput {
namespace {

/// Periods of 3 steps of 10 ns, a check of 4 and a checkpoint of 6, from 100 ns on.
Stretch short_stretch(std::int64_t lag) {
  Stretch stretch;
  stretch.begin = Nanoseconds(100);
  stretch.from = {Nanoseconds(50), 7, Nanoseconds(70)};
  stretch.step = Nanoseconds(10);
  stretch.check = Nanoseconds(4);
  stretch.period = Nanoseconds(40);
  stretch.lag = Nanoseconds(lag);
  stretch.period_steps = 3;
  return stretch;
}

/// Against a walk through the stretch, nanosecond by nanosecond.
TEST(Stretch, IsWhatAWalkThroughItCounts) {
  const Stretch stretch = short_stretch(0);
  std::int64_t work = 0, checks = 0, checkpoints = 0, ended_checks = 0, stored = 0;
  for (std::int64_t t = 0; t < 300; ++t) {
    const Nanoseconds now(100 + t);
    const Stretch::Progress progress = stretch.at(now);
    EXPECT_EQ(progress.work.value(), work) << t;
    EXPECT_EQ(progress.steps, work / 10) << t;
    EXPECT_EQ(progress.checks.value(), checks) << t;
    EXPECT_EQ(progress.checkpoints.value(), checkpoints) << t;
    EXPECT_EQ(progress.checks_done, ended_checks) << t;
    EXPECT_EQ(stretch.saved_until(now), stored) << t;
    const std::int64_t in_period = t % 40;
    (in_period < 30 ? work : in_period < 34 ? checks : checkpoints) += 1;
    if (in_period == 33) ++ended_checks;
    if (in_period == 39) ++stored;
  }
  EXPECT_EQ(stretch.end_of_check(1), Nanoseconds(134));
  EXPECT_EQ(stretch.end_of_check(3), Nanoseconds(214));
}

TEST(Stretch, StoresALaggingCheckpointLater) {
  const Stretch stretch = short_stretch(5);
  EXPECT_EQ(stretch.saved_until(Nanoseconds(144)), 0);
  EXPECT_EQ(stretch.saved_until(Nanoseconds(145)), 1);
  const SavedState second = stretch.saved(2);
  EXPECT_EQ(second.stored, Nanoseconds(185));
  EXPECT_EQ(second.steps, 7 + 6);
  EXPECT_EQ(second.work, Nanoseconds(70 + 60));
}

TEST(SavedStates, ReturnTheNewestBeforeATime) {
  SavedStates states;
  EXPECT_EQ(states.newest().steps, 0);
  states.add(short_stretch(0), Nanoseconds(230));  // stored at 140, 180 and 220
  states.add(SavedState{Nanoseconds(260), 18, Nanoseconds(180)});
  EXPECT_EQ(states.newest().steps, 18);
  EXPECT_EQ(states.newest().stored, Nanoseconds(260));
  EXPECT_EQ(states.newest().work, Nanoseconds(180));
  EXPECT_EQ(states.take_back(Nanoseconds(219)).steps, 13);
  EXPECT_EQ(states.newest().steps, 13);
  EXPECT_EQ(states.take_back(Nanoseconds(100)).steps, 0);
}

}  // namespace
}  // namespace podsim::workloads::goodput
