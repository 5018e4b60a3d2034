// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

// `podsim collective` as a user runs it.
namespace podsim::test {
namespace {

using Words = std::vector<std::string>;

Outcome collective(const Folder& folder, const Words& more) {
  Words words{"collective"};
  words.insert(words.end(), more.begin(), more.end());
  return folder.run(words);
}

nlohmann::json report(const Folder& folder, Words words) {
  words.emplace_back("--json");
  const Outcome outcome = collective(folder, words);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

TEST(Collective, PrintsOneObjectWhoseTimeLiesAboveTheBound) {
  const Folder folder;
  const auto json = report(folder, {"all-reduce", "--bytes", "1MiB", "--slice", "4x4"});
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["kind"], "all-reduce");
  EXPECT_EQ(json["dtype"], "bf16");
  EXPECT_EQ(json["network"], "message");
  EXPECT_EQ(json["bytes"], 1 << 20);
  const double time = json["time_s"];
  // 2 S (N-1)/N over four links of 70.028 GB/s.
  EXPECT_NEAR(json["lower_bound_s"].get<double>(), 2 * 1048576 * 15.0 / 16 / (4 * 82e9 * 0.854), 1e-12);
  EXPECT_GT(time, json["lower_bound_s"]);
  EXPECT_NEAR(json["bandwidth_bytes_per_s"].get<double>(), 1048576 / time, 1);
  EXPECT_FALSE(json["phases"].empty());
  EXPECT_FALSE(json["verified"]);
}

TEST(Collective, EveryKindIsVerifiedAtBothLevels) {
  const Folder folder;
  for (const char* kind :
       {"all-reduce", "reduce-scatter", "all-gather", "all-to-all", "collective-permute", "broadcast"}) {
    for (const char* network : {"message", "packet"}) {
      const auto json = report(folder, {kind, "--bytes", "1001", "--slice", "3x5", "--dtype", "f32", "--network",
                                        network, "--fault", "stalls:0.2", "--verify"});
      EXPECT_TRUE(json["verified"]) << kind << " " << network;
      EXPECT_EQ(json["network"], network);
    }
  }
}

TEST(Collective, FoldedEqualsUnfolded) {
  const Folder folder;
  const auto folded = report(folder, {"all-reduce", "--bytes", "1MiB", "--slice", "32x32"});
  const auto full = report(folder, {"all-reduce", "--bytes", "1MiB", "--slice", "32x32", "--fold", "off"});
  EXPECT_TRUE(folded["folded"]);
  EXPECT_FALSE(full["folded"]);
  EXPECT_EQ(folded["time_s"], full["time_s"]);
  EXPECT_EQ(folded["phases"], full["phases"]);
}

TEST(Collective, TheSameSeedPrintsTheSameTimeAndAnotherSeedAnother) {
  const Folder folder;
  const auto time = [&](const std::string& seed) {
    return report(folder, {"all-gather", "--bytes", "64KiB", "--slice", "4x4", "--fault", "jitter:9us", "--seed",
                           seed})["time_s"];
  };
  EXPECT_EQ(time("3"), time("3"));
  EXPECT_NE(time("3"), time("4"));
}

TEST(Collective, ADeadLinkIsReportedWithWhatItCosts) {
  const Folder folder;
  const auto json =
      report(folder, {"all-reduce", "--bytes", "10MiB", "--slice", "8x8", "--fault", "dead-link:(3,3)x+"});
  EXPECT_EQ(json["faults"], nlohmann::json::array({"dead-link:(3,3)x+"}));
  EXPECT_GT(json["time_s"], json["healthy_time_s"]);
}

TEST(Collective, TwoChipsThatCannotCommunicateAreNamed) {
  const Folder folder;
  for (const char* network : {"message", "packet"}) {
    const Outcome outcome = collective(folder, {"all-reduce", "--bytes", "1KiB", "--slice", "2x2", "--network", network,
                                                "--fault", "dead-chip:(1,1)"});
    EXPECT_EQ(outcome.code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("(1,1)"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.err.find("SystemC"), std::string::npos) << outcome.err;
  }
}

TEST(Collective, WhatCannotBeRunIsBadInput) {
  const std::vector<std::pair<Words, std::string>> mistakes = {
      {{"all-redce", "--bytes", "1MiB", "--slice", "4x4"}, "did you mean 'all-reduce'?"},
      {{"all-reduce", "--slice", "4x4"}, "--bytes is required"},
      {{"all-reduce", "--bytes", "1MiB"}, "--slice is required"},
      {{"all-reduce", "--bytes", "0", "--slice", "4x4"}, "0 is out of range"},
      {{"all-reduce", "--bytes", "3 us", "--slice", "4x4"}, "is not an amount of data"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4y4"}, "'4y4' is not a slice"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--algorithm", "rign"}, "did you mean 'ring'?"},
      {{"all-to-all", "--bytes", "1MiB", "--slice", "4x4", "--algorithm", "ring"}, "one of: auto, y-then-x"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--groups", "{{0,1},{1,2}}"},
       "core 1 is in the groups twice"},
      {{"all-gather", "--bytes", "1MiB", "--slice", "2x1", "--groups", "{{0,1,2},{3}}"}, "must be equally large"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--network", "packets"}, "did you mean 'packet'?"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--dtype", "bf61"}, "did you mean 'bf16'?"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--fold", "no"}, "'no' is not a choice"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--fault", "dead-link:(9,9)x+"},
       "--fault: error: 'dead-link"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--fault", "stalls:2"}, "from 0 to 0.9"},
      {{"all-reduce", "--bytes", "1GiB", "--slice", "4x4", "--verify"}, "--verify moves every number"},
      {{"all-reduce", "--bytes", "1MiB", "--slice", "4x4", "--trace", "x"}, "--trace requires --vcd"},
  };
  const Folder folder;
  for (const auto& [words, said] : mistakes) {
    const Outcome outcome = collective(folder, words);
    EXPECT_EQ(outcome.code, 2) << said << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace podsim::test
