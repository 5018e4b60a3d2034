// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/stream_calibration.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::dram {
namespace {

/// The configuration of a machine file that names tpu-v3 as its base and has a memory of its own.
base::Config based_machine_file(const std::string& name) {
  std::string text = machine_file_text(name);
  const std::string base_line = "base = \"tpu-v3\"\n";
  base::Config config = machine_file("tpu-v3");
  config.add_text(name + ".toml", text.erase(text.find(base_line), base_line.size()));
  config.add_text(name + ".memory.toml", machine_file_text(name + ".memory"));
  return config;
}

TEST(StreamCalibration, FilesHoldWhatTheBanksGive) {
  EXPECT_EQ(stream_constants_toml(machine_file("tpu-v3")), machine_file_text("tpu-v3.memory"));
  EXPECT_EQ(stream_constants_toml(machine_file("tpu-v2")), machine_file_text("tpu-v2.memory"));
  EXPECT_EQ(stream_constants_toml(hbm3_file()), machine_file_text("tpu-v3-hbm3.memory"));
  for (const std::string name : {"tpu-v5e", "tpu-v6e"}) {
    EXPECT_EQ(stream_constants_toml(based_machine_file(name)), machine_file_text(name + ".memory"));
  }
}

// mechanisms.md, 1.2: the best loop fusions read 411.8 GB/s; equal reads and writes take 1.20 of the pure time
TEST(StreamCalibration, TheBanksOfV3SustainWhatSiliconDoes) {
  const Machine machine = tpu_v3();
  const StreamConstants constants = derive_stream_constants(machine.dram, machine.dma.granules);
  EXPECT_NEAR(constants.stream_rate.si() * 1e-9, 411.8, 0.02 * 411.8);
  EXPECT_NEAR(1 + constants.turnaround / 2, 1.20, 0.04 * 1.20);
}

TEST(StreamCalibration, TheFingerprintKnowsEveryValueOfTheMemoryAndNoOther) {
  const std::string before = memory_fingerprint(machine_file("tpu-v3"));
  for (const char* assignment : {"hbm.channels=32", "hbm_timing.cl=14", "dma.outstanding_granules=64"}) {
    base::Config config = machine_file("tpu-v3");
    config.set(assignment);
    EXPECT_NE(memory_fingerprint(config), before) << assignment;
  }
  for (const char* assignment : {"core.clock=1 GHz", "hbm.stream_rate=800 GB/s", "dma.queue_depth=3"}) {
    base::Config config = machine_file("tpu-v3");
    config.set(assignment);
    EXPECT_EQ(memory_fingerprint(config), before) << assignment;
  }
}

TEST(StreamCalibration, AMemoryOfTwiceTheChannelsGetsTwiceTheRateByItself) {
  base::Config config = machine_file("tpu-v3");
  EXPECT_FALSE(recalibrate_streams(config));
  const double before = config.bandwidth("hbm.stream_rate").si();
  config.set("hbm.channels=32");
  config.set("dma.outstanding_granules=512");
  EXPECT_TRUE(recalibrate_streams(config));
  EXPECT_NEAR(config.bandwidth("hbm.stream_rate").si() / before, 2, 0.05);
  EXPECT_EQ(config.entry("hbm.stream_rate").evidence, base::Evidence::derived);
  EXPECT_FALSE(recalibrate_streams(config));
}

// Constants that are kept must be those of this memory, whichever other was measured before.
TEST(StreamCalibration, AMemoryThatComesBackHasTheRatesOfItsBanks) {
  for (const char* assignment : {"hbm_timing.cl=18", "hbm_timing.cl=20", "hbm_timing.cl=18"}) {
    base::Config config = machine_file("tpu-v3");
    config.set(assignment);
    const StreamConstants banks =
        derive_stream_constants(parts::hbm::read_dram_parameters(config), config.integer("dma.outstanding_granules"));
    EXPECT_TRUE(recalibrate_streams(config)) << assignment;
    EXPECT_NEAR(config.bandwidth("hbm.stream_rate").si(), banks.stream_rate.si(), 0.05e9) << assignment;
    EXPECT_NEAR(config.number("hbm.turnaround"), banks.turnaround, 0.5e-4) << assignment;
  }
}

TEST(StreamCalibration, WhatAUserSetsStays) {
  base::Config config = machine_file("tpu-v3");
  config.set("hbm.clock=1.8 GHz");
  config.set("hbm.stream_rate=500 GB/s");
  EXPECT_TRUE(recalibrate_streams(config));
  EXPECT_DOUBLE_EQ(config.bandwidth("hbm.stream_rate").si(), 500e9);
}

/// Each of these is within its range, and with the rest of tpu-v3 the pins carry 0.512 GB/s (16 channels x 2 x 32 B in
/// 2 clocks of 1 us), a bank group a burst in 4096 clocks, or the engine asks for nothing.
TEST(StreamCalibration, AMemoryWithoutStreamsIsRefusedWhereItIsSet) {
  for (const char* assignment : {"hbm.clock=1 MHz", "hbm_timing.ccd_l=4096", "dma.outstanding_granules=0"}) {
    base::Config config = machine_file("tpu-v3");
    config.set(assignment);
    try {
      recalibrate_streams(config);
      FAIL() << assignment << " has streams of " << config.entry("hbm.stream_rate").text;
    } catch (const base::InputError& error) {
      const std::string text = base::format(error.diagnostics().front());
      const std::string key = std::string(assignment).substr(0, std::string(assignment).find('='));
      EXPECT_TRUE(text.starts_with("--set")) << text;
      EXPECT_NE(text.find("'" + key + "'"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace podsim::hw::memory::dram
