// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

// `podsim network` as a user runs it.
namespace podsim::test {
namespace {

using Words = std::vector<std::string>;

Outcome network(const Folder& folder, const Words& more) {
  Words words{"network"};
  words.insert(words.end(), more.begin(), more.end());
  return folder.run(words);
}

TEST(Network, PrintsOneObjectWithAPointPerLoad) {
  const Folder folder;
  const Outcome outcome = network(folder, {"--slice", "4x4", "--load", "0.05,0.1", "--window", "200", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["pattern"], "uniform");
  ASSERT_EQ(json["points"].size(), 2u);
  for (const auto& point : json["points"]) {
    // A 4x4 torus has 2 hops on average: 7 + 6 * 2 cycles and some for sharing.
    EXPECT_GT(point["mean_latency_cycles"], 18.5);
    EXPECT_LT(point["mean_latency_cycles"], 21);
    EXPECT_NEAR(point["accepted"].get<double>(), point["load"].get<double>(), 0.01);
    EXPECT_FALSE(point["saturated"]);
    EXPECT_LE(point["median_latency_cycles"], point["p99_latency_cycles"]);
  }
  EXPECT_GT(json["flit_hops"], 0);
}

TEST(Network, TheSameSeedPrintsTheSamePointsAndAnotherSeedOthers) {
  const Folder folder;
  const auto points = [&](const std::string& seed) {
    return nlohmann::json::parse(
        network(folder, {"--slice", "4x4", "--load", "0.1", "--window", "100", "--seed", seed, "--json"})
            .out)["points"];
  };
  EXPECT_EQ(points("5"), points("5"));
  EXPECT_NE(points("5"), points("6"));
}

TEST(Network, ASweepEndsWhereTheNetworkSaturates) {
  // Tornado traffic on a ring of 8 loads every link with three times the traffic of a node.
  const Folder folder;
  const Outcome outcome = network(folder, {"--pattern", "tornado", "--slice", "8", "--sweep", "--vcs", "8",
                                           "--channel-cycles", "1", "--window", "200", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_GT(json["saturation"], 0.2);
  EXPECT_LT(json["saturation"], 0.336);
}

TEST(Network, ARoutingThatCanDeadlockIsRefusedWithItsRing) {
  const Folder folder;
  const Outcome outcome = network(folder, {"--load", "0.1", "--vc-classes", "none"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("the routing can deadlock: (0,0)x+ -> (1,0)x+ -> "), std::string::npos) << outcome.err;
}

TEST(Network, ADeadLinkCarriesNothingAndItsNeighboursCarryMore) {
  const Folder folder;
  const Outcome outcome = network(folder, {"--slice", "4x4", "--load", "0.05", "--window", "200", "--fault",
                                           "dead-link:(0,0)x+", "--links-csv", "l.csv", "--links-svg", "l.svg"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const std::string csv = folder.read("l.csv"), svg = folder.read("l.svg");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 64);
  EXPECT_NE(csv.find("\"(0,0)\",\"(1,0)\",x,+,0,0.000000,0,dead"), std::string::npos) << csv;
  EXPECT_NE(svg.find("<title>(0,0)x+: dead</title>"), std::string::npos);
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
}

TEST(Network, APairThatNoLivingLinksJoinIsNamed) {
  const Folder folder;
  const Outcome outcome =
      network(folder, {"--slice", "2", "--wrap", "none", "--load", "0.1", "--fault", "dead-link:(0)x+"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("chip (0) cannot reach chip (1)"), std::string::npos) << outcome.err;
}

TEST(Network, WhatCannotBeRunIsBadInput) {
  const std::vector<std::pair<Words, std::string>> mistakes = {
      {{}, "--load or --sweep is required"},
      {{"--load", "0.1", "--sweep"}, "--load has no place beside it"},
      {{"--load", "2"}, "'2' is not a load"},
      {{"--load", "0.1,x"}, "'x' is not a load"},
      {{"--load", "0.1", "--pattern", "tornad"}, "did you mean 'tornado'?"},
      {{"--load", "0.1", "--pattern", "transpose", "--slice", "4x8"}, "4x8 has no transpose"},
      {{"--load", "0.1", "--slice", "8y8"}, "'8y8' is not a slice"},
      {{"--load", "0.1", "--slice", "1024x1024"}, "up to 16384 nodes"},
      {{"--load", "0.1", "--wrap", "z"}, "'z' is not a dimension"},
      {{"--load", "0.1", "--vcs", "0"}, "between 1 and 64"},
      {{"--load", "0.1", "--fault", "dead-lnk:(0,0)x+"}, "did you mean 'dead-link'?"},
      {{"--load", "0.1", "--fault", "dead-chip:(9,0)"}, "has no chip (9,0)"},
      {{"--load", "0.1", "--fault", "jitter:5us"}, "would change nothing"},
      {{"--load", "0.1", "--packet-flits", "0"}, "between 1 and"},
      {{"--load", "0.1", "--window", "x"}, "is not a whole number"},
      {{"--load", "0.1", "--links-csv", "missing/l.csv"}, "cannot write"},
      {{"--load", "0.1", "--switching", "virtual_cut_through", "--packet-flits", "9"}, "room for a packet of 9 flits"},
  };
  const Folder folder;
  for (const auto& [words, said] : mistakes) {
    const Outcome outcome = network(folder, words);
    EXPECT_EQ(outcome.code, 2) << said << outcome.err;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace podsim::test
