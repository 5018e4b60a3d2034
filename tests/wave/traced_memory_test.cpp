// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// Traffic through the banks of the HBM, traced as `podsim memory` leaves it.
namespace podsim::test {
namespace {

constexpr const char* hbm_save_file = PODSIM_SOURCE_DIR "/waveforms/hbm/hbm.gtkw";

struct TracedMemory {
  nlohmann::json json;
  base::VcdContent vcd;
};

TracedMemory traced_memory(const std::vector<std::string>& pattern) {
  const Folder folder;
  std::vector<std::string> words{"memory", "--json", "--vcd", "m.vcd"};
  words.insert(words.end(), pattern.begin(), pattern.end());
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return {nlohmann::json::parse(outcome.out), base::read_vcd(folder.read("m.vcd"))};
}

TEST(MemoryWaveform, HasEverySignalOfItsSaveFile) {
  const TracedMemory memory = traced_memory({"--pattern", "mixed", "--bytes", "512KiB"});
  const std::vector<std::string> names = signals_of_save_file(read_file(hbm_save_file));
  EXPECT_GE(names.size(), 20U);
  for (const std::string& name : names) EXPECT_TRUE(memory.vcd.signals.contains(name)) << name;
}

// A burst of 32 bytes keeps a pseudo-channel's pins for two clocks of 900 MHz.
TEST(MemoryWaveform, ShowsDataForAsLongAsItsBytesTake) {
  constexpr std::int64_t bytes = 64 << 10;
  const TracedMemory memory = traced_memory({"--pattern", "mixed", "--bytes", std::to_string(bytes)});
  double seconds = 0;
  for (const auto& [name, signal] : memory.vcd.signals) {
    if (!name.ends_with(".data")) continue;
    std::int64_t since = -1;
    for (const auto& [time, value] : signal.changes) {
      if (since >= 0) seconds += double(time - since) * 1e-12;
      since = value == "sread" || value == "swrite" ? time : -1;
    }
  }
  EXPECT_NEAR(seconds, double(bytes) / 32 * 2 / 900e6, 1e-9);
  EXPECT_NEAR(double(memory.vcd.end) * 1e-12, memory.json["time_s"].get<double>(), 10e-9);
}

// A bank closes its row before it opens another one and before it is refreshed.
TEST(MemoryWaveform, ShowsBanksThatCloseARowBeforeAnythingElse) {
  const TracedMemory memory =
      traced_memory({"--pattern", "random", "--row", "64", "--bytes", "256KiB", "--trace", "hbm.channel3.*.banks.*"});
  int rows = 0, refreshes = 0;
  for (const auto& [name, signal] : memory.vcd.signals) {
    bool open = false;
    for (const auto& [time, value] : signal.changes) {
      const bool row = value.starts_with("srow");
      const bool refresh = value == "srefresh";
      if (row || refresh) {
        EXPECT_FALSE(open) << name << " at " << time;
      }
      open = row;
      rows += row ? 1 : 0;
      refreshes += refresh ? 1 : 0;
    }
  }
  EXPECT_GE(rows, 100);
  EXPECT_GE(refreshes, 1);
}

}  // namespace
}  // namespace podsim::test
