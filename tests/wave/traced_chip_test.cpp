// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// Switch ports and banks of a chip, traced as `podsim memory --through switch` and `podsim run --detail chip` leave
// them.
namespace podsim::test {
namespace {

const std::string folder_of_chip = PODSIM_SOURCE_DIR "/waveforms/chip/";

struct TracedChip {
  nlohmann::json json;
  base::VcdContent vcd;
};

TracedChip traced_chip(std::vector<std::string> words) {
  const Folder folder;
  words.insert(words.end(), {"--json", "--vcd", "c.vcd"});
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return {nlohmann::json::parse(outcome.out), base::read_vcd(folder.read("c.vcd"))};
}

TEST(ChipWaveform, ARunHasEverySignalOfItsSaveFiles) {
  const TracedChip run = traced_chip({"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--steps", "1",
                                      "--detail", "chip", "--chip-ops", "layer4/block1/conv2", "--trace",
                                      "chip(0,0).switch.*", "--trace", "chip(0,0).core0.*"});
  for (const char* file : {"chip.gtkw", "all_reduce.gtkw"}) {
    const std::vector<std::string> names = signals_of_save_file(read_file(folder_of_chip + file));
    EXPECT_GE(names.size(), 13U) << file;
    for (const std::string& name : names) EXPECT_TRUE(run.vcd.signals.contains(name)) << name;
  }
  EXPECT_EQ(run.json["detail"], "chip");
}

constexpr const char* all_reduce_alone = R"(HloModule alone, is_scheduled=true
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %s = f32[] add(%a, %b)
}
ENTRY %e (g: f32[262144]) -> f32[262144] {
  %g = f32[262144] parameter(0)
  ROOT %r = f32[262144] all-reduce(%g), replica_groups={}, to_apply=%add
}
)";

/// The last value of a signal of 64 bits.
std::int64_t last_of(const base::VcdContent& vcd, const std::string& name) {
  return std::stoll(vcd.signals.at(name + "[63:0]").changes.back().second.substr(1), nullptr, 2);
}

// An all-reduce of n bytes over two chips of two cores. Writes: each core writes the whole result once, 2 n on a chip.
// Reads: the operands of both cores once, 2 n, half of them to send their sum and half to add to that of the other
// chip; then half of the result, n / 2 on a chip, to send it and again to copy it to the chip's other core: 3 n.
TEST(ChipWaveform, AnAllReduceMovesTheBytesOfItsScheduleThroughSwitchAndBanks) {
  constexpr std::int64_t n = 1 << 20;
  const Folder folder;
  folder.write("alone.hlo", all_reduce_alone);
  const Outcome outcome = folder.run(
      {"run", "alone.hlo", "--slice", "2x1", "--steps", "1", "--detail", "chip", "--vcd", "c.vcd", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const base::VcdContent vcd = base::read_vcd(folder.read("c.vcd"));
  const auto into = [&](int port) { return last_of(vcd, "chip(0,0).switch.out" + std::to_string(port) + ".bytes"); };
  EXPECT_EQ(into(2) + into(3), 2 * n);
  EXPECT_EQ(into(0) + into(1), 3 * n);
  EXPECT_FALSE(vcd.signals.contains("chip(0,0).switch.bytes[63:0]"));
  for (const std::string core : {"core0", "core1"}) {
    for (int channel = 0; channel < 16; ++channel) {
      const std::string pins = "chip(0,0)." + core + ".hbm.channel" + std::to_string(channel) + ".pseudo_channel0.data";
      EXPECT_GT(vcd.signals.at(pins).changes.size(), 10U) << pins;
    }
    EXPECT_GT(time_high(vcd, "chip(0,0)." + core + ".vector.collective.busy"), 0);
  }
}

// A granule of 1 KiB is two cycles of a port of 512 B, a request one, at 940 MHz.
TEST(ChipWaveform, APortSendsForAsLongAsItsPacketsTake) {
  constexpr double granules = 256, cycle = 1e12 / 940e6;
  const TracedChip traffic =
      traced_chip({"memory", "--pattern", "sequential", "--bytes", "256KiB", "--through", "switch"});
  for (const char* core : {"0", "1"}) {
    const std::string to_core = std::string("chip(0,0).switch.out") + core + ".sending";
    EXPECT_NEAR(double(time_high(traffic.vcd, to_core)), 2 * granules * cycle,
                granules);  // edges are whole picoseconds
  }
  EXPECT_NEAR(double(time_high(traffic.vcd, "chip(0,0).switch.out2.sending")), granules * cycle, granules);
}

}  // namespace
}  // namespace podsim::test
