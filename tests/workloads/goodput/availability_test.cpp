// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/availability.h"

#include <gtest/gtest.h>

#include <cmath>

#include "workloads/goodput/random_times.h"

namespace podsim::workloads::goodput {
namespace {

TEST(Availability, IsTheShareOfTimeBetweenRepairs) {
  EXPECT_DOUBLE_EQ(availability(base::Duration(90), base::Duration(10)), 0.9);
}

/// Against machines drawn at random, host by host.
TEST(Availability, OfSlicesIsThatOfDrawnMachines) {
  const BlockMachine machine{16, 4, 0.97};
  for (const std::int64_t slice : {1, 3, 8, 16}) {
    RandomTimes random(5);
    constexpr int drawn = 40'000;
    double joined = 0, fixed = 0;
    for (int i = 0; i < drawn; ++i) {
      std::int64_t working = 0, in_order = 0, fixed_slices = 0;
      for (std::int64_t block = 0; block < machine.blocks; ++block) {
        bool works = true;
        for (std::int64_t host = 0; host < machine.block_hosts; ++host) works &= random.uniform() < 0.97;
        working += works ? 1 : 0;
        in_order = block % slice == 0 ? 0 : in_order;
        in_order += works ? 1 : 0;
        if (block % slice == slice - 1 && in_order == slice) ++fixed_slices;
      }
      joined += double(working / slice * slice) / 16;
      fixed += double(fixed_slices * slice) / 16;
    }
    const double tolerance = 4 * 0.5 / std::sqrt(drawn);
    EXPECT_NEAR(share_in_joined_slices(machine, slice), joined / drawn, tolerance) << slice;
    EXPECT_NEAR(share_in_fixed_slices(machine, slice), fixed / drawn, tolerance) << slice;
  }
}

TEST(Availability, IsWholeWhereHostsNeverFail) {
  EXPECT_DOUBLE_EQ(share_in_joined_slices({64, 16, 1}, 32), 1);
  EXPECT_DOUBLE_EQ(share_in_fixed_slices({64, 16, 1}, 32), 1);
}

}  // namespace
}  // namespace podsim::workloads::goodput
