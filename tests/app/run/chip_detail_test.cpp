// SPDX-License-Identifier: Apache-2.0
// `podsim run --detail chip`: ops of one chip through granules, on-chip switch and banks.
#include <gtest/gtest.h>

#include <map>

#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words at_chip(const Words& more) {
  Words words = {"--json", "--detail", "chip"};
  words.insert(words.end(), more.begin(), more.end());
  return small_run(words);
}

double seconds_of(const Json& time) { return time.get<double>(); }

TEST(ChipDetail, ChosenOpsTakeAboutAsLongAsOverStreamsAndTheStepWithThem) {
  const Folder folder;
  const Json usual = json_of(folder, small_run({"--json"}));
  const Json chip = json_of(folder, at_chip({"--chip-ops", "layer3/*", "--chip-ops", "layer4/*"}));
  EXPECT_NEAR(seconds_of(chip["step_time_s"]), seconds_of(usual["step_time_s"]),
              0.01 * seconds_of(usual["step_time_s"]));
  EXPECT_EQ(chip["real_chips"], 1);
  const Json& parts = chip["chip_parts"];
  double streams = 0, through = 0;
  for (const Json& op : parts["ops"]) {
    const std::string name = op["op"];
    EXPECT_TRUE(name.starts_with("layer3/") || name.starts_with("layer4/")) << name;
    streams += seconds_of(op["streams_s"]);
    through += seconds_of(op["parts_s"]);
  }
  EXPECT_NEAR(seconds_of(parts["streams_s"]), streams, 1e-9);
  EXPECT_NEAR(seconds_of(parts["parts_s"]), through, 1e-9);
  EXPECT_NEAR(through, streams, 0.05 * streams);
}

// A port of 16 B in a cycle of 940 MHz moves 15 GB/s, a 27th of the HBM's stream rate.
TEST(ChipDetail, ANarrowSwitchSlowsOpsOverStreamsAsThroughTheParts) {
  const Folder folder;
  const Words op{"--chip-ops", "layer4/block2/conv1"};
  Words narrow = op;
  narrow.insert(narrow.end(), {"--set", "switch.bytes_per_cycle=16"});
  const Json usual = json_of(folder, at_chip(op)), chip = json_of(folder, at_chip(narrow));
  EXPECT_GT(seconds_of(chip["chip_parts"]["parts_s"]), 5 * seconds_of(usual["chip_parts"]["parts_s"]));
  EXPECT_NEAR(seconds_of(chip["chip_parts"]["streams_s"]), seconds_of(chip["chip_parts"]["parts_s"]),
              0.05 * seconds_of(chip["chip_parts"]["parts_s"]));
  ASSERT_EQ(chip["warnings"].size(), 1U) << chip["warnings"];
  EXPECT_NE(chip["warnings"][0].get<std::string>().find("'switch.bytes_per_cycle' is the limit"), std::string::npos);
}

constexpr const char* smallest_ops = R"(HloModule small
ENTRY %e (x: f32[8,128]) -> (f32[8,128], f32[8,128]) {
  %x = f32[8,128] parameter(0)
  %one = f32[] constant(1)
  %filled = f32[8,128] broadcast(%one), dimensions={}
  %sum = f32[8,128] add(%x, %x)
  ROOT %both = (f32[8,128], f32[8,128]) tuple(%filled, %sum)
}
)";

// MLPerf v0.7 profiles: the smallest op that only writes takes 0.17 to 0.20 us, the smallest that reads, computes and
// writes 0.41 us. Small ops take a launch of 70 ns longer than the smallest on average.
TEST(ChipDetail, TheSmallestOpsTakeWhatSiliconTakes) {
  const Folder folder;
  folder.write("small.hlo", smallest_ops);
  const auto times = [&](const Words& more) {
    Words words = {"run", "small.hlo", "--slice", "1x1", "--detail", "chip", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    std::map<std::string, double> by_op;
    const Json run = json_of(folder, words);
    for (const Json& op : run["chip_parts"]["ops"]) {
      by_op[op["op"] == "sum" ? "sum" : "filled"] = op["parts_s"];
    }
    return by_op;
  };
  EXPECT_NEAR(times({})["sum"], 0.41e-6, 0.1 * 0.41e-6);
  const double filled = times({"--set", "compiler.op_launch_cycles=0"})["filled"];
  EXPECT_GE(filled, 0.9 * 0.17e-6);
  EXPECT_LE(filled, 1.1 * 0.20e-6);
}

}  // namespace
}  // namespace podsim::test
