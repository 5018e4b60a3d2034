// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <deque>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostic.h"
#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"
#include "studies/sweep/search_points.h"
#include "studies/sweep/sweep_run.h"
#include "tests/app/program.h"

/// Searches whose runs are answered by formulas.
namespace podsim::app::sweep {
namespace {

std::string links(const std::string& search) {
  return R"(metrics = ["time_s"]
metric_constraints = ["time_s < 9"]
[base]
command = "collective"
kind = "all-reduce"
slice = "2x2"
bytes = "1KiB"
[axes]
"ici.hop_latency" = { from = "50 ns", to = "1000 ns", step = "50 ns" }
"ici.link_rate" = { from = "100 Gb/s", to = "900 Gb/s", step = "100 Gb/s" }
[derived]
cost = "ici.link_rate * 8e-11"
[report]
minimise = ["time_s", "cost"]
[search]
)" + search;
}

using Words = std::vector<std::string>;
using Output = base::host::ProcessOutput;

/// The number behind a key: "ici.hop_latency=50 ns".
double number_after(const Words& words, const std::string& key) {
  for (const std::string& word : words) {
    if (word.starts_with(key + "=")) return std::stod(word.substr(key.size() + 1));
  }
  return NAN;
}

Output took(double time_s) { return {0, nlohmann::json{{"time_s", time_s}}.dump(), "", 0.5}; }
Output answer_of(const Words& words) {
  return took(std::pow(number_after(words, "ici.hop_latency") / 500 - 1, 2) +
              1000 / number_after(words, "ici.link_rate"));
}

/// Answers the last of the commands that it was given first, so that their order is none of their choice.
class FormulaRunners : public studies::sweep::PointRunners {
 public:
  FormulaRunners(std::size_t count, std::function<Output(const Words&)> answer)
      : count_(count), answer_(std::move(answer)) {}
  std::size_t size() const override { return count_; }
  bool usable(std::size_t /*runner*/) const override { return true; }
  void give(std::size_t runner, const studies::sweep::PointTask& task) override {
    given_.emplace_back(runner, task.arguments);
  }
  std::vector<Report> wait() override {
    if (given_.empty()) return {};
    const auto [runner, words] = given_.back();
    given_.pop_back();
    return {{runner, false, answer_(words)}};
  }

 private:
  std::size_t count_;
  std::function<Output(const Words&)> answer_;
  std::deque<std::pair<std::size_t, Words>> given_;
};

class SearchSweep : public ::testing::Test {
 protected:
  /// Runs the search as far as it goes in the folder `name`; ends it at the answer number `end_at`.
  studies::sweep::SweepOutcome run(const std::string& name, const std::string& search, std::size_t runners,
                                   const std::function<Output(const Words&)>& answer = answer_of, int end_at = -1,
                                   studies::sweep::SweepStore::Policy policy = {}) {
    const studies::plan::Study study = studies::plan::parse_study("links.toml", links(search));
    const studies::sweep::StudyPaths paths(folder_.path() / name, study, std::nullopt);
    studies::sweep::SearchPoints points(study);
    points.begin();
    studies::sweep::SweepStore store(paths, study, points, policy);
    std::atomic<bool> stop = false;
    int count = 0;
    FormulaRunners all(runners, [&](const Words& words) {
      stop = ++count == end_at;
      return answer(words);
    });
    const auto outcome = studies::sweep::run_search(study, points, paths.op_cache, 0, all, store, stop);
    store.close(points, !outcome.stopped && !points.stalled());
    asked_ = count;
    return outcome;
  }

  std::filesystem::path database(const std::string& name) const { return folder_.path() / name / "links.sqlite"; }
  std::string content(const std::string& name) const { return studies::store::study_content(database(name)); }

  test::Folder folder_;
  int asked_ = 0;  ///< runs of the last search
};

constexpr const char* modelled = "points = 18\nseed = 4\nbatch = 3\n";

TEST_F(SearchSweep, ContentIsThatOfOneRunnerHoweverItWasInterrupted) {
  EXPECT_EQ(run("whole", modelled, 1).done, 18U);
  EXPECT_EQ(run("wide", modelled, 5).done, 18U);
  EXPECT_EQ(content("wide"), content("whole"));
  for (int end_at = 1; end_at < 18; end_at += 5) {
    const std::string name = "ended" + std::to_string(end_at);
    EXPECT_TRUE(run(name, modelled, 1 + std::size_t(end_at) % 4, answer_of, end_at).stopped);
    EXPECT_FALSE(run(name, modelled, 2).stopped);
    EXPECT_EQ(content(name), content("whole"));
    EXPECT_LE(asked_, 18 - end_at + 1);  // what ends with the interruption is not stored
  }
}

TEST_F(SearchSweep, HalvingIsResumedToo) {
  const std::string halving = "method = \"halving\"\nfidelity = \"ici.hop_latency\"\npoints = 8\nkeep = 2\n";
  run("whole", halving, 3);
  run("ended", halving, 2, answer_of, 11);
  run("ended", halving, 1);
  EXPECT_EQ(content("ended"), content("whole"));
}

/// A program that refuses a point with exit code 2 does so again.
TEST_F(SearchSweep, ARefusedPointIsAnAnswer) {
  const auto refuses = [](const Words& words) {
    return number_after(words, "ici.link_rate") > 300 ? Output{2, "", "error: no such link", 0} : answer_of(words);
  };
  const auto outcome = run("refused", modelled, 2, refuses);
  EXPECT_GT(outcome.failed.size(), 0U);
  EXPECT_EQ(outcome.done + outcome.failed.size(), 18U);
  run("refused", modelled, 2, refuses);
  EXPECT_EQ(asked_, 0);
}

TEST_F(SearchSweep, APointThatTheHostEndsRunsAgain) {
  run("whole", modelled, 1);
  int count = 0;
  const auto kills = [&](const Words& words) {
    return ++count == 12 ? Output{137, "", "killed", 0} : answer_of(words);
  };
  EXPECT_EQ(run("killed", modelled, 2, kills).failed.size(), 1U);
  EXPECT_LT(asked_, 18);
  EXPECT_EQ(run("killed", modelled, 2).failed.size(), 0U);
  EXPECT_EQ(content("killed"), content("whole"));
}

TEST_F(SearchSweep, MayGrowAndRefusesToLoseADonePoint) {
  run("grown", modelled, 2);
  run("grown", "points = 24\nseed = 4\nbatch = 3\n", 2);
  EXPECT_EQ(asked_, 6);
  run("whole", "points = 24\nseed = 4\nbatch = 3\n", 1);
  EXPECT_EQ(content("grown"), content("whole"));
  EXPECT_THROW(run("grown", "points = 24\nseed = 5\nbatch = 3\n", 2), base::InputError);
  run("grown", "points = 24\nseed = 5\nbatch = 3\n", 2, answer_of, -1, {.discard = true});
  run("other", "points = 24\nseed = 5\nbatch = 3\n", 1);
  EXPECT_EQ(content("grown"), content("other"));
}

/// Results of another build are not mixed with those of this one, whose model may choose other points.
TEST_F(SearchSweep, RunsWhatAnotherBuildRanAgain) {
  const auto slower = [](const Words& words) { return took(3 + number_after(words, "ici.hop_latency") / 100); };
  run("rerun", modelled, 2, slower);
  {
    studies::store::SqliteDatabase opened(database("rerun"), studies::store::SqliteDatabase::Access::write);
    opened.execute("UPDATE host SET build = 'another'");
  }
  run("rerun", modelled, 2, answer_of, -1, {.discard = false, .other_builds = false});
  run("whole", modelled, 1);
  EXPECT_EQ(content("rerun"), content("whole"));
}

/// The view compares the stored metric with the constraint in SQL.
TEST_F(SearchSweep, OnlyPointsWithinTheConstraintsAreEligible) {
  run("within", "points = 20\nseed = 2\n", 2);
  const studies::store::SqliteDatabase opened(database("within"), studies::store::SqliteDatabase::Access::read);
  studies::store::SqliteStatement rows = opened.prepare("SELECT count(*), sum(eligible = (time_s < 9)) FROM results");
  ASSERT_TRUE(rows.step());
  EXPECT_EQ(rows.whole(0), 20);
  EXPECT_EQ(rows.whole(1), 20);
}

TEST_F(SearchSweep, IsNotForShards) {
  folder_.write("links.toml", links(modelled));
  for (const Words& words :
       {Words{"sweep", "links.toml", "--shard", "1/2"}, Words{"sweep", "links.toml", "--emit", "slurm"}}) {
    const test::Outcome outcome = folder_.run(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("depends on the results of all before"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(folder_.names(), Words{"links.toml"});
}

/// The program from the file to the page.
TEST_F(SearchSweep, RunsFromTheCommandLine) {
  folder_.write("links.toml", links("points = 9\nbatch = 3\nbegin = 4\n"));
  const test::Outcome dry = folder_.run({"sweep", "links.toml", "--dry-run"});
  EXPECT_NE(dry.out.find("4 points, 0 done\nThe search chooses further points"), std::string::npos) << dry.out;
  const test::Outcome outcome = folder_.run({"sweep", "links.toml", "-j", "2"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("gaussian search, seed 1: 9 points of 180 combinations\n9 points: 9 done"),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("Front: time_s"), std::string::npos) << outcome.out;
  const test::Outcome page = folder_.run({"report", "links"});
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_NE(
      folder_.read("links/links.html").find("A Gaussian process with seed 1 chose the points from 180 combinations"),
      std::string::npos);
}

}  // namespace
}  // namespace podsim::app::sweep
