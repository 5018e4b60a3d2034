// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// Switch ports and banks of a chip, traced as `podsim memory --through switch` and `podsim run --detail chip` leave
// them.
namespace podsim::test {
namespace {

constexpr const char* chip_save_file = PODSIM_SOURCE_DIR "/waveforms/chip/chip.gtkw";

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

TEST(ChipWaveform, ARunHasEverySignalOfItsSaveFile) {
  const TracedChip run = traced_chip({"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "--steps", "1",
                                      "--detail", "chip", "--chip-ops", "layer4/block1/conv2", "--trace",
                                      "chip(0,0).switch.*", "--trace", "chip(0,0).core0.*"});
  const std::vector<std::string> names = signals_of_save_file(read_file(chip_save_file));
  EXPECT_GE(names.size(), 15U);
  for (const std::string& name : names) EXPECT_TRUE(run.vcd.signals.contains(name)) << name;
  EXPECT_EQ(run.json["detail"], "chip");
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
