// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"
#include "tests/app/program.h"

namespace podsim::test {
namespace {

using Json = nlohmann::json;

constexpr const char* steps_study = R"(title = "Steps"
question = "What do batch and links change?"
metrics = ["step_time_s", "utilization.mxu"]

[base]
workload = "resnet50"
slice = "2x2"

[axes]
batch_per_core = [8, 16]
"ici.link_rate" = ["328 Gb/s", "656 Gb/s"]

[derived]
global_batch = "batch_per_core * cores"

[report]
minimise = ["step_time_s"]
)";

class Sweep : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("steps.toml", steps_study); }

  Outcome sweep(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {"sweep", "steps.toml"};
    words.insert(words.end(), more.begin(), more.end());
    return folder_.run(words);
  }

  std::filesystem::path database(const std::string& name) const { return folder_.path() / name / "steps.sqlite"; }
  std::string content(const std::string& name) const { return studies::store::study_content(database(name)); }

  std::string cell(const std::string& name, const std::string& sql) const {
    const studies::store::SqliteDatabase opened(database(name), studies::store::SqliteDatabase::Access::read);
    studies::store::SqliteStatement row = opened.prepare(sql);
    return row.step() ? row.text(0) : "no row";
  }

  void expect_refused(const std::vector<std::string>& more, const std::string& part) const {
    const Outcome outcome = sweep(more);
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }

  Folder folder_;
};

/// Every point has the result of its command line.
TEST_F(Sweep, PointsAreTheRunsOfTheirCommandLines) {
  const Outcome outcome = sweep({"-j", "2"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("4 points: 4 done"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  const std::string best =
      "SELECT group_concat(axis || ' ' || text, ', ') FROM axis_values WHERE kind = 'axis' AND point "
      "= (SELECT id FROM results ORDER BY step_time_s LIMIT 1)";
  EXPECT_NE(outcome.out.find(cell("steps", best)), std::string::npos) << outcome.out;
  for (const auto& [batch, rate] :
       std::vector<std::pair<std::string, std::string>>{{"8", "328 Gb/s"}, {"16", "656 Gb/s"}}) {
    const Json single = Json::parse(folder_
                                        .run({"run", "resnet50", "--slice", "2x2", "--batch-per-core", batch, "--set",
                                              "ici.link_rate=" + rate, "--json"})
                                        .out);
    const std::string where =
        " FROM points WHERE id = (SELECT a.point FROM axis_values a JOIN axis_values b USING "
        "(point) WHERE a.text = '" +
        batch + "' AND b.text = '" + rate + "')";
    const Json stored = Json::parse(cell("steps", "SELECT result" + where));
    EXPECT_EQ(stored["step_time_ps"], single["step_time_ps"]);
    EXPECT_EQ(stored["collectives"], single["collectives"]);
    EXPECT_FALSE(stored.contains("wall_s"));
    EXPECT_FALSE(stored.contains("compile_s"));
    std::istringstream command(cell("steps", "SELECT command" + where));
    std::string program;
    command >> program;
    EXPECT_EQ(program, "podsim");
  }
  EXPECT_EQ(cell("steps", "SELECT count(*) FROM results WHERE global_batch = batch_per_core * 8"), "4");
  EXPECT_EQ(cell("steps", "SELECT count(*) FROM machines"), "2");
  EXPECT_EQ(cell("steps", "SELECT count(*) FROM host WHERE wall_s > 0 AND compile_s > 0"), "4");
  EXPECT_EQ(folder_.read("steps/study.toml"), steps_study);
}

TEST_F(Sweep, ContentDoesNotDependOnWhoRanThePoints) {
  ASSERT_EQ(sweep({"-j", "1", "-o", "one"}).code, 0);
  ASSERT_EQ(sweep({"-j", "2", "-o", "two"}).code, 0);
  {
    std::vector<std::unique_ptr<Child>> shards;
    for (const char* shard : {"1/3", "2/3", "3/3"}) {
      const std::vector<std::string> words = {"sweep", "steps.toml", "-o", "shards", "--shard", shard};
      shards.push_back(std::make_unique<Child>(folder_, words));
    }
    for (const auto& shard : shards) EXPECT_EQ(shard->wait().code, 0);
  }
  EXPECT_TRUE(content("two") == content("one"));
  EXPECT_TRUE(content("shards") == content("one"));
  EXPECT_EQ(folder_.read("two/steps.jsonl"), folder_.read("one/steps.jsonl"));
  EXPECT_EQ(folder_.read("shards/steps.jsonl"), folder_.read("one/steps.jsonl"));
  EXPECT_EQ(folder_.names("shards"), folder_.names("one")) << "nothing is left of the shards";
}

TEST_F(Sweep, RunsOnlyWhatIsNotDone) {
  ASSERT_EQ(sweep({"--shard", "1/2"}).code, 0);
  const std::string first = cell("steps", "SELECT group_concat(point || wall_s) FROM host ORDER BY point");
  const Json dry = Json::parse(sweep({"--dry-run", "--json"}).out);
  ASSERT_EQ(dry["points"].size(), 4U);
  EXPECT_TRUE(dry["points"][0]["done"]);
  EXPECT_FALSE(dry["points"][1]["done"]);
  const Json rest = Json::parse(sweep({"--json", "--resume"}).out);
  EXPECT_EQ(rest["points"], 4);
  EXPECT_EQ(rest["skipped"], 2);
  EXPECT_EQ(rest["done"], 2);
  EXPECT_EQ(rest["failed"], 0);
  EXPECT_EQ(rest["database"], "steps/steps.sqlite");
  const std::string before = content("steps");
  const Json nothing = Json::parse(sweep({"--json"}).out);
  EXPECT_EQ(nothing["skipped"], 4);
  EXPECT_EQ(nothing["done"], 0);
  EXPECT_TRUE(content("steps") == before);
  ASSERT_EQ(sweep({"-o", "whole"}).code, 0);
  EXPECT_TRUE(content("whole") == before);
}

TEST_F(Sweep, FailingPointsAreKeptAndTheRestGoesOn) {
  std::string text = steps_study;
  text.replace(text.find("[8, 16]"), 7, "[8, 100000]");  // no core has the memory for the second
  folder_.write("steps.toml", text);
  const Outcome outcome = sweep({"-j", "2"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.out.find("4 points: 2 done, 2 failed"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("error: out of memory: resnet50 needs"), std::string::npos) << outcome.out;
  EXPECT_EQ(cell("steps",
                 "SELECT count(*) FROM points WHERE status = 'failed' AND exit_code = 2 AND result IS NULL AND "
                 "error LIKE '%out of memory%largest buffers%'"),
            "2");
  EXPECT_EQ(cell("steps", "SELECT count(*) FROM metrics"), "4");
  const Json again = Json::parse(sweep({"--json"}).out);
  EXPECT_EQ(again["skipped"], 2) << "what failed is run again";
  EXPECT_EQ(again["failed"], 2);
}

TEST_F(Sweep, SaysWhereAFlagIsNotSet) {
  folder_.write("steps.toml", R"(metrics = ["step_time_s"]
[base]
workload = "resnet50"
slice = "2x2"
batch_per_core = 4
[axes]
optimizer = ["adam", ""]
)");
  const Outcome outcome = sweep({});  // momentum, which keeps less than Adam
  EXPECT_NE(outcome.out.find("optimizer not set\n"), std::string::npos) << outcome.out;
}

TEST_F(Sweep, DryRunPrintsCommandLinesAndLeavesNothing) {
  const Outcome outcome = sweep({"--dry-run"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("podsim run resnet50"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("'ici.link_rate=656 Gb/s'"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("4 points, 0 done"), std::string::npos) << outcome.out;
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"steps.toml"});
  const Outcome part = sweep({"--dry-run", "--shard", "2/2"});
  EXPECT_NE(part.out.find("2 points, 0 done"), std::string::npos) << part.out;
}

TEST_F(Sweep, RefusesAFolderOfAnotherStudy) {
  ASSERT_EQ(sweep({"-o", "out"}).code, 0);
  const std::string before = content("out");
  folder_.write("other.toml", steps_study);
  const Outcome other = folder_.run({"sweep", "other.toml", "-o", "out"});
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("'out' holds another study, 'steps.sqlite'"), std::string::npos) << other.err;
  EXPECT_TRUE(content("out") == before);
}

/// A study that grows runs only its new points, and its content then equals that of the larger study run at once.
TEST_F(Sweep, TakesOverPointsWhenTheTextOfTheStudyChanges) {
  ASSERT_EQ(sweep({}).code, 0);
  std::string text = steps_study;
  text.replace(text.find("\"Steps\""), 7, "\"More steps\"");
  text.replace(text.find("[8, 16]"), 7, "[4, 8, 16]");
  text.replace(text.find("\"utilization.mxu\""), 17, "\"utilization.hbm\"");
  text += "[metric_derived]\nper_sample = \"step_time_s / global_batch\"\n";
  folder_.write("steps.toml", text);
  const Outcome dry = sweep({"--dry-run"});
  EXPECT_NE(dry.out.find("6 points, 4 done"), std::string::npos) << dry.out << dry.err;
  expect_refused({"--shard", "1/2"}, "is of another text of the study");
  const Outcome outcome = sweep({"--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["skipped"], 4);
  EXPECT_EQ(Json::parse(outcome.out)["done"], 2);
  ASSERT_EQ(sweep({"-o", "new"}).code, 0);
  EXPECT_TRUE(content("steps") == content("new"));
  EXPECT_EQ(folder_.read("steps/steps.jsonl"), folder_.read("new/steps.jsonl"));
  EXPECT_EQ(folder_.read("steps/study.toml"), text);
}

TEST_F(Sweep, AsksBeforeItRemovesPointsThatTheStudyHasNoMore) {
  ASSERT_EQ(sweep({}).code, 0);
  const std::string before = content("steps");
  std::string text = steps_study;
  text.replace(text.find("[8, 16]"), 7, "[16]");
  folder_.write("steps.toml", text);
  expect_refused({}, "2 points in 'steps' are none of the study's: its text, the program");
  EXPECT_TRUE(content("steps") == before);
  EXPECT_EQ(folder_.read("steps/study.toml"), steps_study);
  const Outcome outcome = sweep({"--yes", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["skipped"], 2);
  ASSERT_EQ(sweep({"-o", "new"}).code, 0);
  EXPECT_TRUE(content("steps") == content("new"));
}

/// Points that another build ran count, with a warning, until --rerun.
TEST_F(Sweep, WarnsOfPointsThatAnotherBuildHasRun) {
  const auto warnings = [&](const std::vector<std::string>& more) { return Json::parse(sweep(more).out)["warnings"]; };
  EXPECT_EQ(warnings({"--json"}).size(), 0U);
  EXPECT_EQ(warnings({"--json"}).size(), 0U);
  const std::string before = content("steps");
  {
    studies::store::SqliteDatabase opened(database("steps"), studies::store::SqliteDatabase::Access::write);
    opened.execute("UPDATE host SET build = 'another' WHERE point IN (SELECT id FROM points WHERE position < 3)");
    opened.execute("UPDATE points SET result = '{}' WHERE position = 0");
  }
  const Outcome outcome = sweep({});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.err.find("warning: another build of podsim ran 3 of the points that are done"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.out.find("4 points: 0 done, 4 done before"), std::string::npos) << outcome.out;
  const Json again = Json::parse(sweep({"--json", "--rerun"}).out);
  EXPECT_EQ(again["done"], 3);
  EXPECT_EQ(again["warnings"].size(), 0U);
  EXPECT_TRUE(content("steps") == before);
  EXPECT_EQ(Json::parse(sweep({"--json", "--rerun"}).out)["done"], 0) << "it is this build's now";
}

/// The database of an earlier version of the program has no builds.
TEST_F(Sweep, GoesOnWithADatabaseOfAnEarlierProgram) {
  ASSERT_EQ(sweep({}).code, 0);
  {
    studies::store::SqliteDatabase opened(database("steps"), studies::store::SqliteDatabase::Access::write);
    opened.execute("ALTER TABLE host DROP COLUMN build; DELETE FROM points WHERE position = 1");
  }
  const Json report = Json::parse(sweep({"--json"}).out);
  EXPECT_EQ(report["done"], 1);
  EXPECT_EQ(report["warnings"].size(), 1U);
  EXPECT_EQ(cell("steps", "SELECT count(*) FROM host WHERE length(build) = 16"), "1");
}

TEST_F(Sweep, EndsAPointAfterItsTime) {
  // A step of every tile of 32 cores takes seconds, one of a replayed op less than one.
  std::string text = steps_study;
  text.replace(text.find("slice = \"2x2\""), 13, "slice = \"4x4\"");
  text.replace(text.find("batch_per_core = [8, 16]"), 24, "detail = [\"replay\", \"tile\"]\nsteps = [20]");
  text.replace(text.find("\n[derived]\nglobal_batch = \"batch_per_core * cores\""), 51, "");
  folder_.write("steps.toml", text);
  const Outcome outcome = sweep({"--timeout", "1", "-j", "1"});
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_NE(outcome.out.find("4 points: 2 done, 2 failed"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("exit code 124  error: not done after 1 s (--timeout)"), std::string::npos) << outcome.out;
  expect_refused({"--timeout", "0"}, "between 1 and");
}

TEST_F(Sweep, RefusesToGoOnWithNothing) {
  expect_refused({"--resume"}, "there is no sweep to go on with");
  EXPECT_EQ(folder_.names(), std::vector<std::string>{"steps.toml"});
}

TEST_F(Sweep, RefusesADatabaseThatIsNone) {
  std::filesystem::create_directory(folder_.path() / "out");
  folder_.write("out/steps.sqlite", std::string(5000, 'x'));
  expect_refused({"-o", "out"}, "not a database");
  expect_refused({"-o", "steps.toml"}, "'steps.toml' is a file");
}

TEST_F(Sweep, RefusesFlagsThatMakeNoSense) {
  expect_refused({"--shard", "3/2"}, "between 1 and 2");
  expect_refused({"--shard", "3"}, "'3' is not a shard");
  expect_refused({"-j", "0"}, "between 1 and 1024");
  expect_refused({"-o", ""}, "the path is empty");
}

TEST_F(Sweep, AsksBeforeItRemovesPointsOfOtherInputs) {
  folder_.write("faster.toml", "[ici]\nlink_rate = \"400 Gb/s\"\n");
  folder_.write("steps.toml", R"(title = "A machine of one's own"
question = "And if it changes?"
metrics = ["time_s"]
[base]
command = "collective"
kind = "all-reduce"
bytes = "1MiB"
slice = "2x2"
machine = "faster.toml"
[axes]
"ici.hop_latency" = ["100 ns", "200 ns", "300 ns", "400 ns"]
)");
  ASSERT_EQ(sweep({"-o", "out"}).code, 0);
  const std::string before = content("out");
  folder_.write("faster.toml", "[ici]\nlink_rate = \"800 Gb/s\"\n");
  expect_refused({"-o", "out"}, "4 points in 'out' are none of the study's: the program");
  EXPECT_TRUE(content("out") == before);
  ASSERT_EQ(sweep({"-o", "out", "--yes"}).code, 0);
  EXPECT_FALSE(content("out") == before);
  ASSERT_EQ(sweep({"-o", "new"}).code, 0);
  EXPECT_TRUE(content("out") == content("new"));
}

}  // namespace
}  // namespace podsim::test
