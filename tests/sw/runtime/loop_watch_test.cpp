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
