// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Trace : public ::testing::Test {
 protected:
  /// Runs a workload and replays its traces.
  Json replay_of(Words workload) const {
    workload.insert(workload.begin(), "run");
    workload.insert(workload.end(), {"-o", "r", "--chakra"});
    const test::Outcome run = folder.run(workload);
    EXPECT_EQ(run.code, 0) << run.err;
    const test::Outcome check = folder.run({"trace", "check", "r/chakra", "--json"});
    EXPECT_EQ(check.code, 0) << check.err;
    return Json::parse(check.out);
  }

  test::Folder folder;
};

/// The oracle is the run itself, whose cores pass the network through other modules.
void expect_step(const Json& check, double within) {
  EXPECT_EQ(check["faults"].size(), 0U);
  EXPECT_EQ(check["unused_attributes"].size(), 0U);
  EXPECT_LE(std::abs(check["replay_s"].get<double>() / check["recorded_s"].get<double>() - 1), within);
}

TEST_F(Trace, OfResNet50ReplaysToItsStep) {
  const Json check = replay_of({"resnet50", "--slice", "4x4"});
  expect_step(check, 0.02);
  EXPECT_EQ(check["ranks"], 32);
}

TEST_F(Trace, OfBertReplaysToItsStep) { expect_step(replay_of({"bert_large", "--slice", "4x4"}), 0.02); }

/// Halos of a spatial sharding are sends and receives, some from a core to itself.
TEST_F(Trace, OfSpatialPartitionsReplaysToItsStep) {
  expect_step(replay_of({"ssd", "--slice", "2x2", "--batch-per-core", "4", "--set", "model.spatial=4"}), 0.02);
}

TEST_F(Trace, OfAsynchronousCollectivesReplaysToItsStep) {
  expect_step(replay_of({"transformer", "--slice", "2x2", "--overlap", "collectives"}), 0.02);
}

TEST_F(Trace, WithAFaultIsAFailedCheck) {
  replay_of({"resnet50", "--slice", "1x1", "--batch-per-core", "2"});
  std::filesystem::resize_file(folder.path() / "r/chakra/step.1.et", 2000);
  const test::Outcome cut = folder.run({"trace", "check", "r/chakra"});
  EXPECT_EQ(cut.code, 2);
  EXPECT_NE(cut.err.find("step.1.et' is damaged"), std::string::npos) << cut.err;
  std::filesystem::remove(folder.path() / "r/chakra/step.0.et");
  const test::Outcome missing = folder.run({"trace", "check", "r/chakra"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_NE(missing.err.find("none of rank 0"), std::string::npos) << missing.err;
}

TEST_F(Trace, RanksAndCoresHaveToAgree) {
  replay_of({"resnet50", "--slice", "1x1", "--batch-per-core", "2"});
  const test::Outcome other = folder.run({"trace", "check", "r/chakra", "--slice", "2x2"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("2 traces, and a slice of 2x2 has 8 cores"), std::string::npos) << other.err;
  std::filesystem::rename(folder.path() / "r/chakra/comm_group.json", folder.path() / "r/chakra/g");
  folder.write("r/chakra/comm_group.json", R"({"1": [0]})");
  const test::Outcome group = folder.run({"trace", "check", "r/chakra"});
  EXPECT_EQ(group.code, 1);
  EXPECT_NE(group.out.find("which the rank is not in"), std::string::npos) << group.out;
}

}  // namespace
}  // namespace podsim
