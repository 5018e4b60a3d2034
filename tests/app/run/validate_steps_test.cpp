// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/commands.h"

namespace podsim {
namespace {

constexpr const char* steps =
    "workload,generation,chips,topology,global_batch,partitioning,step_ms,what\n"
    "resnet50,v3,4,2x2,16,data parallel,10,train only\n"
    "resnet50,v3,4,2x2,800000,data parallel,10,train only\n"
    "alexnet,v3,4,2x2,16,data parallel,10,train only\n";

/// The oracle is the command that the table names.
TEST(ValidateSteps, ARowHasTheStepOfItsCommand) {
  const test::Folder folder;
  folder.write("training_steps.csv", steps);
  const nlohmann::json table =
      test::json_of(folder, {"validate", "steps", "--data", ".", "--json", "--csv", "steps.csv"});
  const nlohmann::json step = test::json_of(folder, test::small_run({"--json"}));
  ASSERT_EQ(table["steps"].size(), 3U);
  EXPECT_EQ(table["steps"][0]["command"], "podsim run resnet50 --slice 2x2 --batch-per-core 2");
  EXPECT_DOUBLE_EQ(table["steps"][0]["simulated_s"], step["step_time_s"]);
  EXPECT_NEAR(table["steps"][0]["error"], step["step_time_s"].get<double>() / 0.010 - 1, 1e-12);
  EXPECT_EQ(table["simulated"], 1);
  EXPECT_EQ(test::lines_of(folder.read("steps.csv")).size(), 4U);
}

TEST(ValidateSteps, AStepThatCannotRunSaysWhy) {
  const test::Folder folder;
  folder.write("training_steps.csv", steps);
  const nlohmann::json table = test::json_of(folder, {"validate", "steps", "--data", ".", "--json"});
  EXPECT_NE(table["steps"][1]["not_simulated"].get<std::string>().find("error"), std::string::npos);
  EXPECT_EQ(table["steps"][2]["not_simulated"], "no workload of this network");
}

TEST(ValidateSteps, NetworksAreChosenByPattern) {
  const test::Folder folder;
  folder.write("training_steps.csv", steps);
  const test::Outcome outcome = folder.run({"validate", "steps", "--data", ".", "--only", "alex*"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("alexnet is not simulated"), std::string::npos);
  EXPECT_EQ(outcome.out.find("resnet50"), std::string::npos);
  EXPECT_EQ(folder.run({"validate", "steps", "--data", ".", "--only", "lenet"}).code, 2);
  EXPECT_EQ(folder.run({"validate", "steps", "--data", "missing"}).code, 2);
}

/// The second row's slice has the chips of the first, and there is one step in between, whose command is the oracle.
TEST(ValidateSteps, AChartHasStepsInBetween) {
  const test::Folder folder;
  folder.write("training_steps.csv",
               "workload,generation,chips,topology,global_batch,partitioning,step_ms,what\n"
               "resnet50,v3,1,1x1,4,data parallel,10,train only\n"
               "resnet50,v3,4,2x2,16,data parallel,8 to 12,train only\n");
  const nlohmann::json table =
      test::json_of(folder, {"validate", "steps", "--data", ".", "--json", "--svg", "steps.svg"});
  EXPECT_EQ(table["steps"].size(), 2U);
  ASSERT_EQ(table["between"].size(), 1U);
  EXPECT_EQ(table["between"][0]["command"], "podsim run resnet50 --slice 2x1 --batch-per-core 2");
  const nlohmann::json step =
      test::json_of(folder, {"run", "resnet50", "--slice", "2x1", "--batch-per-core", "2", "--json"});
  EXPECT_DOUBLE_EQ(table["between"][0]["simulated_s"], step["step_time_s"]);
  const std::string svg = folder.read("steps.svg");
  std::size_t published = 0, simulated = 0;
  for (std::size_t at = 0; (at = svg.find("mark fill-", at)) != std::string::npos; ++at) {
    ++(svg[at + 10] == '2' ? published : simulated);
  }
  EXPECT_EQ(published, 3U);  // the bracket has two ends
  EXPECT_EQ(simulated, 3U);
  EXPECT_NE(svg.find("resnet50 on tpu-v3: step (ms)"), std::string::npos);
}

}  // namespace
}  // namespace podsim
