// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/app/program.h"
#include "tests/wave/waveform.h"

// A step that hosts feed, traced as `podsim run --input on` leaves it.
namespace podsim::test {
namespace {

constexpr const char* host_save_file = PODSIM_SOURCE_DIR "/waveforms/host/host.gtkw";

struct TracedInput {
  nlohmann::json json;
  base::VcdContent vcd;
};

TracedInput traced_input(const std::vector<std::string>& more) {
  const Folder folder;
  std::vector<std::string> words{"run", "resnet50", "--slice", "2x2",  "--batch-per-core", "2", "--input",
                                 "on",  "--json",   "--vcd",   "i.vcd"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return {nlohmann::json::parse(outcome.out), base::read_vcd(folder.read("i.vcd"))};
}

TEST(InputWaveform, HasEverySignalOfItsSaveFile) {
  const TracedInput traced = traced_input({});
  const std::vector<std::string> names = signals_of_save_file(read_file(host_save_file));
  EXPECT_GE(names.size(), 12U);
  for (const std::string& name : names) EXPECT_TRUE(traced.vcd.signals.contains(name)) << name;
}

// Without spread every batch takes a stage the same time, which --json has.
TEST(InputWaveform, ShowsAStageAtWorkForTheTimeOfEachBatch) {
  const TracedInput traced = traced_input({"--steps", "5", "--set", "input.threads=2", "--trace", "input(0).*"});
  for (const nlohmann::json& stage : traced.json["input"]["stages"]) {
    const std::string name = "input(0)." + stage["name"].get<std::string>();
    const double time = 1e12 * stage["time_s"].get<double>();
    std::int64_t since = -1;
    int batches = 0;
    for (const auto& [when, value] : traced.vcd.signals.at(name + ".state").changes) {
      if (since >= 0) {
        // Batches that follow each other are one stretch of work.
        const double count = double(when - since) / time;
        EXPECT_NEAR(count, std::round(count), 1e-3) << name;
        batches += int(std::lround(count));
      }
      since = value == "sworks" ? when : -1;
    }
    EXPECT_GE(batches, 5) << name;
  }
}

TEST(InputWaveform, ShowsQueuesWithinTheirDepths) {
  const TracedInput traced =
      traced_input({"--steps", "8", "--set", "input.threads=20", "--set", "input.spread=1", "--set",
                    "input.stage_queue_batches=3", "--set", "input.prefetch_batches=4", "--trace", "input(0).*"});
  const auto most = [&](const std::string& name) {
    std::int64_t largest = 0;
    for (const auto& [when, value] : traced.vcd.signals.at(name).changes) {
      if (value.starts_with("b") && value.find('x') == std::string::npos)
        largest = std::max<std::int64_t>(largest, std::stoll(value.substr(1), nullptr, 2));
    }
    return largest;
  };
  for (const char* stage : {"shuffle", "decode", "augment", "batch"}) {
    EXPECT_LE(most(std::string("input(0).") + stage + ".queue[31:0]"), 3) << stage;
  }
  EXPECT_LE(most("input(0).ready[31:0]"), 4);
  // When the steps are over, the hosts go on until every queue is full.
  EXPECT_EQ(most("input(0).ready[31:0]"), 4);
}

}  // namespace
}  // namespace podsim::test
