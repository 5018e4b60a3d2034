// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/app/commands.h"

namespace podsim {
namespace {

/// The oracle is the command that the table names.
TEST(ValidateJobs, AFigureHasTheTimeOfItsCommand) {
  const test::Folder folder;
  const nlohmann::json table = test::json_of(folder, {"validate", "jobs", "--only", "bert*", "--json"});
  ASSERT_EQ(table["jobs"].size(), 3U) << "a loop and two starts";
  const nlohmann::json run =
      test::json_of(folder, {"run", "bert_large", "--slice", "4x4", "--batch-per-core", "14", "--set",
                             "model.gradient_type=f32", "--loop", "steps=1117", "--json"});
  EXPECT_DOUBLE_EQ(table["jobs"][0]["simulated_s"], run["train_loop"]["time_s"]);
  const nlohmann::json train =
      test::json_of(folder, {"train", "bert_large", "--slice", "128x32", "--batch-per-core", "1", "--train-steps",
                             "100", "--loop", "steps=100 eval=1", "--clients", "one", "--json"});
  EXPECT_DOUBLE_EQ(table["jobs"][1]["simulated_s"], train["start"]["time_s"]);
}

TEST(ValidateJobs, RefusesAPatternWithoutANetwork) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run({"validate", "jobs", "--only", "lenet"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("no network matches 'lenet'"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace podsim
