// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "hw/energy/chip_area.h"
#include "hw/energy/core_power.h"
#include "hw/energy/operating_point.h"
#include "hw/energy/static_power.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::energy {
namespace {

// Jouppi et al. (ISCA 2023, table 4): an idle v3 draws 123 W.
TEST(ChipPower, OfAnIdleV3IsThePublishedOne) { EXPECT_NEAR(sum(static_watts(the_tpu_v3())), 123, 1); }

// A die of v3 is 6 % larger than one of v2, less than 648 mm2; MXUs are 11 % of it, 8 % of v2's (ISCA 2021, table 7).
TEST(ChipArea, OfV3AndV2IsThePublishedOne) {
  const PartValues v3 = chip_area(the_tpu_v3()), v2 = chip_area(tpu_v2());
  EXPECT_NEAR(sum(v3), 648, 0.02 * 648);
  EXPECT_NEAR(sum(v2), 611, 0.02 * 611);
  EXPECT_NEAR(of(v3, "mxu") / sum(v3), 0.11, 0.005);
  EXPECT_NEAR(of(v2, "mxu") / sum(v2), 0.08, 0.004);
}

// v1's and v4i's on-chip memories scaled to 16 nm: 32 MiB of VMEM are about 75 mm2, within 30 % (area.csv).
TEST(ChipArea, OfVmemIsThatOfOtherOnChipMemories) { EXPECT_NEAR(of(chip_area(the_tpu_v3()), "vmem"), 75, 0.3 * 75); }

// The area of arrays grows with the square of their side, of VMEM with its bytes; other parts stay.
TEST(ChipArea, FollowsWhatPartsConsistOf) {
  const PartValues v3 = chip_area(the_tpu_v3()), large = chip_area(tpu_v3_with({"mxu.size=256", "core.vmem=32 MiB"}));
  EXPECT_DOUBLE_EQ(of(large, "mxu"), 4 * of(v3, "mxu"));
  EXPECT_DOUBLE_EQ(of(large, "vmem"), 2 * of(v3, "vmem"));
  EXPECT_DOUBLE_EQ(of(large, "hbm"), of(v3, "hbm"));
  EXPECT_DOUBLE_EQ(sum(large) - sum(v3), 3 * of(v3, "mxu") + of(v3, "vmem"));
}

// ISCA 2021 of HanGuang 800: a clock 1.5 times as high takes 2.6 times the power of what is clocked.
TEST(OperatingPoint, HalfAsMuchClockAgainTakesThePublishedPower) {
  const OperatingPoint normal(the_tpu_v3()), fast(tpu_v3_with({"core.clock=1410 MHz"}));
  EXPECT_DOUBLE_EQ(normal.voltage, 1);
  EXPECT_NEAR(fast.ghz / normal.ghz * fast.event_scale(), 2.6, 0.03);
}

TEST(OperatingPoint, AVoltageHasAFloor) {
  EXPECT_DOUBLE_EQ(OperatingPoint(tpu_v3_with({"core.clock=100 MHz"})).voltage, the_tpu_v3().energy.voltage_floor);
}

BusyShares all_units(double share) {
  BusyShares busy;
  CoreUnits::for_each([&](auto kind) { busy.of<typename decltype(kind)::type>().value = share; });
  return busy;
}

// Units that always work have nothing to gate; those that never do keep the share that gating leaves.
TEST(ChipPower, GatesWhatDoesNotWork) {
  const Machine gated = tpu_v3_with({"energy.gate_idle=true", "energy.gated_share=0.25"});
  const PartValues always = static_watts(the_tpu_v3());
  EXPECT_DOUBLE_EQ(sum(static_watts(gated, all_units(1))), sum(always));
  const PartValues idle = static_watts(gated, all_units(0));
  EXPECT_DOUBLE_EQ(of(idle, "mxu"), 0.25 * of(always, "mxu"));
  EXPECT_DOUBLE_EQ(of(idle, "hbm"), of(always, "hbm"));
  EXPECT_DOUBLE_EQ(sum(static_watts(the_tpu_v3(), all_units(0))), sum(always)) << "not asked for";
}

// A chip's cores share what it draws always; an op adds its energy over its time.
TEST(CorePower, OfAnOpIsItsEnergyOverItsTime) {
  const Machine& v3 = the_tpu_v3();
  TileOp op{"matmul", {}, {}};
  op.runs.push_back({1, {{}, {TilePhase(MxuWork{.weight_tiles = 4, .rows = 1024})}, {}}});
  const double idle = sum(static_watts(v3)) / 2;
  EXPECT_DOUBLE_EQ(idle_core_watts(v3), idle);
  const double macs = 4.0 * 1024 * 128 * 128, registers = 4.0 * (1024 + 128) / 8;
  const double joules =
      macs * 0.91e-12 * v3.energy.unit_overhead + registers * 4096 * 8 * 0.2e-12;  // sram_bit at 128 KiB a lane
  const double seconds = 2048 / 940e6;
  EXPECT_NEAR(core_watts(v3, op, base::Cycles(2048)), idle + joules / seconds, 1e-9 * joules / seconds);
}

}  // namespace
}  // namespace podsim::hw::energy
