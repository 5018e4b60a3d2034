// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/chip_cycles.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

using base::Cycles;

TEST(ChipCycles, OfASlowClockTakeMoreOfTheHealthyOne) {
  EXPECT_EQ(slowed(Cycles(7), 0.5), Cycles(14));
  EXPECT_EQ(slowed(Cycles(7), 0.7), Cycles(10));
  EXPECT_EQ(slowed(Cycles(8), 0.7), Cycles(12));  // 11.4, rounded up
  EXPECT_EQ(in_slow_cycles(Cycles(7), 0.5), Cycles(4));
  for (std::int64_t cycles = 0; cycles < 1000; cycles += 7) {
    for (const double clock : {0.001, 0.3, 0.999, 1.0}) {
      EXPECT_GE(slowed(Cycles(cycles), clock), Cycles(cycles));
      // Rounding up and back loses nothing.
      EXPECT_GE(slowed(in_slow_cycles(Cycles(cycles), clock), clock), Cycles(cycles));
    }
  }
}

TEST(ChipCycles, TheHbmHasItsRateAndThePortThatOfTheClock) {
  parts::hbm::Parameters hbm;
  hbm.stream_rate = base::Bandwidth(400e9);
  hbm.port_rate = base::Bandwidth(500e9);
  EXPECT_EQ(at_speed(hbm, {1, 0.5}).read_rate().si(), 200e9);
  EXPECT_EQ(at_speed(hbm, {0.5, 1}).read_rate().si(), 250e9);
  EXPECT_EQ(at_speed(hbm, {0.5, 0.5}).read_rate().si(), 200e9);
}

TEST(ChipCycles, AMachineWhoseClockAndHbmAreSlowAlikeIsTheHealthyOneInItsCycles) {
  const Machine& healthy = the_tpu_v3();
  EXPECT_EQ(in_cycles_of(healthy, {0.25, 0.25}).hbm.stream_rate, healthy.hbm.stream_rate);
  EXPECT_EQ(in_cycles_of(healthy, {0.5, 1}).hbm.stream_rate.si(), 2 * healthy.hbm.stream_rate.si());
  EXPECT_EQ(in_cycles_of(healthy, {1, 0.5}).dram.clock.si(), 0.5 * healthy.dram.clock.si());
}

}  // namespace
}  // namespace podsim::hw::timing
