// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

Words search_of_small(const std::string& folder, const Words& more = {}) {
  Words words{"search",   "transformer",
              "--slice",  "1x1",
              "--set",    "model.layers=1",
              "--set",    "model.batch=4",
              "--set",    "model.sequence=128",
              "--points", "12",
              "-o",       folder};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The words of a command line without quotes, behind "podsim".
Words words_of_line(const std::string& line) {
  std::istringstream in(line);
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  return {words.begin() + 1, words.end()};
}

TEST(Search, TheBestRunsAsItsCommandSays) {
  const test::Folder folder;
  const test::Outcome outcome = folder.run(search_of_small("best", {"--json"}));
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json found = Json::parse(outcome.out);
  for (const Json& point : found["points"]) {
    if (!point.contains("step_time_s")) continue;
    EXPECT_GE(point["step_time_s"].get<double>(), found["best"]["step_time_s"].get<double>() * 0.999);
  }
  Words words = words_of_line(found["best"]["command"]);
  words.push_back("--json");
  const Json run = Json::parse(folder.run(words).out);
  EXPECT_EQ(run["step_time_s"], found["best"]["step_time_s"]);
}

/// The best sharding of a layer of width 1024 on the two cores of a chip, without overlap.
Json best_of_a_layer(const char* batch) {
  const test::Folder folder;
  Words words{"search", "transformer", "--slice", "1x1",    "--overlap", "none", "--rematerialise",
              "none",   "--points",    "8",       "--json", "-o",        "best"};
  const std::string sequences = std::string("model.batch=") + batch;
  for (const char* key : {"model.layers=1", "model.d_model=1024", "model.d_ff=4096", "model.heads=8",
                          "model.d_head=128", "model.vocabulary=1024", "model.sequence=128", sequences.c_str()})
    words.insert(words.end(), {"--set", key});
  return Json::parse(folder.run(words).out)["best"];
}

// docs/studies/which_sharding.md: cores share heads and hidden units where they have less than a third of the width in
// tokens each, here 256 of 1024, and else the batch, with an update in shards.
TEST(Search, AgreesWithTheRulesForTransformers) {
  const std::string few = best_of_a_layer("4")["sharding"];
  EXPECT_NE(few.find("\"layer*/attention/w_q\" = [\"\", \"a\""), std::string::npos) << few;
  EXPECT_NE(few.find("\"layer*/ffn/w_in\" = [\"\", \"a\"]"), std::string::npos) << few;
  const std::string many = best_of_a_layer("64")["command"];
  EXPECT_NE(many.find("--weight-update-sharding"), std::string::npos) << many;
  EXPECT_EQ(many.find("--sharding"), std::string::npos) << many;
}

TEST(Search, GivesTheSameAnswerWithAnyNumberOfWorkersAndAgain) {
  const test::Folder folder;
  const test::Outcome one = folder.run(search_of_small("best", {"-j", "1"}));
  EXPECT_EQ(folder.run(search_of_small("best", {"-j", "2"})).out, one.out);  // from what is stored
  const test::Folder other;
  EXPECT_EQ(other.run(search_of_small("best", {"-j", "3"})).out, one.out);
}

TEST(Search, AFolderOfAnotherSearchIsRefused) {
  const test::Folder folder;
  ASSERT_EQ(
      folder.run({"search", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "--points", "1", "-o", "f"}).code,
      0);
  const test::Outcome outcome =
      folder.run({"search", "resnet50", "--slice", "1x1", "--batch-per-core", "2", "--points", "1", "-o", "f"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("it has a search of"), std::string::npos) << outcome.err;
}

TEST(Search, RefusesMetricsAndLimitsThatAreNone) {
  const test::Folder folder;
  const auto refused = [&](const Words& flags) {
    Words words{"search", "resnet50", "-o", "f"};
    words.insert(words.end(), flags.begin(), flags.end());
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2);
    return outcome.err;
  };
  EXPECT_NE(refused({"--minimise", "cost"}).find("'cost' is not a number of podsim run --json"), std::string::npos);
  EXPECT_NE(refused({"--at-most", "step_time_s"}).find("METRIC=NUMBER"), std::string::npos);
  EXPECT_NE(refused({"--at-least", "step_time_s=fast"}).find("it is not a number"), std::string::npos);
  EXPECT_NE(refused({"--exhaustive"}).find("the sharding of this step is given"), std::string::npos);
}

}  // namespace
}  // namespace podsim
