// SPDX-License-Identifier: Apache-2.0
#include "hw/machine.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(machine.mxu.weight_load, base::Cycles(256));
  EXPECT_EQ(machine.mxu.first_result_latency, base::Cycles(263));
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
        "pod.dimensions=[9223372036854775807, 2]", "compiler.exposed_vector_fraction=2", "hbm.stream_rate=1 B/s",
        "hbm.stream_rate=1 MB/s", "hbm.turnaround=11", "vector.lanes=64", "vector.sublanes=16", "ici.hop_latency=0 ns",
        "ici.remote_dma_latency=1 ns", "host.infeed_queue_depth=100000000000",
        // Values that would overflow, divide by zero or not fit any host.
        "hbm.capacity_per_core=0 B", "hbm.capacity_per_core=1025 TiB", "core.vmem=1 TiB", "scalar.smem=2 GiB",
        "core.cores_per_chip=1000000", "mxu.operand_fifo_registers=1000000", "mxu.result_fifo_registers=1000000",
        "mxu.result_skew_cycles=9223372036854775807", "ici.route_cycles=9223372036854775807",
        "ici.packet_payload=1 GiB", "ici.vc_buffer=1 PiB", "compiler.largest_segment=2 PiB",
        "ici.payload_fraction=1e-300",
        // Values that are no machine, and of which no simulation ends.
        "mxu.count=1000000", "ici.traversal_cycles=1000000", "ici.route_cycles=1001", "compiler.largest_segment=1 B"));

/// Both keys, both values, and the place of the one that was set.
TEST(Machine, NamesBothLatenciesThatDoNotGoTogether) {
  base::Config config = machine_file("tpu-v3");
  config.set("ici.hop_latency=3 us");
  try {
    read_machine(config);
    FAIL() << "a hop takes longer than the transfer that includes it";
  } catch (const base::InputError& error) {
    const std::string text = base::format(error.diagnostics().front());
    EXPECT_TRUE(text.starts_with("--set")) << text;
    for (const char* part : {"'ici.remote_dma_latency'", "'ici.hop_latency'", "3 us", "1 us"})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace podsim::hw
