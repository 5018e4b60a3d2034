// SPDX-License-Identifier: Apache-2.0
// A key that changes nothing at the levels that a command simulates is a warning there, and indeed changes nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/app/commands.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

bool acts_on(const Json& key, const std::set<std::string>& levels) {
  return std::ranges::any_of(key["acts_on"],
                             [&](const Json& level) { return levels.contains(level.get<std::string>()); });
}

/// Four times and a quarter of a whole number, with its unit; empty for other values.
Words varied(const std::string& text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  if (end == 0 || (end != std::string::npos && text[end] != ' ')) return {};
  const std::string unit = end == std::string::npos ? "" : text.substr(end);
  const long long value = std::stoll(text);
  Words values = {std::to_string(4 * value) + unit};
  if (value % 4 == 0) values.push_back(std::to_string(value / 4) + unit);
  return values;
}

TEST(KeyEffects, EveryKeyActsSomewhere) {
  const Folder folder;
  const Json machine = json_of(folder, {"describe", "--json"});
  for (const Json& key : machine["values"]) {
    const bool label = key["key"] == "machine.name" || key["key"] == "hbm.measured_with";
    EXPECT_EQ(key["acts_on"].empty(), label) << key["key"];
  }
}

TEST(KeyEffects, KeysThatActElsewhereChangeNoRunAndAreAWarning) {
  const Folder folder;
  const Json usual = json_of(folder, small_run({"--json"}));
  const Json machine = json_of(folder, {"describe", "--json"});
  int tried = 0;
  for (const Json& key : machine["values"]) {
    if (key["acts_on"].empty() || acts_on(key, {"ops", "collectives"})) continue;
    const std::string name = key["key"];
    for (const std::string& value : varied(key["value"])) {
      const Outcome outcome = folder.run(small_run({"--json", "--set", name + "=" + value}));
      if (outcome.code == 2) continue;  // beyond the key's range
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const Json run = Json::parse(outcome.out);
      EXPECT_EQ(run["step_times_s"], usual["step_times_s"]) << name;
      EXPECT_EQ(run["breakdown_s"], usual["breakdown_s"]) << name;
      ++tried;
      if (acts_on(key, {"watts"})) {  // of energy, which changes no time
        EXPECT_TRUE(run["warnings"].empty()) << run["warnings"];
        continue;
      }
      ASSERT_EQ(run["warnings"].size(), 1U) << name;
      EXPECT_NE(run["warnings"][0].get<std::string>().find(name + " = " + value + " changes nothing here; it acts on "),
                std::string::npos)
          << run["warnings"];
    }
  }
  EXPECT_GT(tried, 20);
}

TEST(KeyEffects, AWarningNamesTheCommandsThatSimulateWithAKey) {
  const Folder folder;
  const Outcome kernel =
      folder.run({"kernel", "copy", "--rows", "8", "--columns", "128", "--set", "ici.route_cycles=2"});
  EXPECT_EQ(kernel.code, 0);
  EXPECT_NE(kernel.err.find("it acts on packets (podsim collective --network packet)"), std::string::npos)
      << kernel.err;
  const Outcome memory =
      folder.run({"memory", "--pattern", "sequential", "--bytes", "64KiB", "--set", "mxu.operand_fifo_registers=8"});
  EXPECT_NE(memory.err.find("it acts on bundles (podsim kernel)"), std::string::npos) << memory.err;
  const Outcome plain =
      folder.run({"memory", "--pattern", "sequential", "--bytes", "64KiB", "--set", "hbm_timing.cl=14"});
  EXPECT_EQ(plain.err, "");
}

TEST(KeyEffects, AStudysAxisIsAWarningBeforeAnythingRuns) {
  const Folder folder;
  folder.write("s.toml", R"(title = "Flits"
question = "What do flits change in a step?"
metrics = ["step_time_s"]
[base]
workload = "resnet50"
slice = "2x2"
[axes]
"ici.flit" = ["16 B", "32 B"]
)");
  const Outcome dry = folder.run({"sweep", "s.toml", "--dry-run"});
  EXPECT_EQ(dry.code, 0) << dry.err;
  EXPECT_NE(dry.err.find("the axis ici.flit changes nothing in this study; it acts on packets"), std::string::npos)
      << dry.err;
}

}  // namespace
}  // namespace podsim::test
