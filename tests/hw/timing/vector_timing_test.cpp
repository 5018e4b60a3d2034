// SPDX-License-Identifier: Apache-2.0
#include "hw/core_units.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

TEST(VectorTiming, TheBusiestSlotDecides) {
  const Vector::Timing timing = Vector::timing(plain_tpu_v3());
  EXPECT_EQ(timing.duration({1000, 0, 0, 0}), base::Cycles(1000 + 6));
  EXPECT_EQ(timing.duration({0, 1000, 0, 0}), base::Cycles(1000 + 6));
  EXPECT_EQ(timing.duration({0, 0, 1000, 0}), base::Cycles(500 + 6));  // two ALUs
  EXPECT_EQ(timing.duration({0, 0, 1001, 0}), base::Cycles(501 + 6));
  EXPECT_EQ(timing.duration({0, 0, 0, 1000}), base::Cycles(1000 + 6));
  EXPECT_EQ(timing.duration({100, 200, 300, 150}), base::Cycles(200 + 6));
}

TEST(VectorTiming, NoWorkTakesNoTime) { EXPECT_EQ(Vector::timing(tpu_v3()).duration({}), base::Cycles(0)); }

TEST(VectorTiming, LoadsReachThePublishedRateOf4KiBPerCycle) {
  const Machine machine = tpu_v3();
  const std::int64_t registers = 1'000'000;
  const base::Duration time = Vector::timing(machine).duration({registers, 0, 0, 0}) / machine.clock;
  EXPECT_NEAR((base::Bytes(registers * 4096) / time).si(), 3.85e12, 0.01e12);
}

TEST(CrossLaneTiming, ARegisterEvery8CyclesAfterTheLatency) {
  const CrossLane::Timing timing = CrossLane::timing(plain_tpu_v3());
  EXPECT_EQ(timing.duration({0}), base::Cycles(0));
  EXPECT_EQ(timing.duration({1}), base::Cycles(108));
  EXPECT_EQ(timing.duration({1000}), base::Cycles(8100));
}

}  // namespace
}  // namespace podsim::hw::timing
