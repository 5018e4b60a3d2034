// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Json goodput_of(const test::Folder& folder, const Words& more) {
  Words words = {"goodput", "resnet50", "--slice", "8x8", "--batch-per-core", "4", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  const test::Outcome outcome = folder.run(words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

/// Shares add up to one, and the steps are that share of what the days have.
TEST(Goodput, HasSharesThatAddUp) {
  const test::Folder folder;
  const Json result = goodput_of(folder, {"--days", "20", "--seeds", "40", "--set", "faults.chip_per_day=0.01"});
  double sum = 0;
  for (const Json& share : result["shares"]) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-9);
  EXPECT_EQ(result["shares"]["steps"], result["goodput"]);
  EXPECT_NEAR(result["steps"].get<double>() * result["step_time_s"].get<double>() / (20 * 86'400),
              result["goodput"].get<double>(), 1e-4);
  EXPECT_LE(result["goodput_p10"], result["goodput_p50"]);
  EXPECT_LE(result["goodput_p50"], result["goodput_p90"]);
}

/// 64 chips, 112 links and 8 hosts: each with the slice that remains.
TEST(Goodput, HasAVerdictOfEveryPart) {
  const test::Folder folder;
  const Json result = goodput_of(folder, {"--seeds", "1", "--verdicts"});
  EXPECT_EQ(result["verdicts"].size(), 64u + 112u + 8u);
  for (const Json& verdict : result["verdicts"]) {
    EXPECT_TRUE(verdict["remaining"] == "8x4" || verdict["remaining"] == "4x8") << verdict;
    EXPECT_GT(verdict["remaining_slowdown"], 1.0) << verdict;
    if (verdict["part"] == "link") {
      EXPECT_GE(verdict["slowdown"], 1.0) << verdict;
    }
  }
}

TEST(Goodput, OfAMachineThatDoesNotFailIsThatOfItsSteps) {
  const test::Folder folder;
  Words healthy;
  for (const char* cause :
       {"chip", "hbm", "hbm_worn", "host", "software", "maintenance", "cable", "optics", "silent"}) {
    healthy.insert(healthy.end(), {"--set", "faults." + std::string(cause) + "_per_day=0"});
  }
  const Json result = goodput_of(folder, healthy);
  EXPECT_EQ(result["interruptions"], 0.0);
  EXPECT_NEAR(result["shares"]["steps"].get<double>() + result["shares"]["start"].get<double>(), 1, 1e-5);
}

/// The same seed gives the same bytes, another one other failures.
TEST(Goodput, IsTheSameForTheSameSeed) {
  const test::Folder folder;
  Json first = goodput_of(folder, {"--seeds", "5", "--seed", "3"}),
       again = goodput_of(folder, {"--seeds", "5", "--seed", "3"});
  for (Json* result : {&first, &again}) result->erase("wall_s");
  EXPECT_EQ(first.dump(), again.dump());
  EXPECT_NE(first["causes"], goodput_of(folder, {"--seeds", "5", "--seed", "4"})["causes"]);
}

/// More spares and shorter exchanges never make it worse, by the same failures, but for what is random of repairs.
TEST(Goodput, GrowsWithSpares) {
  const test::Folder folder;
  const Words often{"--set", "faults.chip_per_day=0.02", "--set", "faults.exchange=1 min"};
  Words spared = often;
  spared.insert(spared.end(), {"--spares", "4"});
  EXPECT_GT(goodput_of(folder, spared)["goodput"], goodput_of(folder, often)["goodput"]);
}

}  // namespace
}  // namespace podsim
