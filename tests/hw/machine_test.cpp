// SPDX-License-Identifier: Apache-2.0
#include "hw/machine.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

TEST(Machine, PeaksOfBothGenerationsAreThePublishedOnes) {
  EXPECT_NEAR(tpu_v3().peak_flops_per_core(), 61.6e12, 0.01e12);
  EXPECT_NEAR(tpu_v2().peak_flops_per_core() * 2, 46e12, 0.2e12);
}

TEST(Machine, DurationsBecomeWholeCoreCyclesRoundedUp) {
  const Machine machine = tpu_v3();
  EXPECT_EQ(machine.dma.read_latency, base::Cycles(207));   // 220 ns * 0.94 = 206.8
  EXPECT_EQ(machine.dma.write_latency, base::Cycles(160));  // 170 ns * 0.94 = 159.8
}

TEST(Machine, ALargerArrayTakesLongerToLoadAndToAnswer) {
  base::Config config = machine_file("tpu-v3");
  config.set("mxu.size=256");
  const Machine machine = read_machine(config);
  EXPECT_EQ(machine.mxu.weight_load(), base::Cycles(256));
  EXPECT_EQ(machine.mxu.first_result_latency(), base::Cycles(263));
  EXPECT_NEAR(machine.peak_flops_per_core(), 4 * 61.6e12, 0.04e12);
}

class BadValue : public ::testing::TestWithParam<const char*> {};

TEST_P(BadValue, IsAnInputErrorThatNamesItsKey) {
  base::Config config = machine_file("tpu-v3");
  const std::string assignment = GetParam();
  try {
    config.set(assignment);
    read_machine(config);
    FAIL() << assignment << " was accepted";
  } catch (const base::InputError& error) {
    const std::string text = base::format(error.diagnostics().front());
    const std::string key = assignment.substr(0, assignment.find('='));
    EXPECT_NE(text.find(key.substr(key.find('.') + 1)), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Machine, BadValue,
    ::testing::Values(
        "core.clock=0 MHz", "core.cores_per_chip=0", "core.vmem=0 B", "core.sync_flags=3", "mxu.size=100",
        "mxu.count=-1", "mxu.result_skew_cycles=-1", "vector.alus=0", "vector.transcendental_interval_cycles=0",
        "dma.read_latency=-1 ns", "dma.queue_depth=0", "hbm.stream_rate=0 GB/s", "hbm.turnaround=-0.1",
        "ici.payload_fraction=1.5", "ici.payload_fraction=0", "pod.dimensions=[]", "pod.dimensions=[4, 0]",
        "pod.dimensions=[9223372036854775807, 2]", "hbm.stream_rate=1 B/s", "hbm.stream_rate=1 MB/s",
        "hbm.turnaround=11", "vector.lanes=100", "vector.sublanes=128", "mxu.s8_products=-1", "mxu.f8_products=17",
        "mxu.bf16_products=0", "vector.types=bf16", "ici.hop_latency=0 ns", "ici.remote_dma_latency=-1 ns",
        "pod.host_chips=0", "host.infeed_queue_depth=100000000000",
        // Values that would overflow, divide by zero or not fit any host.
        "hbm.capacity_per_core=0 B", "hbm.capacity_per_core=1025 TiB", "core.vmem=1 TiB", "scalar.smem=2 GiB",
        "core.cores_per_chip=1000000", "mxu.operand_fifo_registers=1000000", "mxu.result_fifo_registers=1000000",
        "mxu.result_skew_cycles=9223372036854775807", "ici.route_cycles=9223372036854775807",
        "ici.packet_payload=1 GiB", "ici.vc_buffer=1 PiB", "ici.payload_fraction=1e-300",
        // Values that are no machine, and of which no simulation ends.
        "mxu.count=1000000", "mxu.size=1000000", "mxu.weight_rows_per_cycle=129", "cross_lane.latency_cycles=0",
        "scalar.alu_latency_cycles=1000000", "vector.store_to_load_cycles=1000000", "dma.outstanding_granules=0",
        "dma.outstanding_granules=-1", "core.cores_per_chip=17", "ici.traversal_cycles=1000000",
        "ici.route_cycles=1001"));

/// The error about a machine with these settings; empty if there is no error.
std::string complaint_about(const std::vector<std::string>& settings) {
  try {
    tpu_v3_with(settings);
    return "";
  } catch (const base::InputError& error) {
    return base::format(error.diagnostics().front());
  }
}

void expect_names(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
}

// 128 rows of weights are 8 registers of 16 rows; 24 rows are none.
TEST(Machine, WeightsComeInWholeRegisters) {
  EXPECT_EQ(complaint_about({"vector.sublanes=16"}), "");
  const std::string text = complaint_about({"mxu.size=24", "vector.sublanes=16"});
  EXPECT_TRUE(text.starts_with("--set")) << text;
  expect_names(text, {"'mxu.size' is 24", "'vector.sublanes' is 16"});
}

// Four products in a cycle where one was.
TEST(Machine, ThePeakFollowsTheProductsOfACell) {
  EXPECT_DOUBLE_EQ(tpu_v3_with({"mxu.bf16_products=4"}).peak_flops_per_core(), 4 * tpu_v3().peak_flops_per_core());
  EXPECT_EQ(tpu_v3_with({"mxu.s8_products=4"}).peak_flops_per_core(), tpu_v3().peak_flops_per_core()) << "of bf16";
}

// The tag of a message has four bits for a core: 2^4.
TEST(Machine, AChipHasUpToSixteenCores) { EXPECT_EQ(complaint_about({"core.cores_per_chip=16"}), ""); }

// 16 channels of 128 pins at 1.8 Gb/s carry 16 * 128 * 1.8e9 / 8 = 460.8 GB/s, at twice the clock 921.6.
TEST(Machine, AStreamIsNoFasterThanThePinsOfItsMemory) {
  EXPECT_EQ(complaint_about({"hbm.stream_rate=460.8 GB/s"}), "");
  const std::string text = complaint_about({"hbm.stream_rate=461 GB/s"});
  EXPECT_TRUE(text.starts_with("--set")) << text;
  expect_names(text, {"'hbm.stream_rate' is 461 GB/s", "460.8 GB/s", "'hbm.clock' is 900 MHz"});
  EXPECT_EQ(complaint_about({"hbm.clock=1800 MHz", "hbm.stream_rate=921.6 GB/s"}), "");
  EXPECT_NE(complaint_about({"hbm.clock=1800 MHz", "hbm.stream_rate=922 GB/s"}), "");
}

TEST(Machine, ABatchIsCopiedNoFasterThanThePinsOfTheMemory) {
  EXPECT_EQ(complaint_about({"host.infeed_copy_rate=460.8 GB/s"}), "");
  expect_names(complaint_about({"host.infeed_copy_rate=461 GB/s"}), {"--set", "'host.infeed_copy_rate' is 461 GB/s"});
}

// 528 MiB are reserved of 16 GiB.
TEST(Machine, LessMemoryIsReservedThanThereIs) {
  for (const char* setting : {"hbm.reserved_per_core=16 GiB", "hbm.capacity_per_core=528 MiB"}) {
    const std::string text = complaint_about({setting});
    EXPECT_TRUE(text.starts_with("--set")) << text;
    expect_names(text, {"'hbm.reserved_per_core' is ", "'hbm.capacity_per_core' is "});
  }
  EXPECT_EQ(complaint_about({"hbm.capacity_per_core=528 MiB", "hbm.reserved_per_core=527 MiB"}), "");
}

/// The error has the location of the value that was set, also where the other value is the one out of its range.
TEST(Machine, AValueAtOddsWithOneOfTheFileIsRefusedWhereItIsSet) {
  for (const char* setting :
       {"ici.payload_fraction=1", "ici.packet_header=1 B", "ici.virtual_channels=65", "hbm.clock=100 MHz"}) {
    const std::string text = complaint_about({setting});
    const std::string key = std::string(setting).substr(0, std::string(setting).find('='));
    EXPECT_TRUE(text.starts_with("--set")) << setting << ": " << text;
    expect_names(text, {"'" + key + "' is "});
  }
}

// Both keys act, and the crossing of the on-chip switch at both ends.
TEST(Machine, AMessageToANeighbourTakesItsHopItsEndsAndTwoCrossings) {
  base::Config config = machine_file("tpu-v3");
  config.set("ici.hop_latency=3 us");
  config.set("ici.remote_dma_latency=500 ns");
  config.set("switch.crossing_latency_cycles=94");
  EXPECT_NEAR(read_machine(config).ici.neighbour_latency().si(), 3e-6 + 0.5e-6 + 2 * 0.1e-6, 1e-15);
}

// A hop, the ends of a message and two crossings are the published 1 us a hop.
TEST(Machine, AHopTakesTheMicrosecondThatIsPublished) {
  for (const char* name : {"tpu-v3", "tpu-v2"}) {
    EXPECT_NEAR(read_machine(machine_file(name)).ici.neighbour_latency().si(), 1e-6, 1e-9) << name;
  }
}

}  // namespace
}  // namespace podsim::hw
