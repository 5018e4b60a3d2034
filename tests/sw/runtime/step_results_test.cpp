// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/step_results.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

using base::Time;

ItemResult executed(int index, std::int64_t duration, std::int64_t times) {
  ItemResult result;
  result.item = index;
  result.duration = Time(duration);
  result.times = times;
  return result;
}

// Items 0 and 5 are outside; an inner loop of items 2 and 3 runs 4 times in each of 3 trips of the outer one.
TEST(StepResults, AnInnerLoopMakesItsTripsInEveryTripOfTheOuterOne) {
  compiler::Program program;
  program.items.resize(6);
  program.loops.resize(2);
  program.loops[0].first = 1, program.loops[0].end = 5, program.loops[0].trips = 3;
  program.loops[1].first = 2, program.loops[1].end = 4, program.loops[1].trips = 4;
  const std::vector<LoopResult> loops =
      loop_results(program, {executed(0, 100, 1), executed(1, 10, 3), executed(2, 7, 12), executed(5, 100, 1)});
  ASSERT_EQ(loops.size(), 2U);
  EXPECT_EQ(loops[0].trips, 3);
  EXPECT_EQ(loops[0].duration, Time(3 * 10 + 12 * 7));
  EXPECT_EQ(loops[1].trips, 12);
  EXPECT_EQ(loops[1].duration, Time(12 * 7));
}

TEST(StepResults, ContentionAddsUpByTheItemThatGoesOnBeside) {
  std::vector<ItemResult> items{executed(3, 10, 2), executed(4, 10, 1), executed(5, 10, 1), executed(6, 10, 1)};
  items[0].contended = Time(4), items[0].beside = 1;
  items[1].contended = Time(1), items[1].beside = -1;
  items[2].contended = Time(2), items[2].beside = 1;
  const std::vector<ContentionResult> contention = contention_results(items);
  ASSERT_EQ(contention.size(), 2U);
  EXPECT_EQ(contention[0].beside, -1);
  EXPECT_EQ(contention[0].time, Time(1));
  EXPECT_EQ(contention[1].beside, 1);
  EXPECT_EQ(contention[1].time, Time(2 * 4 + 2));
}

}  // namespace
}  // namespace podsim::sw::runtime
