// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iostream>
#include <optional>
#include <random>
#include <thread>

#include "studies/store/sqlite_database.h"
#include "studies/store/study_store.h"
#include "tests/app/comes_true.h"
#include "tests/app/program.h"

/// Sweeps that are ended from outside, at any moment and in any part.
namespace podsim::test {
namespace {

using namespace std::chrono_literals;

constexpr const char* quick_study = R"(title = "Quick points"
question = "What is left of a sweep that is killed?"
metrics = ["time_s"]

[base]
command = "collective"
kind = "all-reduce"
slice = "2x2"

[axes]
bytes = ["4KiB", "64KiB", "1MiB"]
"ici.hop_latency" = { from = "50 ns", to = "950 ns", step = "50 ns" }
"ici.link_rate" = ["328 Gb/s", "656 Gb/s"]
)";
constexpr std::size_t quick_points = 3 * 19 * 2;

std::vector<pid_t> children_of(pid_t process) {
  const std::string id = std::to_string(process);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; list >> child;) children.push_back(child);
  return children;
}

std::vector<pid_t> descendants_of(pid_t process) {
  std::vector<pid_t> all = children_of(process);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::vector<pid_t> more = children_of(all[i]);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

/// False also for a process that has ended but has not been waited for.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string id, name, state;
  return file >> id >> name >> state && state != "Z" && state != "X";
}

class SweepKill : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("quick.toml", quick_study); }

  std::filesystem::path database(const std::string& name) const { return folder_.path() / name / "quick.sqlite"; }

  std::size_t lines(const std::string& name) const {
    const std::string text = folder_.read(name + "/quick.jsonl");
    return std::size_t(std::ranges::count(text, '\n'));
  }

  std::string undisturbed() {
    const Outcome outcome = folder_.run({"sweep", "quick.toml", "-j", "2", "-o", "undisturbed"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(lines("undisturbed"), quick_points);
    return studies::store::study_content(database("undisturbed"));
  }

  void expect_whole_database(const std::string& name) const {
    const studies::store::SqliteDatabase opened(database(name), studies::store::SqliteDatabase::Access::read);
    studies::store::SqliteStatement check = opened.prepare("PRAGMA integrity_check");
    ASSERT_TRUE(check.step());
    EXPECT_EQ(check.text(0), "ok");
  }

  Folder folder_;
};

/// The sweep itself, one of its workers, or the process of a point.
enum class Victim { sweep, worker, point };

std::optional<pid_t> find(Victim victim, pid_t sweep) {
  if (victim == Victim::sweep) return sweep;
  for (pid_t worker : children_of(sweep)) {
    if (victim == Victim::worker) return worker;
    for (pid_t point : children_of(worker)) return point;
  }
  return std::nullopt;
}

TEST_F(SweepKill, TwentyKillsLeaveTheContentOfAnUndisturbedRun) {
  constexpr unsigned seed = 7;
  std::cout << "seed " << seed << "\n";
  std::mt19937 random(seed);
  const std::string expected = undisturbed();
  int kills = 0, rounds = 0;
  while (kills < 20) {
    ASSERT_LT(++rounds, 60) << "the study is done before it could be killed";
    Child sweep(folder_, {"sweep", "quick.toml", "-j", "2", "-o", "killed"});
    const std::size_t target = lines("killed") + random() % 3;
    comes_true([&] { return lines("killed") >= target || !sweep.running(); });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 3000));
    const auto victim = Victim(random() % 3);
    const std::optional<pid_t> process = find(victim, sweep.id());
    const std::vector<pid_t> others = descendants_of(sweep.id());
    if (process && sweep.running() && kill(*process, SIGKILL) == 0) ++kills;
    if (victim != Victim::sweep) sweep.send(SIGINT);
    const Outcome outcome = sweep.wait();
    EXPECT_TRUE(outcome.code == 128 + SIGKILL || outcome.code == 130 || outcome.code == 0 || outcome.code == 3)
        << outcome.code << outcome.err;
    EXPECT_TRUE(comes_true([&] { return std::ranges::none_of(others, runs); })) << "processes outlive their sweep";
  }
  // A point whose process was killed has failed, and is run again.
  const Outcome outcome = folder_.run({"sweep", "quick.toml", "-j", "2", "-o", "killed", "--resume"});
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  EXPECT_TRUE(studies::store::study_content(database("killed")) == expected);
  EXPECT_EQ(folder_.read("killed/quick.jsonl"), folder_.read("undisturbed/quick.jsonl"));
  expect_whole_database("killed");
}

TEST_F(SweepKill, AKilledWorkerCostsNothing) {
  const std::string expected = undisturbed();
  Child sweep(folder_, {"sweep", "quick.toml", "-j", "2", "-o", "killed"});
  ASSERT_TRUE(comes_true([&] { return lines("killed") > 3; }));
  const auto worker = find(Victim::worker, sweep.id());
  ASSERT_TRUE(worker);
  ASSERT_EQ(kill(*worker, SIGKILL), 0);
  EXPECT_EQ(sweep.wait().code, 0);
  EXPECT_TRUE(studies::store::study_content(database("killed")) == expected);
}

TEST_F(SweepKill, AKilledPointHasFailedAndIsRunAgain) {
  const std::string expected = undisturbed();
  Child sweep(folder_, {"sweep", "quick.toml", "-j", "1", "-o", "killed"});
  ASSERT_TRUE(comes_true([&] {
    const auto point = find(Victim::point, sweep.id());
    return point && kill(*point, SIGKILL) == 0;
  }));
  const Outcome outcome = sweep.wait();
  // It may have just printed its result when the signal came.
  if (outcome.code == 3) {
    EXPECT_NE(outcome.out.find("exit code 137"), std::string::npos) << outcome.out;
    EXPECT_NE(folder_.read("killed/quick.jsonl").find("ended by signal 9"), std::string::npos);
  } else {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_EQ(folder_.run({"sweep", "quick.toml", "-j", "1", "-o", "killed"}).code, 0);
  EXPECT_TRUE(studies::store::study_content(database("killed")) == expected);
}

TEST_F(SweepKill, AnInterruptKeepsWhatIsDone) {
  const std::string expected = undisturbed();
  for (int signal : {SIGINT, SIGTERM}) {
    const std::string name = "interrupted" + std::to_string(signal);
    Child sweep(folder_, {"sweep", "quick.toml", "-j", "2", "-o", name});
    ASSERT_TRUE(comes_true([&] { return lines(name) > 2; }));
    const std::vector<pid_t> others = descendants_of(sweep.id());
    sweep.send(signal);
    const Outcome outcome = sweep.wait();
    EXPECT_EQ(outcome.code, 130) << outcome.err;
    EXPECT_NE(outcome.out.find(" left"), std::string::npos) << outcome.out;
    EXPECT_TRUE(comes_true([&] { return std::ranges::none_of(others, runs); }));
    expect_whole_database(name);
    EXPECT_GT(studies::store::points_done(database(name)).size(), 2U);
    EXPECT_LT(studies::store::points_done(database(name)).size(), quick_points);
    EXPECT_EQ(folder_.run({"sweep", "quick.toml", "-o", name, "--resume"}).code, 0);
    EXPECT_TRUE(studies::store::study_content(database(name)) == expected);
  }
}

TEST_F(SweepKill, AShardThatWasKilledIsTakenInByTheNextSweep) {
  const std::string expected = undisturbed();
  {
    Child shard(folder_, {"sweep", "quick.toml", "-o", "killed", "--shard", "1/2"});
    auto shard_lines = [&] {
      const std::string text = folder_.read("killed/shards/1-of-2.jsonl");
      return std::ranges::count(text, '\n');
    };
    ASSERT_TRUE(comes_true([&] { return shard_lines() > 2; }));
    shard.send(SIGKILL);
    shard.wait();
  }
  const Outcome outcome = folder_.run({"sweep", "quick.toml", "-o", "killed"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("done before"), std::string::npos) << outcome.out;
  EXPECT_TRUE(studies::store::study_content(database("killed")) == expected);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "killed/shards")) << "nothing is left of the shards";
}

TEST_F(SweepKill, ASecondSweepOfAFolderIsRefused) {
  const std::string expected = undisturbed();
  Child first(folder_, {"sweep", "quick.toml", "-j", "1", "-o", "shared"});
  ASSERT_TRUE(comes_true([&] { return lines("shared") > 0; }));
  first.send(SIGSTOP);
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--resume"}, {"--shard", "1/2"}}) {
    std::vector<std::string> words = {"sweep", "quick.toml", "-o", "shared"};
    words.insert(words.end(), more.begin(), more.end());
    const Outcome second = folder_.run(words);
    EXPECT_EQ(second.code, 2);
    EXPECT_NE(second.err.find("process " + std::to_string(first.id())), std::string::npos) << second.err;
  }
  first.send(SIGCONT);
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_TRUE(studies::store::study_content(database("shared")) == expected);
}

}  // namespace
}  // namespace podsim::test
