// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/schedule/launch.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sw/collectives/schedule/collective_estimate.h"
#include "sw/collectives/schedule/collective_schedule.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::schedule {
namespace {

/// The launch in us of the first of some groups on a slice of open dimensions, of chips with two cores.
double launch_us(const noc::Topology& slice, const CollectiveGroups& groups,
                 CollectiveKind kind = CollectiveKind::all_reduce) {
  const sw::TargetMachine machine = tpu_v3();
  const CollectiveSchedule schedule(slice, 2, groups, {kind, hlo::ElementType::f32, 64}, algorithms_for(kind).front(),
                                    segment_lengths(machine, hlo::ElementType::f32));
  return launch(machine, schedule.group_program(0)).si() * 1e6;
}

double launch_of_all(std::int64_t x, std::int64_t y) {
  const noc::Topology slice({x, y}, {false, false});
  return launch_us(slice, CollectiveGroups::all(slice, 2));
}

// 1.5 us within a host of eight chips, 12.7 us for each doubling of the hosts.
TEST(Launch, GrowsWithTheLogarithmOfTheHosts) {
  EXPECT_NEAR(launch_of_all(1, 1), 1.5, 1e-9);
  EXPECT_NEAR(launch_of_all(4, 2), 1.5, 1e-9);
  EXPECT_NEAR(launch_of_all(4, 4), 1.5 + 12.7, 1e-9);
  EXPECT_NEAR(launch_of_all(3, 3), 1.5 + 12.7, 1e-9) << "nine chips are on two hosts";
  EXPECT_NEAR(launch_of_all(6, 4), 1.5 + 12.7 * std::log2(3.0), 1e-9);
  EXPECT_NEAR(launch_of_all(32, 32), 1.5 + 12.7 * 7, 1e-9);
}

// Four chips of 8x8 that are four apart along both dimensions are on as many hosts; next to each other, on one.
TEST(Launch, IsThatOfTheHostsThatAGroupIsSpreadOver) {
  const noc::Topology slice({8, 8}, {false, false});
  const auto cores_of = [&](std::vector<std::int32_t> chips) {
    CollectiveGroups::Ranks ranks;
    for (const std::int32_t chip : chips) ranks.insert(ranks.end(), {2 * chip, 2 * chip + 1});
    return CollectiveGroups({ranks});
  };
  EXPECT_NEAR(launch_us(slice, cores_of({0, 1, 8, 9})), 1.5, 1e-9);
  EXPECT_NEAR(launch_us(slice, cores_of({0, 4, 32, 36})), 1.5 + 12.7 * 2, 1e-9);
  EXPECT_NEAR(launch_us(slice, cores_of({0, 63})), 1.5 + 12.7, 1e-9) << "no more hosts than chips";
}

// Sends between chips of a TPU v3 take up to 2.9 us beyond their bytes (measurements/v3_points.csv).
TEST(Launch, OfAPairIsThatOfAHost) {
  const noc::Topology slice({8, 8}, {false, false});
  EXPECT_NEAR(launch_us(slice, CollectiveGroups({{0, 126}, {126, 0}}), CollectiveKind::collective_permute), 1.5, 1e-9);
}

}  // namespace
}  // namespace podsim::sw::collectives::schedule
