// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/app/commands.h"

namespace podsim::app {
namespace {

nlohmann::json perceptron(const std::vector<std::string>& more) {
  std::vector<std::string> words{"run", "perceptron", "--json", "--set", "model.layers=2"};
  words.insert(words.end(), more.begin(), more.end());
  const test::Folder folder;
  return test::json_of(folder, words);
}

// The step at detail auto is the one that the search simulated; the other way to run it is the run of its flags.
TEST(RunOperators, ReportsTheStepsOfRuns) {
  const nlohmann::json run = perceptron({"--slice", "1x1", "--place-operators", "2", "--batch-per-replica", "256"});
  const nlohmann::json& operators = run["operators"];
  double least = run["step_time_s"];
  for (const nlohmann::json& way : operators["tried"]) {
    if (!way.contains("step_s")) continue;
    EXPECT_GE(double(way["step_s"]), least);
    if (way["name"] == operators["chosen"]) {
      EXPECT_EQ(way["step_s"], run["step_time_s"]);
    }
  }
  EXPECT_EQ(operators["samples_per_step"], 256);
  const nlohmann::json parallel = perceptron({"--slice", "1x1", "--batch-per-core", "128"});
  EXPECT_EQ(operators["data_parallel"]["step_s"], parallel["step_time_s"]);
}

// Two replicas of two cores do the work of two cores that share the batch: FLOPs of a core are the mean of all.
TEST(RunOperators, ReplicasDoTheWorkOfTheWholeStep) {
  const nlohmann::json run = perceptron({"--slice", "2x1", "--place-operators", "2", "--batch-per-replica", "256"});
  EXPECT_EQ(run["operators"]["replicas"], 2);
  const double whole = perceptron({"--slice", "1x1", "--batch-per-core", "256"})["flops_per_core_step"];
  EXPECT_NEAR(2 * double(run["flops_per_core_step"]), whole, 0.01 * whole);
}

// Two products of 2 * 2048^3 FLOPs, one on each core: a core does half of the program's, and converts its number.
TEST(RunOperators, TakesAProgramOutOfAFile) {
  const test::Folder folder;
  folder.write("two.hlo", R"(HloModule two

ENTRY main {
  x = bf16[2048,2048] parameter(0)
  a = bf16[2048,2048] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  b = bf16[2048,2048] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT both = (bf16[2048,2048], bf16[2048,2048]) tuple(a, b)
})");
  const nlohmann::json run = test::json_of(folder, {"run", "two.hlo", "--json", "--place-operators", "2"});
  EXPECT_NEAR(double(run["flops_per_core_step"]), 2.0 * 2048 * 2048 * 2048, 1);
  EXPECT_EQ(run["operators"]["transfers"], 0);
}

}  // namespace
}  // namespace podsim::app
