// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Compare : public ::testing::Test {
 protected:
  void run(const std::string& name, const Words& more) const {
    Words words = {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "2", "-o", name};
    words.insert(words.end(), more.begin(), more.end());
    const test::Outcome outcome = folder.run(words);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
  }
  Json compare(const std::string& a, const std::string& b) const {
    const test::Outcome outcome = folder.run({"compare", a, b, "--json"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }
  Json stats(const std::string& name) const { return Json::parse(folder.read(name + "/stats.json")); }
  std::string refused(const Words& words) const {
    const test::Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  }

  test::Folder folder;
};

/// The sum of the rows and the time outside the ops.
std::int64_t sum_of_rows(const Json& comparison, const char* rows) {
  std::int64_t total = comparison["outside_ops"]["difference_ps"];
  for (const Json& row : comparison[rows]) total += row["difference_ps"].get<std::int64_t>();
  return total;
}

void expect_exact(const Json& comparison, const Json& a, const Json& b) {
  const std::int64_t step = comparison["step"]["difference_ps"];
  EXPECT_EQ(step, b["step_time_ps"].get<std::int64_t>() - a["step_time_ps"].get<std::int64_t>());
  for (const char* rows : {"ops", "by_category", "by_phase", "by_layer", "by_bound"}) {
    EXPECT_EQ(sum_of_rows(comparison, rows), step) << rows;
  }
}

TEST_F(Compare, RowsAddUpToTheDifferenceOfTheSteps) {
  run("before", {});
  run("after", {"--set", "mxu.size=256"});
  const Json comparison = compare("before", "after");
  expect_exact(comparison, stats("before"), stats("after"));
  ASSERT_EQ(comparison["machine"].size(), 1U);
  EXPECT_EQ(comparison["machine"][0]["key"], "mxu.size");
  EXPECT_EQ(comparison["machine"][0]["a"]["value"], "128");
  EXPECT_EQ(comparison["machine"][0]["a"]["evidence"], "published");
  EXPECT_EQ(comparison["machine"][0]["b"]["value"], "256");
  EXPECT_EQ(comparison["machine"][0]["b"]["evidence"], "user");
  EXPECT_TRUE(comparison["settings"].empty());
  // The same bytes go over the same links for every size of a matrix unit: equal to the nanosecond, as times are
  // rounded.
  for (const Json& row : comparison["ops"]) {
    if (row["a"]["bound_by"] == "ICI") {
      EXPECT_LE(std::abs(row["difference_ps"].get<std::int64_t>()), 1000) << row;
    }
  }
}

TEST_F(Compare, ARunAndItsRepetitionAreEqual) {
  run("one", {});
  run("two", {"--fold", "on"});
  const Json same = compare("one", "one");
  EXPECT_EQ(same["equal"], true);
  EXPECT_EQ(sum_of_rows(same, "ops"), 0);
  for (const Json& row : same["ops"]) EXPECT_EQ(row["difference_ps"], 0);
  const Json again = compare("one", "two");
  EXPECT_EQ(again["equal"], false);  // the command lines differ
  ASSERT_EQ(again["settings"].size(), 1U);
  EXPECT_EQ(again["settings"][0]["key"], "--fold");
  EXPECT_EQ(again["step"]["difference_ps"], 0);
}

TEST_F(Compare, AnotherSliceAndAnotherBatchAreSettings) {
  run("small", {});
  const test::Outcome outcome =
      folder.run({"run", "resnet50", "--slice", "4x2", "--batch-per-core", "3", "-o", "large"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json comparison = compare("small", "large");
  expect_exact(comparison, stats("small"), stats("large"));
  std::vector<std::string> keys;
  for (const Json& row : comparison["settings"]) keys.push_back(row["key"]);
  EXPECT_EQ(keys, (Words{"slice", "chips", "batch_per_core"}));
}

/// A global program has a batch, but no batch per core.
TEST_F(Compare, AProgramWithoutABatchOfACoreHasNone) {
  run("local", {});
  const test::Outcome global =
      folder.run({"run", "resnet50_global", "--slice", "2x2", "--set", "model.batch=16", "-o", "global"});
  ASSERT_EQ(global.code, 0) << global.err;
  const Json settings = compare("local", "global")["settings"];
  const auto batch = std::ranges::find_if(settings, [](const Json& row) { return row["key"] == "batch_per_core"; });
  ASSERT_NE(batch, settings.end());
  EXPECT_EQ((*batch)["a"], "2");
  EXPECT_EQ((*batch)["b"], "");
}

TEST_F(Compare, AnotherBuildOfTheProgramIsASetting) {
  run("before", {});
  run("after", {});
  EXPECT_EQ(compare("before", "after")["settings"], Json::array());
  Json manifest = Json::parse(folder.read("after/manifest.json"));
  const std::string build = manifest["build"];
  EXPECT_EQ(build.size(), 16U);
  manifest["build"] = "of another day";
  folder.write("after/manifest.json", manifest.dump());
  const Json settings = compare("before", "after")["settings"];
  EXPECT_EQ(settings, Json::array({{{"key", "build of the program"}, {"a", build}, {"b", "of another day"}}}));
}

/// Points of studies by the folder and their position, as summaries and pages name them.
TEST_F(Compare, PointsAreNamedByFolderAndPosition) {
  folder.write("s.toml", R"(metrics = ["time_s"]
[base]
command = "collective"
kind = "all-reduce"
bytes = "1KiB"
[axes]
slice = ["2x2", "4x2"]
)");
  ASSERT_EQ(folder.run({"sweep", "s.toml"}).code, 0);
  const Json comparison = compare("s:baseline", "s:1");
  EXPECT_EQ(comparison["settings"], Json::array({{{"key", "slice"}, {"a", "2x2"}, {"b", "4x2"}}}));
  EXPECT_EQ(comparison, compare("s/s.sqlite:0", "s:1")) << "the first point is the baseline";
  EXPECT_NE(refused({"compare", "s", "s"}).find("as in s:baseline and s:3"), std::string::npos);
  EXPECT_NE(refused({"compare", "s/s.sqlite", "s:0"}).find("as in study:baseline or study:3"), std::string::npos);
  EXPECT_NE(refused({"compare", "s:0", "s:2"}).find("its points are 0 to 1"), std::string::npos);
}

TEST_F(Compare, OtherFusionsAreMatchedByTheirNames) {
  run("whole", {});
  run("shards", {"--weight-update-sharding", "on"});
  const Json comparison = compare("whole", "shards");
  expect_exact(comparison, stats("whole"), stats("shards"));
  // The all-reduce of the gradients becomes a reduce-scatter and an all-gather.
  double only_b = 0;
  for (const Json& row : comparison["collectives"]) only_b += row["a"].is_null() ? 1 : 0;
  EXPECT_GE(only_b, 2);
}

TEST_F(Compare, TheTextNamesWhatDiffersAndTheTableHasEveryRow) {
  run("before", {});
  run("after", {"--set", "hbm.channels=32"});
  const test::Outcome outcome = folder.run({"compare", "before", "after", "-n", "3", "--csv", "rows.csv"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("hbm.channels"), std::string::npos);
  EXPECT_NE(outcome.out.find("step time"), std::string::npos);
  EXPECT_NE(outcome.out.find("the other "), std::string::npos);
  std::istringstream lines(folder.read("rows.csv"));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  EXPECT_EQ(count, compare("before", "after")["ops"].size() + 3);  // head, outside the ops, step
}

TEST_F(Compare, FoldersThatAreNoRunsAreRefused) {
  run("before", {});
  std::filesystem::create_directory(folder.path() / "empty");
  EXPECT_NE(refused({"compare", "before", "befroe"}).find("did you mean 'before'?"), std::string::npos);
  EXPECT_NE(
      refused({"compare", "before", "empty"}).find("B: error: 'empty' is not a folder that 'podsim run -o' wrote"),
      std::string::npos);
  EXPECT_NE(refused({"compare", "", "before"}).find("A: error: the path is empty"), std::string::npos);
  EXPECT_NE(refused({"compare", "before"}).find("B is required"), std::string::npos);
  EXPECT_NE(refused({"compare", "before", "before", "-n", "0"}).find("between 1 and"), std::string::npos);
}

TEST_F(Compare, FoldersWithDamagedFilesAreRefused) {
  run("before", {});
  const std::string stats_text = folder.read("before/stats.json");
  folder.write("before/stats.json", stats_text.substr(0, stats_text.size() / 2));
  EXPECT_NE(refused({"compare", "before", "before"}).find("stats.json:"), std::string::npos);
  folder.write("before/stats.json", R"({"schema_version": 1, "steps": 2, "step_time_ps": 5, "collectives": [3]})");
  EXPECT_NE(refused({"compare", "before", "before"}).find("is not what 'podsim run -o' writes"), std::string::npos);
  folder.write("before/stats.json", stats_text);
  folder.write("before/manifest.json", R"({"schema_version": 7})");
  EXPECT_NE(refused({"compare", "before", "before"}).find("schema_version 7"), std::string::npos);
}

}  // namespace
}  // namespace podsim
