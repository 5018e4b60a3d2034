// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/fault_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace podsim::workloads::goodput {
namespace {

constexpr Nanoseconds day{86'400'000'000'000};

bool equal_events(const FaultEvent& a, const FaultEvent& b) {
  return a.time == b.time && a.cause == b.cause && a.unit == b.unit && a.draw == b.draw;
}

/// A renewal process that has run for long has as many failures as days over the mean, whatever its law.
TEST(FaultEvents, AreAsManyAsTheRateSaysForEveryShape) {
  for (const double shape : {0.6, 1.0, 2.0}) {
    const FaultSource source{Cause::chip, 2000, 0.01, shape};
    double count = 0;
    for (int seed = 0; seed < 50; ++seed)
      count += double(fault_events({&source, 1}, day * 30, std::uint64_t(seed)).size());
    const double expected = 2000 * 0.01 * 30 * 50;  // 30,000; early failures come in bursts, with twice the variance
    EXPECT_NEAR(count, expected, 5 * std::sqrt(2 * expected)) << shape;
  }
}

TEST(FaultEvents, AreInOrderAndHaveAllUnits) {
  const std::vector<FaultSource> sources{{Cause::chip, 16, 0.5, 1}, {Cause::cable, 4, 0.5, 1}};
  const std::vector<FaultEvent> events = fault_events(sources, day * 100, 3);
  EXPECT_TRUE(std::ranges::is_sorted(events, {}, &FaultEvent::time));
  std::vector<int> units(16);
  for (const FaultEvent& event : events) {
    EXPECT_LT(event.time, day * 100);
    ASSERT_LT(event.unit, event.cause == Cause::chip ? 16 : 4);
    if (event.cause == Cause::chip) ++units[std::size_t(event.unit)];
  }
  // 50 of each on average: none has less than 15, five deviations.
  EXPECT_GT(std::ranges::min(units), 15);
}

TEST(FaultEvents, OfASourceDoNotDependOnTheOthers) {
  const std::vector<FaultSource> two{{Cause::chip, 16, 0.5, 1}, {Cause::cable, 4, 0.5, 1}};
  const std::vector<FaultSource> one{{Cause::cable, 4, 0.5, 1}};
  std::vector<FaultEvent> cables = fault_events(two, day * 100, 5);
  std::erase_if(cables, [](const FaultEvent& event) { return event.cause != Cause::cable; });
  EXPECT_TRUE(std::ranges::equal(cables, fault_events(one, day * 100, 5), equal_events));
  EXPECT_FALSE(std::ranges::equal(cables, fault_events(one, day * 100, 6), equal_events));
}

}  // namespace
}  // namespace podsim::workloads::goodput
