// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// Packets between routers, traced as `podsim network` leaves them.
namespace podsim::test {
namespace {

constexpr const char* save_file = PODSIM_SOURCE_DIR "/waveforms/ici/ici.gtkw";

base::VcdContent traced(const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words{"network",      "--pattern", "tornado",        "--slice", "8",
                                 "--vc-classes", "dateline",  "--packet-flits", "4",       "--window",
                                 "100",          "--load",    "0.08",           "--vcd",   "n.vcd"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return base::read_vcd(folder.read("n.vcd"));
}

TEST(NetworkWaveform, has_every_signal_of_its_save_file) {
  const base::VcdContent vcd = traced();
  const std::vector<std::string> names = signals_of_save_file(read_file(save_file));
  EXPECT_GE(names.size(), 15U);
  for (const std::string& name : names) EXPECT_TRUE(vcd.signals.contains(name)) << name;
}

// Tornado traffic goes three links on: over the wrap link goes what nodes 5, 6 and 7 send, all of it in the upper
// class, and nothing that has not crossed it is in the upper class before.
TEST(NetworkWaveform, shows_packets_change_their_virtual_channel_at_the_dateline) {
  const base::VcdContent vcd = traced();
  const auto values = [&](const std::string& name) {
    std::set<std::string> seen;
    for (const auto& [time, value] : vcd.signals.at(name).changes) seen.insert(value);
    return seen;
  };
  EXPECT_TRUE(values("router(7).to_x_plus.vc[31:0]").contains("b1"));
  EXPECT_FALSE(values("router(7).to_x_plus.vc[31:0]").contains("b0"));
  for (int node : {3, 4, 5, 6}) {
    EXPECT_FALSE(values("router(" + std::to_string(node) + ").to_x_plus.vc[31:0]").contains("b1")) << node;
  }
  for (const std::string& packet : values("router(7).to_x_plus.packet")) {
    const bool crosses = packet == "s" || packet.starts_with("s(5)>(0)") || packet.starts_with("s(6)>(1)") ||
                         packet.starts_with("s(7)>(2)");
    EXPECT_TRUE(crosses) << packet;
  }
}

}  // namespace
}  // namespace podsim::test
