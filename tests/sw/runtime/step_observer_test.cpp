// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_observer.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

using base::Time;
using Kind = compiler::ProgramItem::Kind;

ItemResult item(int index, std::int64_t duration) {
  return {.item = index, .duration = Time(duration), .cost = {}, .bound = Bound::latency};
}

TEST(StepObserver, KeepsTheLastCompleteStepWhileTheNextOneRuns) {
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 10), Time(10));
  observer.item_ended(Kind::collective, item(1, 5), Time(15));
  observer.step_ended();
  observer.item_ended(Kind::op, item(0, 20), Time(35));
  EXPECT_EQ(observer.steps(), 1);
  EXPECT_EQ(observer.step().duration(), Time(15));
  EXPECT_EQ(observer.step().compute, Time(10));
  EXPECT_EQ(observer.step().collective, Time(5));
  observer.item_ended(Kind::infeed, item(1, 2), Time(40));
  observer.step_ended();
  EXPECT_EQ(observer.step_times(), (std::vector{Time(15), Time(25)}));
  EXPECT_EQ(observer.step().infeed, Time(2));
  EXPECT_EQ(observer.step().items.size(), 2U);
}

TEST(StepObserver, RepeatsItemsForThoseThatComeAPeriodLater) {
  compiler::Program program;
  program.items.resize(8);
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 3), Time(3));
  observer.item_ended(Kind::op, item(1, 10), Time(13));
  observer.item_ended(Kind::op, item(2, 20), Time(33));
  // The trip of items 1 and 2 stands for those of 3 and 4, and of 5 and 6.
  observer.repeat_onward(program, 1, 2, 2, Time(93));
  observer.step_ended();
  const StepRecord& step = observer.step();
  ASSERT_EQ(step.items.size(), 7U);
  for (int i = 0; i < 7; ++i) EXPECT_EQ(step.items[std::size_t(i)].item, i);
  EXPECT_EQ(step.items[5].duration, Time(10));
  EXPECT_EQ(step.compute, Time(93));
  EXPECT_EQ(step.end, Time(93));
}

// Skipped trips of 30 ps that take 91 and 29 ps in whole cycles: the parts of the step still add up to it.
TEST(StepObserver, WhatSkippedTripsTakeBeyondTheOneBeforeCountsForTheirLongestItem) {
  compiler::Program program;
  program.items.resize(4);
  program.items[1].kind = program.items[3].kind = Kind::collective;
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 10), Time(10));
  observer.item_ended(Kind::collective, item(1, 20), Time(30));
  observer.repeat_from(program, 0, 3, Time(30 + 91));
  observer.repeat_onward(program, 0, 1, 2, Time(121 + 121 - 1));
  observer.step_ended();
  const StepRecord& step = observer.step();
  EXPECT_EQ(step.compute, Time(2 * 40));
  EXPECT_EQ(step.collective, Time(2 * 81 - 1));
  EXPECT_EQ(step.compute + step.collective, step.duration());
  EXPECT_EQ(step.items[3].total(), Time(61));
}

TEST(StepObserver, BeforeTheFirstStepIsCompleteShowsItsBeginning) {
  StepObserver observer;
  observer.item_ended(Kind::op, item(0, 10), Time(10));
  EXPECT_EQ(observer.steps(), 0);
  EXPECT_EQ(observer.step().items.size(), 1U);
  EXPECT_EQ(observer.step().duration(), Time(10));
}

}  // namespace
}  // namespace podsim::sw::runtime
