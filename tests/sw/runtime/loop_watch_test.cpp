// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/loop_watch.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

using base::Cycles;

TEST(LoopWatch, TripsThatRepeatAreSkippedUpToTheLast) {
  LoopWatch watch(100, 2);
  // The first trip is longer; the following ones take 50 cycles, core 1 always 7 later.
  std::int64_t begin = 0;
  for (std::int64_t trip = 0; trip < 4; ++trip) {
    EXPECT_EQ(watch.begin_trip(0, trip, Cycles(begin)), 0) << trip;
    EXPECT_EQ(watch.begin_trip(1, trip, Cycles(begin + 7)), 0) << trip;
    begin += trip == 0 ? 80 : 50;
  }
  EXPECT_EQ(watch.begin_trip(0, 4, Cycles(begin)), 95);
  EXPECT_EQ(watch.begin_trip(1, 4, Cycles(begin + 7)), 95);
  EXPECT_EQ(watch.period(), Cycles(50));
  EXPECT_EQ(watch.begin_trip(0, 99, Cycles(begin + 95 * 50)), 0);
}

TEST(LoopWatch, AStateThatIsKnownRepeatsAtOnce) {
  LoopWatch::SteadyStates known;
  LoopWatch first(100, 2, &known);
  for (std::int64_t trip = 0; trip < 4; ++trip) {
    const std::int64_t begin = 50 * trip - (trip == 0 ? 30 : 0);
    EXPECT_EQ(first.begin_trip(0, trip, Cycles(1000 + begin)), 0) << trip;
    EXPECT_EQ(first.begin_trip(1, trip, Cycles(1000 + begin + 7)), 0) << trip;
  }
  EXPECT_EQ(first.begin_trip(0, 4, Cycles(1200)), 95);
  ASSERT_EQ(known.size(), 1U);
  // Core 1 begins the first trip 7 cycles after core 0, as in the state.
  LoopWatch second(20, 2, &known);
  EXPECT_EQ(second.begin_trip(0, 0, Cycles(3000)), 0);
  EXPECT_EQ(second.begin_trip(1, 0, Cycles(3007)), 0);
  EXPECT_EQ(second.begin_trip(0, 1, Cycles(3050)), 18);
  EXPECT_EQ(second.begin_trip(1, 1, Cycles(3057)), 18);
  EXPECT_EQ(second.period(), Cycles(50));
  // Here core 1 is 70 cycles late.
  LoopWatch third(20, 2, &known);
  EXPECT_EQ(third.begin_trip(0, 0, Cycles(3000)), 0);
  EXPECT_EQ(third.begin_trip(1, 0, Cycles(3070)), 0);
  EXPECT_EQ(third.begin_trip(0, 1, Cycles(3050)), 0);
}

TEST(LoopWatch, CoresThatDriftApartAreNotSkipped) {
  LoopWatch watch(100, 2);
  for (std::int64_t trip = 0; trip < 100; ++trip) {
    EXPECT_EQ(watch.begin_trip(0, trip, Cycles(50 * trip)), 0);
    EXPECT_EQ(watch.begin_trip(1, trip, Cycles(60 * trip)), 0);
  }
}

TEST(LoopWatch, AllCoresSkipTheSameTripsOrNone) {
  LoopWatch watch(100, 2);
  // Core 0 runs ahead: when it begins a trip, core 1 has not begun the one before.
  for (std::int64_t trip = 0; trip < 100; ++trip) {
    EXPECT_EQ(watch.begin_trip(0, trip, Cycles(50 * trip)), 0);
    if (trip > 0) {
      EXPECT_EQ(watch.begin_trip(1, trip - 1, Cycles(50 * trip)), 0);
    }
  }
}

}  // namespace
}  // namespace podsim::sw::runtime
