// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/commands.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words json_run(const Words& more) {
  Words words = {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "4", "--json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Json without_host(Json json) {
  for (const char* key : {"compile_s", "wall_s", "op_cache"}) json.erase(key);
  return json;
}

TEST(OpCacheFlag, ChangesNoResult) {
  const test::Folder folder;
  const Json plain = test::json_of(folder, json_run({}));
  EXPECT_FALSE(plain.contains("op_cache"));
  const Json first = test::json_of(folder, json_run({"--op-cache", "ops"}));
  const Json second = test::json_of(folder, json_run({"--op-cache", "ops"}));
  EXPECT_EQ(without_host(first), without_host(plain));
  EXPECT_EQ(without_host(second), without_host(plain));
  EXPECT_EQ(first["op_cache"]["hits"], 0);
  // A search and a simulation for each distinct op.
  EXPECT_EQ(first["op_cache"]["misses"], 2 * plain["distinct_ops"].get<int>());
  EXPECT_EQ(second["op_cache"]["hits"], first["op_cache"]["misses"]);
  EXPECT_EQ(second["op_cache"]["misses"], 0);
}

TEST(OpCacheFlag, ServesOtherNetworksHostsAndSlices) {
  const test::Folder folder;
  test::json_of(folder, json_run({"--op-cache", "ops"}));
  for (const char* setting : {"ici.link_rate=100 GB/s", "ici.hop_latency=1 us", "host.pcie_rate=1 GB/s"}) {
    const Json run = test::json_of(folder, json_run({"--op-cache", "ops", "--set", setting}));
    EXPECT_EQ(run["op_cache"]["misses"], 0) << setting;
    EXPECT_EQ(without_host(run), without_host(test::json_of(folder, json_run({"--set", setting})))) << setting;
  }
  const Json other = test::json_of(folder, json_run({"--op-cache", "ops", "--set", "mxu.count=4"}));
  EXPECT_EQ(other["op_cache"]["hits"], 0);
}

TEST(OpCacheFlag, LeavesEqualFolders) {
  const test::Folder folder;
  folder.run(json_run({"-o", "plain"}));
  folder.run(json_run({"-o", "cold", "--op-cache", "ops"}));
  folder.run(json_run({"-o", "warm", "--op-cache", "ops"}));
  for (const std::string& name : folder.names("plain")) {
    EXPECT_TRUE(folder.read("plain/" + name) == folder.read("cold/" + name)) << name;
    EXPECT_TRUE(folder.read("plain/" + name) == folder.read("warm/" + name)) << name;
  }
}

TEST(OpCacheFlag, IsForRunsAtTheSameTime) {
  const test::Folder folder;
  const Json plain = without_host(test::json_of(folder, json_run({})));
  std::vector<std::unique_ptr<test::Child>> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(std::make_unique<test::Child>(folder, json_run({"--op-cache", "ops"})));
  }
  for (const auto& child : children) {
    const test::Outcome outcome = child->wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(without_host(Json::parse(outcome.out)), plain);
  }
  EXPECT_EQ(test::json_of(folder, json_run({"--op-cache", "ops"}))["op_cache"]["misses"], 0);
}

TEST(OpCacheFlag, WarnsOfDamage) {
  const test::Folder folder;
  const Json plain = without_host(test::json_of(folder, json_run({"--op-cache", "ops"})));
  std::string text = folder.read("ops");
  for (std::size_t at = text.size() / 2; at < text.size(); at += 97) text[at] = char(~text[at]);
  folder.write("ops", text);
  const test::Outcome outcome = folder.run(json_run({"--op-cache", "ops"}));
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("warning: 'ops': "), std::string::npos) << outcome.err;
  const Json run = Json::parse(outcome.out);
  EXPECT_EQ(without_host(run), plain);
  EXPECT_GT(run["op_cache"]["misses"], 0);
  EXPECT_GT(run["op_cache"]["hits"], 0);
}

TEST(OpCacheFlag, PointsAtAFileThatCannotBe) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run(json_run({"--op-cache", "no/such/ops"}));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--op-cache: error: cannot open 'no/such/ops'"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
