// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// Packets between routers, traced as `podsim network` leaves them.
namespace podsim::test {
namespace {

constexpr const char* ici_save_file = PODSIM_SOURCE_DIR "/waveforms/ici/ici.gtkw";

base::VcdContent traced_network(const std::vector<std::string>& more = {}) {
  const Folder folder;
  std::vector<std::string> words{"network",      "--pattern", "tornado",        "--slice", "8",
                                 "--vc-classes", "dateline",  "--packet-flits", "4",       "--window",
                                 "100",          "--load",    "0.08",           "--vcd",   "n.vcd"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return base::read_vcd(folder.read("n.vcd"));
}

TEST(NetworkWaveform, HasEverySignalOfItsSaveFile) {
  const base::VcdContent vcd = traced_network();
  const std::vector<std::string> names = signals_of_save_file(read_file(ici_save_file));
  EXPECT_GE(names.size(), 15U);
  for (const std::string& name : names) EXPECT_TRUE(vcd.signals.contains(name)) << name;
}

// Outputs become idle in cycles in which nothing else happens; the reader refuses a waveform that goes back in time.
TEST(NetworkWaveform, OfLightTrafficGoesForwardInTime) {
  const Folder folder;
  const Outcome outcome = folder.run({"network", "--slice", "2x2", "--load", "0.1", "--vcd", "n.vcd"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(base::read_vcd(folder.read("n.vcd")).signals.empty());
}

// Tornado traffic goes three links on: the wrap link carries the packets of nodes 5, 6 and 7, all of them in the upper
// class, and no packet is in the upper class before it has crossed the wrap link.
TEST(NetworkWaveform, ShowsPacketsChangeTheirVirtualChannelAtTheDateline) {
  const base::VcdContent vcd = traced_network();
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

base::VcdContent traced_ring() {
  const Folder folder;
  std::vector<std::string> words{"collective",  "all-reduce", "--bytes", "4MiB", "--slice", "32x1",
                                 "--algorithm", "ring",       "--fold",  "off",  "--vcd",   "r.vcd"};
  for (const char* chip : {"0", "1", "2"}) {
    words.insert(words.end(), {"--trace", std::string("chip(") + chip + ",0).*"});
  }
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return base::read_vcd(folder.read("r.vcd"));
}

TEST(RingWaveform, HasEverySignalOfItsSaveFile) {
  const base::VcdContent vcd = traced_ring();
  const std::vector<std::string> names = signals_of_save_file(read_file(PODSIM_SOURCE_DIR "/waveforms/ici/ring.gtkw"));
  EXPECT_EQ(names.size(), 12U);
  for (const std::string& name : names) EXPECT_TRUE(vcd.signals.contains(name)) << name;
}

// A step sends the data that arrived in the previous step: its message begins when the neighbour's message of 32 KiB
// has been sent at 70.028 GB/s and received, a microsecond later, or after that.
TEST(RingWaveform, ShowsAStepBeginAfterTheMessageOfTheStepBeforeWasSeen) {
  const base::VcdContent vcd = traced_ring();
  const auto begin = [&](const std::string& chip, int step) {
    for (const auto& [time, value] : vcd.signals.at("chip" + chip + ".ici.x_plus.message").changes) {
      if (value ==
          "sreduce-scatter\\040x\\040step\\040" + std::to_string(step) + ",\\040colour\\0400,\\040segment\\0400") {
        return time;
      }
    }
    ADD_FAILURE() << chip << " never sends step " << step;
    return decltype(vcd.signals.begin()->second.changes.begin()->first){};
  };
  for (int step = 1; step < 5; ++step) {
    EXPECT_GE(begin("(1,0)", step + 1), begin("(0,0)", step) + 467'927 + 1'000'000) << step;
  }
}

}  // namespace
}  // namespace podsim::test
