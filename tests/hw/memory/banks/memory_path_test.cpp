// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/memory_path.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

/// A granule is one burst of 32 bytes, which is in one bank.
Machine burst_machine(const char* refresh) {
  base::Config config = machine_file("tpu-v3");
  config.set("hbm.interleave=32 B");
  config.set(std::string("hbm.refresh=") + refresh);
  return read_machine(config);
}

TEST(MemoryPath, IsTheWayThereTheBankAndTheWayBack) {
  const Machine machine = burst_machine("none");
  // 13 + 13 + 2 clocks of 900 MHz are 29.2 cycles of 940 MHz, 11 + 5 + 2 are 18.8; one cycle and ten in each direction.
  EXPECT_EQ(mean_bank_latency(machine.dram, Direction::read), base::Cycles(28));
  EXPECT_EQ(mean_bank_latency(machine.dram, Direction::write), base::Cycles(18));
  EXPECT_EQ(MemoryPath(machine).duration(Direction::read), base::Cycles(11 + 30 + 11));
  EXPECT_EQ(MemoryPath(machine).duration(Direction::write), base::Cycles(11 + 19 + 11));
}

TEST(MemoryPath, WaitsForRefreshesAsLongAsTheyTakeOnAverage) {
  for (const auto& [refresh, clocks] : {std::pair{"per_bank", 144.0}, std::pair{"all_bank", 315.0}}) {
    // Once per 3510 clocks the bank refreshes. Some of the random arrivals wait, on average half of that time. Those
    // that have opened their row when the refresh becomes due lose it again and wait for all of the refresh and a row
    // cycle.
    const double mean = double(mean_bank_latency(burst_machine(refresh).dram, Direction::read).value());
    const double least = 28 + clocks * clocks / (2 * 3510);
    EXPECT_GE(mean, least - 1.5) << refresh;  // 128 arrivals
    EXPECT_LE(mean, least + 28 * (clocks + 44) / 3510 + 1) << refresh;
  }
}

TEST(MemoryPath, LeavesTheDmaEngineOfV3MostOfItsLatency) {
  const Machine machine = tpu_v3();
  const MemoryPath path(machine);
  for (const Direction direction : {Direction::read, Direction::write}) {
    const base::Cycles total = direction == Direction::read ? machine.dma.read_latency : machine.dma.write_latency;
    EXPECT_GT(2 * (total - path.duration(direction)), total / 2);
    EXPECT_LT(path.duration(direction), total);
  }
}

}  // namespace
}  // namespace podsim::hw::memory::banks
