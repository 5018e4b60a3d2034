// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_run.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "studies/store/study_store.h"
#include "tests/app/program.h"

namespace podsim::app {
namespace {

constexpr const char* text = R"(title = "Six"
metrics = ["time_s"]
[base]
command = "collective"
kind = "all-reduce"
slice = "2x2"
[axes]
bytes = ["1KiB", "2KiB", "4KiB"]
"ici.hop_latency" = ["100 ns", "200 ns"]
)";

/// Runners that answer as they are told to, one after the other.
class ToldRunners : public studies::sweep::PointRunners {
 public:
  using Answer = std::function<Report(std::size_t runner, const std::vector<std::string>& arguments)>;

  ToldRunners(std::size_t count, Answer answer) : count_(count), answer_(std::move(answer)) {}

  std::size_t size() const override { return count_; }
  bool usable(std::size_t runner) const override { return !gone_.contains(runner); }
  void give(std::size_t runner, const studies::sweep::PointTask& task) override {
    EXPECT_TRUE(usable(runner));
    given_.push_back({runner, task.arguments});
  }
  std::vector<Report> wait() override {
    if (given_.empty()) return {};
    const auto [runner, arguments] = given_.front();
    given_.pop_front();
    return {answer_(runner, arguments)};
  }
  /// Without a successor.
  void end(std::size_t runner) { gone_.insert(runner); }

 private:
  std::size_t count_;
  Answer answer_;
  std::deque<std::pair<std::size_t, std::vector<std::string>>> given_;
  std::set<std::size_t> gone_;
};

studies::sweep::PointRunners::Report went_well(std::size_t runner) {
  return {runner, false, {0, R"({"time_s": 1e-6})", "", 0.5}};
}
studies::sweep::PointRunners::Report lost(std::size_t runner) {
  return {runner, true, {137, "", "its worker was ended", 0}};
}

class SweepRun : public ::testing::Test {
 protected:
  studies::sweep::SweepOutcome run(studies::sweep::PointRunners& runners) {
    std::vector<const studies::sweep::PreparedPoint*> all;
    for (const studies::sweep::PreparedPoint& point : points_) all.push_back(&point);
    studies::sweep::SweepStore store(paths_, study_, std::nullopt, points_, {});
    const studies::sweep::SweepOutcome outcome =
        studies::sweep::run_points(study_, all, paths_.op_cache, 0, runners, store, stop_);
    store.close();
    return outcome;
  }

  std::size_t done() const { return studies::store::points_done(paths_.database).size(); }

  test::Folder folder_;
  std::atomic<bool> stop_ = false;
  studies::plan::Study study_ = studies::plan::parse_study("six.toml", text);
  std::vector<studies::sweep::PreparedPoint> points_ = studies::sweep::prepare_points(study_);
  studies::sweep::StudyPaths paths_{folder_.path() / "six", study_, std::nullopt};
};

TEST_F(SweepRun, GivesEveryPointToSomebodyOnce) {
  std::multiset<std::vector<std::string>> given;
  ToldRunners runners(4, [&](std::size_t runner, const std::vector<std::string>& arguments) {
    given.insert(arguments);
    return went_well(runner);
  });
  const studies::sweep::SweepOutcome outcome = run(runners);
  EXPECT_EQ(outcome.done, 6U);
  EXPECT_FALSE(outcome.stopped);
  EXPECT_EQ(given.size(), 6U);
  for (const studies::sweep::PreparedPoint& point : points_) EXPECT_EQ(given.count(point.point.arguments), 1U);
  EXPECT_EQ(done(), 6U);
}

TEST_F(SweepRun, APointWhoseRunnerIsLostGoesToAnotherOnce) {
  std::map<std::vector<std::string>, int> tries;
  const std::vector<std::string> unlucky = points_[1].point.arguments, doomed = points_[4].point.arguments;
  ToldRunners runners(2, [&](std::size_t runner, const std::vector<std::string>& arguments) {
    const int attempt = ++tries[arguments];
    const bool ends = arguments == doomed || (arguments == unlucky && attempt == 1);
    return ends ? lost(runner) : went_well(runner);
  });
  const studies::sweep::SweepOutcome outcome = run(runners);
  EXPECT_EQ(tries[unlucky], 2);
  EXPECT_EQ(tries[doomed], 2);
  EXPECT_EQ(outcome.done, 5U);
  ASSERT_EQ(outcome.failed.size(), 1U);
  EXPECT_EQ(outcome.failed[0].position, 4);
  EXPECT_EQ(outcome.failed[0].exit_code, 137);
  EXPECT_EQ(outcome.failed[0].error, "its worker was ended");
}

TEST_F(SweepRun, ThoseWhoAreLeftRunWhatOthersLeave) {
  ToldRunners* told = nullptr;
  ToldRunners runners(3, [&](std::size_t runner, const std::vector<std::string>&) {
    if (runner == 2) return went_well(runner);
    told->end(runner);
    return lost(runner);
  });
  told = &runners;
  EXPECT_EQ(run(runners).done, 6U);
}

TEST_F(SweepRun, GivesUpWhenNobodyIsLeft) {
  ToldRunners* told = nullptr;
  ToldRunners runners(2, [&](std::size_t runner, const std::vector<std::string>&) {
    told->end(runner);
    return lost(runner);
  });
  told = &runners;
  EXPECT_THROW(run(runners), base::SimulationError);
}

TEST_F(SweepRun, StopsWhenItIsTold) {
  ToldRunners runners(1, [&](std::size_t runner, const std::vector<std::string>&) {
    stop_ = true;
    return went_well(runner);
  });
  const studies::sweep::SweepOutcome outcome = run(runners);
  EXPECT_TRUE(outcome.stopped);
  EXPECT_EQ(outcome.done, 1U);
  EXPECT_EQ(done(), 1U);
}

TEST_F(SweepRun, OutputThatIsNoResultHasFailed) {
  ToldRunners runners(1, [&](std::size_t runner, const std::vector<std::string>&) {
    return studies::sweep::PointRunners::Report{runner, false, {0, "hello\n", "", 0}};
  });
  const studies::sweep::SweepOutcome outcome = run(runners);
  ASSERT_EQ(outcome.failed.size(), 6U);
  EXPECT_EQ(outcome.failed[0].error, "it printed no JSON: hello");
  EXPECT_EQ(done(), 0U);
}

}  // namespace
}  // namespace podsim::app
