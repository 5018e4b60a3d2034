// SPDX-License-Identifier: Apache-2.0
#include "studies/search/step_search.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

#include "base/host/interrupt.h"
#include "studies/search/search_report.h"
#include "tests/app/program.h"
#include "tests/sw/plans/trained_layer.h"
#include "tests/sw/target_machines.h"

namespace podsim::studies::search {
namespace {

using Words = std::vector<std::string>;

/// Runners that answer in an order of their own.
class AnsweringRunners : public sweep::PointRunners {
 public:
  using Answer = std::function<std::string(const Words& words)>;  ///< JSON; empty: it fails

  AnsweringRunners(std::size_t count, Answer answer) : count_(count), answer_(std::move(answer)) {}

  std::size_t size() const override { return count_; }
  bool usable(std::size_t /*runner*/) const override { return true; }
  void give(std::size_t runner, const sweep::PointTask& task) override { given_.push_back({runner, task.arguments}); }
  std::vector<Report> wait() override {
    if (given_.empty()) return {};
    const auto [runner, words] = given_.back();  // the last one first
    given_.pop_back();
    ran.push_back(words);
    const std::string json = answer_(words);
    if (json.empty()) return {{runner, false, {2, "", "--x: error: out of memory: it needs more", 0}}};
    return {{runner, false, {0, json, "", 0}}};
  }

  std::vector<Words> ran;

 private:
  std::size_t count_;
  Answer answer_;
  std::deque<std::pair<std::size_t, Words>> given_;
};

bool has(const Words& words, const std::string& word) { return std::ranges::find(words, word) != words.end(); }

/// A step of 100 s, which flags shorten or lengthen by factors; with two of them it does not fit.
std::string flags_answer(const Words& words) {
  double step = 100;
  if (has(words, "collectives")) step *= 0.8;
  if (has(words, "auto")) step *= 0.5;
  if (has(words, "--windowed-einsum")) step *= 3;
  if (has(words, "dots")) step *= 0.9;
  if (has(words, "layer")) return "";
  return fmt::format(R"({{"step_time_s": {}, "wall_s": {}}})", step, words.size());
}

class StepSearchTest : public ::testing::Test {
 protected:
  SearchOutcome search(AnsweringRunners& runners, const std::filesystem::path& database) {
    VisitedStore store(database, {.command = "podsim run x", .content = "c"});
    question_.folder = folder_.path();
    return search_step(question_, store, runners, stop_, [](double) {});
  }

  test::Folder folder_;
  std::atomic<bool> stop_ = false;
  SearchQuestion question_{.step = {"run", "x"}, .choices = flag_choices({"run", "x"}), .objective = {}, .points = 40};
};

// The gains are independent, so the best is all that gain: 100 * 0.8 * 0.5 * 0.9.
TEST_F(StepSearchTest, TakesAllFlagsThatGain) {
  AnsweringRunners runners(2, flags_answer);
  const SearchOutcome outcome = search(runners, folder_.path() / "a.sqlite");
  ASSERT_TRUE(outcome.best);
  EXPECT_DOUBLE_EQ(*outcome.visits[*outcome.best].value, 1 / 36.0);
  const std::vector<OneChange> changes = changes_from_best(question_, outcome);
  const auto off = std::ranges::find(changes, "--overlap none", &OneChange::name);
  ASSERT_NE(off, changes.end());
  EXPECT_NEAR(ratio(*outcome.visits[off->visit].value, *outcome.visits[*outcome.best].value), 0.8, 1e-12);
}

TEST_F(StepSearchTest, VisitsTheSamePointsWhateverTheRunners) {
  AnsweringRunners one(1, flags_answer), four(4, flags_answer);
  const SearchOutcome alone = search(one, folder_.path() / "one.sqlite");
  const SearchOutcome together = search(four, folder_.path() / "four.sqlite");
  EXPECT_EQ(search_json(question_, alone), search_json(question_, together));
}

// Ended behind any number of points and begun again, a search runs the rest and gives the same answer.
TEST_F(StepSearchTest, GoesOnWhereItEnded) {
  AnsweringRunners whole(1, flags_answer);
  const auto expected = search_json(question_, search(whole, folder_.path() / "whole.sqlite"));
  for (std::size_t ends = 1; ends < whole.ran.size(); ++ends) {
    const std::filesystem::path database = folder_.path() / fmt::format("{}.sqlite", ends);
    std::size_t done = 0;
    AnsweringRunners first(1, [&](const Words& words) {
      stop_ = ++done == ends;
      return flags_answer(words);
    });
    EXPECT_THROW(search(first, database), base::host::Interrupted);
    stop_ = false;
    AnsweringRunners second(1, flags_answer);
    EXPECT_EQ(search_json(question_, search(second, database)), expected);
    EXPECT_EQ(first.ran.size() + second.ran.size(), whole.ran.size());
  }
}

TEST_F(StepSearchTest, ADatabaseOfAnotherSearchIsRefused) {
  const std::filesystem::path database = folder_.path() / "a.sqlite";
  const VisitedStore first(database, {.command = "podsim run x", .content = "c"});
  EXPECT_THROW(VisitedStore(database, {.command = "podsim run y", .content = "c"}), base::InputError);
  EXPECT_THROW(VisitedStore(database, {.command = "podsim run x", .content = "d"}), base::InputError);
}

TEST_F(StepSearchTest, APointThatBreaksALimitIsNotTheBest) {
  question_.objective.limits = {{.metric = plan::find_metric("run", "step_time_s"), .limit = 50, .at_most = false}};
  AnsweringRunners runners(1, flags_answer);
  const SearchOutcome outcome = search(runners, folder_.path() / "a.sqlite");
  ASSERT_TRUE(outcome.best);
  EXPECT_GE(outcome.visits[*outcome.best].trial.figures["step_time_s"].get<double>(), 50);
}

// With more points, or a time limit that it did not keep, a search goes on in its database.
TEST_F(StepSearchTest, GoesOnWithMorePoints) {
  const std::filesystem::path database = folder_.path() / "a.sqlite";
  question_.points = 5;
  AnsweringRunners few(1, flags_answer);
  search(few, database);
  question_.points = 40;
  AnsweringRunners more(1, flags_answer), whole(1, flags_answer);
  const auto went_on = search_json(question_, search(more, database));
  EXPECT_EQ(went_on, search_json(question_, search(whole, folder_.path() / "whole.sqlite")));
  EXPECT_EQ(few.ran.size() + more.ran.size(), whole.ran.size());
}

/// With the judge's words steps seem to be half as long, and "auto" to be the best; whole, "auto" is the worst.
std::string judged_answer(const Words& words) {
  if (has(words, "judged"))
    return fmt::format(R"({{"step_time_s": {}}})", has(words, "auto") ? 10 : has(words, "dots") ? 40 : 50);
  return fmt::format(R"({{"step_time_s": {}}})", has(words, "auto") ? 200 : has(words, "dots") ? 90 : 100);
}

TEST_F(StepSearchTest, TheBestByAJudgeIsNoWorseThanTheGivenStepWhenItRunsWhole) {
  question_.judge = {"judged"};
  question_.choices = {{.name = "a", .of = {{"none", {}}, {"auto", {"auto"}}}},
                       {.name = "b", .of = {{"none", {}}, {"dots", {"dots"}}}}};
  AnsweringRunners runners(1, judged_answer);
  const SearchOutcome outcome = search(runners, folder_.path() / "a.sqlite");
  for (const Visit& visit : outcome.visits) EXPECT_NE(visit.command.find("judged"), std::string::npos);
  ASSERT_EQ(outcome.whole.size(), 2U);
  for (const Visit& visit : outcome.whole) EXPECT_EQ(visit.command.find("judged"), std::string::npos);
  EXPECT_EQ(outcome.whole[0].trial.figures["step_time_s"], 100);
  EXPECT_EQ(outcome.whole[1].trial.figures["step_time_s"], 90);
  EXPECT_EQ(outcome.visits[*outcome.best].trial.figures["step_time_s"], 40);
  AnsweringRunners none(1, judged_answer);
  EXPECT_EQ(search_json(question_, search(none, folder_.path() / "a.sqlite")), search_json(question_, outcome));
  EXPECT_TRUE(none.ran.empty());
}

// A way that does not end whole is the judge's answer only if the judge finds it better than the given step.
TEST_F(StepSearchTest, AWayThatDoesNotEndWholeIsTheBestOnlyIfTheJudgeSaysSo) {
  question_.judge = {"judged"};
  question_.choices = {{.name = "a", .of = {{"none", {}}, {"auto", {"auto"}}}}};
  for (const bool is_better : {false, true}) {
    AnsweringRunners runners(1, [&](const Words& words) {
      if (!has(words, "judged")) return std::string(has(words, "auto") ? "" : R"({"step_time_s": 100})");
      return fmt::format(R"({{"step_time_s": {}}})", has(words, "auto") == is_better ? 40 : 50);
    });
    const SearchOutcome outcome = search(runners, folder_.path() / (is_better ? "better.sqlite" : "worse.sqlite"));
    EXPECT_EQ(*outcome.best, is_better ? 1U : 0U);
    ASSERT_EQ(outcome.whole.size(), is_better ? 2U : 1U);
    if (is_better) {
      EXPECT_FALSE(outcome.whole[1].value);
    }
    EXPECT_FALSE(outcome.proven);
  }
}

// The oracle is the whole space: whatever numbers steps take above their bounds, what is said to be proven is the best.
TEST_F(StepSearchTest, WhatIsProvenIsTheBestOfAll) {
  const sw::TargetMachine& machine = sw::the_tpu_v3();
  ShardingCandidates shardings(sw::plans::trained_layer(64), machine, noc::Topology({2, 1}, {false, false}), {});
  ASSERT_TRUE(shardings.ranked().all);
  std::map<std::string, double> steps;  // by file
  double least = 1;
  for (const sw::plans::RankedPlan& plan : shardings.ranked().plans) {
    const double bound = shardings.least_step_s(plan.plan, false);
    const double step =
        bound * (1.01 + 0.02 * double(std::hash<std::string>()(sw::plans::to_string(plan.plan)) % 97) / 97);
    steps[shardings.write(plan.plan, folder_.path()).string()] = step;
    least = std::min(least, step);
  }
  question_.shardings = &shardings;
  question_.choices.clear();
  question_.points = steps.size() + 1;
  AnsweringRunners runners(1, [&](const Words& words) {
    return fmt::format(R"({{"step_time_s": {}}})", words.size() > 2 ? steps.at(words.back()) : 1.0);
  });
  const SearchOutcome outcome = search(runners, folder_.path() / "a.sqlite");
  EXPECT_TRUE(outcome.proven);
  EXPECT_LT(runners.ran.size(), steps.size());
  EXPECT_LE(outcome.visits[*outcome.best].trial.figures["step_time_s"].get<double>(), least * 1.001);
}

}  // namespace
}  // namespace podsim::studies::search
