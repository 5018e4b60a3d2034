// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/repetition/loop_watch.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime::repetition {
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

/// The first trip of a core takes `period` cycles, each other one `drift` more than the one before. Returns the first
/// trip that is skipped, -1 if none of ten are.
std::int64_t first_skipped(std::int64_t period, std::int64_t drift) {
  LoopWatch watch(1000, 1);
  for (std::int64_t trip = 0; trip < 10; ++trip) {
    if (watch.begin_trip(0, trip, Cycles(period * trip + drift * trip * (trip - 1) / 2)) > 0) return trip;
  }
  return -1;
}

// 0.05 % of 20,000 cycles are 10, of 8,000 cycles 4; shorter trips may differ by 4 cycles, too.
TEST(LoopWatch, TripsRepeatUpToATwoThousandthOfTheirTimeOrFourCycles) {
  EXPECT_EQ(first_skipped(20'000, 10), 3);
  EXPECT_EQ(first_skipped(20'000, 11), -1);
  EXPECT_EQ(first_skipped(20'000, 400), -1);
  EXPECT_EQ(first_skipped(8'000, 4), 3);
  EXPECT_EQ(first_skipped(8'000, 5), -1);
  EXPECT_EQ(first_skipped(500, 4), 3);
  EXPECT_EQ(first_skipped(500, 5), -1);
  EXPECT_EQ(first_skipped(500, 12), -1);
}

// The same for the delay of a core in a known state of 20,000 cycles a trip: 10 cycles more are the state, 11 are not.
TEST(LoopWatch, AStateIsKnownUpToATwoThousandthOfATrip) {
  for (const std::int64_t more : {-11, -10, 0, 10, 11, 300}) {
    LoopWatch::SteadyStates known{{.delays = {Cycles(0), Cycles(500)}, .period = Cycles(20'000)}};
    LoopWatch watch(50, 2, &known);
    watch.begin_trip(0, 0, Cycles(1000));
    watch.begin_trip(1, 0, Cycles(1500 + more));
    EXPECT_EQ(watch.begin_trip(0, 1, Cycles(21'000)), more * more <= 100 ? 48 : 0) << more;
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
}  // namespace podsim::sw::runtime::repetition
