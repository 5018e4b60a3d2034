// SPDX-License-Identifier: Apache-2.0
#include "hw/parts/hbm/dram_parameters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

/// A time of a memory and those that it holds.
struct Holds {
  std::string time;
  std::vector<std::string> parts;
};

/// JEDEC's names: a row cycle is a row's opening and its closing, a row is sensed before it is closed, bursts do not
/// overlap, a bank group is no faster than two, and a refresh of all banks is no shorter than that of one.
const std::vector<Holds> relations = {{"hbm_timing.rc", {"hbm_timing.ras", "hbm_timing.rp"}},
                                      {"hbm_timing.ras", {"hbm_timing.rcd_read"}},
                                      {"hbm_timing.ras", {"hbm_timing.rcd_write"}},
                                      {"hbm_timing.cl", {"hbm_timing.cwl"}},
                                      {"hbm_timing.ccd_s", {"hbm.burst_clocks"}},
                                      {"hbm_timing.ccd_l", {"hbm_timing.ccd_s"}},
                                      {"hbm_timing.rrd_l", {"hbm_timing.rrd_s"}},
                                      {"hbm_timing.wtr_l", {"hbm_timing.wtr_s"}},
                                      {"hbm_timing.faw", {"hbm_timing.rrd_s"}},
                                      {"hbm_timing.rfc_all", {"hbm_timing.rfc_bank"}}};

std::string memory_complaint(const std::string& setting) {
  try {
    memory::dram_with({setting});
    return "";
  } catch (const base::InputError& error) {
    return base::format(error.diagnostics().front());
  }
}

/// The least that all relations leave of a time.
std::int64_t min_of(const std::string& time, const base::Config& config) {
  std::int64_t least = 0;
  for (const auto& [holder, parts] : relations) {
    std::int64_t sum = 0;
    for (const std::string& part : parts) sum += config.integer(part);
    if (holder == time) least = std::max(least, sum);
  }
  return least;
}

TEST(DramParameters, ATimeIsRefusedBelowTheSumOfThoseThatItHoldsAndTakenAtIt) {
  const base::Config v3 = machine_file("tpu-v3");
  for (const auto& [time, parts] : relations) {
    const std::int64_t least = min_of(time, v3);
    EXPECT_EQ(memory_complaint(time + "=" + std::to_string(least)), "");
    const std::string text = memory_complaint(time + "=" + std::to_string(least - 1));
    EXPECT_TRUE(text.starts_with("--set")) << time << ": " << text;
    EXPECT_NE(text.find("'" + time + "' is " + std::to_string(least - 1)), std::string::npos) << text;
  }
}

TEST(DramParameters, APartThatIsTooLongForItsTimeIsRefusedWhereItIsSet) {
  const base::Config v3 = machine_file("tpu-v3");
  for (const auto& [time, parts] : relations) {
    std::int64_t too_long = v3.integer(time) + 1;
    for (std::size_t i = 1; i < parts.size(); ++i) too_long -= v3.integer(parts[i]);
    const std::string text = memory_complaint(parts.front() + "=" + std::to_string(too_long));
    EXPECT_TRUE(text.starts_with("--set")) << parts.front() << ": " << text;
    EXPECT_NE(text.find("'" + parts.front() + "' is " + std::to_string(too_long)), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace podsim::hw
