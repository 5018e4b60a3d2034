// SPDX-License-Identifier: Apache-2.0
#include "hw/dram_parameters.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw {
namespace {

TEST(DramParameters, ThePinsOfOneCoreOfV3MoveWhat18GigabitPerSecondMake) {
  // 16 channels of 128 pins
  EXPECT_DOUBLE_EQ(memory::dram_with({}).pin_rate().si(), 16 * 128 * 1.8e9 / 8);
}

TEST(DramParameters, ThePinsOfBothCoresOfV2MoveThePublished700GigabytePerSecond) {
  EXPECT_NEAR(2 * tpu_v2().dram.pin_rate().si(), 700e9, 0.1e9);
}

TEST(DramParameters, ThePinsOfAStackOfHbm3MoveWhat52GigabitPerSecondMake) {
  // 16 channels of 64 pins
  EXPECT_DOUBLE_EQ(memory::hbm3.with().pin_rate().si(), 16 * 64 * 5.2e9 / 8);
}

TEST(DramParameters, RowsFollowFromTheCapacity) {
  // 16 GiB in 16 channels x 2 pseudo-channels x 16 banks of 1 KiB rows
  EXPECT_EQ(memory::dram_with({}).organization.rows, 32768);
  EXPECT_EQ(memory::dram_with({"hbm.capacity_per_core=8 GiB"}).organization.rows, 16384);
}

class BadMemory : public ::testing::TestWithParam<const char*> {};

TEST_P(BadMemory, IsAnInputErrorThatNamesItsKey) {
  const std::string assignment = GetParam();
  try {
    memory::dram_with({GetParam()});
    FAIL() << assignment << " was accepted";
  } catch (const base::InputError& error) {
    const std::string text = base::format(error.diagnostics().front());
    const std::string key = assignment.substr(0, assignment.find('='));
    EXPECT_NE(text.find(key.substr(key.find('.') + 1)), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(DramParameters, BadMemory,
                         ::testing::Values("hbm.clock=0 MHz", "hbm.channels=12", "hbm.channels=0",
                                           "hbm.pseudo_channels=3", "hbm.bank_groups=32", "hbm.banks_per_group=32",
                                           "hbm.row=1000 B", "hbm.row=16 B", "hbm.burst=2 B", "hbm.burst_clocks=0",
                                           "hbm.interleave=16 B", "hbm.address_order=row bank column",
                                           "hbm.address_order=row row column bank_group pseudo_channel",
                                           "hbm.address_order=row bank column bank_group rank",
                                           "hbm.address_order=row bank column bank_group pseudo_channel row",
                                           "hbm.page_policy=ajar", "hbm.refresh=never", "hbm.read_queue_bursts=31",
                                           "hbm.write_queue_bursts=31", "hbm.drain_high_bursts=65",
                                           "hbm.drain_low_bursts=48", "hbm.starvation_bound_bursts=0",
                                           "hbm_timing.cl=0", "hbm_timing.cwl=14", "hbm_timing.ccd_s=1",
                                           "hbm_timing.ccd_l=1", "hbm_timing.rrd_l=3", "hbm_timing.wtr_l=5",
                                           "hbm_timing.refi=630", "hbm_timing.refi=1000000", "hbm_timing.wr=-1"));

}  // namespace
}  // namespace podsim::hw
