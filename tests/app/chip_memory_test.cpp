// SPDX-License-Identifier: Apache-2.0
// `podsim memory --through switch`: all cores of a chip through DMA engines, on-chip switch and banks.
#include <gtest/gtest.h>

#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words through_switch(const Words& more) {
  Words words = {"memory", "--pattern", "sequential", "--bytes", "2MiB", "--through", "switch"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

double bandwidth(const Folder& folder, const Words& more) {
  Words words = through_switch({"--json"});
  words.insert(words.end(), more.begin(), more.end());
  return json_of(folder, words)["bandwidth_bytes_per_s"];
}

TEST(ChipMemoryCommand, TwoCoresStreamAtTwiceTheRateOfSilicon) {
  const Folder folder;
  for (const char* half : {"own", "other"}) {
    EXPECT_NEAR(bandwidth(folder, {"--at", half}), 2 * 411.8e9, 0.02 * 2 * 411.8e9) << half;
  }
}

// 8 bytes in a cycle of 940 MHz at each of two ports.
TEST(ChipMemoryCommand, TheKeysOfTheSwitchActOnIt) {
  const Folder folder;
  EXPECT_NEAR(bandwidth(folder, {"--set", "switch.bytes_per_cycle=8"}), 2 * 8 * 940e6, 0.02 * 2 * 8 * 940e6);
  EXPECT_LT(bandwidth(folder, {"--set", "switch.crossing_latency_cycles=1000"}), 0.5 * 2 * 411.8e9);
  const Json deep = json_of(folder, through_switch({"--json", "--at", "one"}));
  const Json shallow = json_of(folder, through_switch({"--json", "--at", "one", "--set", "switch.queue_packets=1"}));
  EXPECT_NE(deep["latency_s"], shallow["latency_s"]);
}

TEST(ChipMemoryCommand, PrintsWhatSimplerModelsLeaveOutBesideIt) {
  const Folder folder;
  const Json own = json_of(folder, through_switch({"--json"}));
  EXPECT_EQ(own["cores"].size(), 2U);
  EXPECT_EQ(own["bytes"], 2 * (2 << 20));
  // Alone a half needs no more time than with a switch before it; streams have the rates that the banks sustain.
  EXPECT_LE(own["banks_time_s"].get<double>(), own["time_s"].get<double>());
  EXPECT_NEAR(own["streams_time_s"].get<double>(), double(2 << 20) / 411.8e9, 0.02 * double(2 << 20) / 411.8e9);
  const Json host = json_of(folder, through_switch({"--json", "--at", "host"}));
  EXPECT_FALSE(host.contains("streams_time_s"));
}

TEST(ChipMemoryCommand, AKeyThatActsOnlyThroughTheSwitchIsAWarningWithoutIt) {
  const Folder folder;
  const Words key{"--set", "switch.bytes_per_cycle=8"};
  const Outcome half = folder.run({"memory", "--pattern", "sequential", "--bytes", "64KiB", key[0], key[1]});
  EXPECT_NE(half.err.find("switch.bytes_per_cycle = 8 changes nothing here"), std::string::npos) << half.err;
  EXPECT_NE(half.err.find("podsim memory --through switch"), std::string::npos) << half.err;
  EXPECT_EQ(folder.run(through_switch(key)).err, "");
  const Words link{"--set", "ici.link_rate=1 Gb/s"};
  EXPECT_NE(folder.run(through_switch(link)).err, "");
  EXPECT_EQ(folder.run(through_switch({"--at", "neighbour", link[0], link[1]})).err, "");
}

}  // namespace
}  // namespace podsim::test
