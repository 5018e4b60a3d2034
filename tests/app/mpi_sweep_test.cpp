// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "studies/store/study_store.h"
#include "tests/app/comes_true.h"
#include "tests/app/program.h"

/// Sweeps on the ranks of an MPI job.
namespace podsim::test {
namespace {

using Words = std::vector<std::string>;

constexpr const char* mpi_study = R"(metrics = ["time_s"]

[base]
command = "collective"
kind = "all-reduce"
slice = "2x2"

[axes]
bytes = ["4KiB", "64KiB", "1MiB"]
"ici.remote_dma_latency" = { from = "1 us", to = "13 us", step = "100 ns" }
)";
constexpr std::size_t mpi_points = 3 * 121;

// CMake builds it next to podsim where it finds an MPI.
constexpr const char* mpi_program = PODSIM_PROGRAM "-mpi";

bool is_rank(const std::filesystem::path& process, const std::string& rank) {
  std::ifstream file(process / "environ", std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return ("\0" + text).find("OMPI_COMM_WORLD_RANK=" + rank + std::string(1, '\0')) != std::string::npos;
}

pid_t parent_of(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string id, name, state;
  pid_t parent = 0;
  file >> id >> name >> state >> parent;
  return parent;
}

/// The process of a rank that `mpirun` has started; 0 when no such process exists.
pid_t rank_of(pid_t mpirun, const std::string& rank) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (!std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; })) continue;
    if (parent_of(std::stoi(name)) == mpirun && is_rank(entry.path(), rank)) return std::stoi(name);
  }
  return 0;
}

class MpiSweep : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(mpi_program)) GTEST_SKIP() << "built without MPI";
    if (mpirun_.empty()) GTEST_SKIP() << "there is no mpirun";
    if (find_program("ompi_info").empty()) GTEST_SKIP() << "mpirun is not OpenMPI's";
    folder_.write("s.toml", mpi_study);
  }

  Words words(const Words& of_mpirun, const Words& more) const {
    Words all = {"--allow-run-as-root", "--oversubscribe", "-n", "4"};
    all.insert(all.end(), of_mpirun.begin(), of_mpirun.end());
    all.insert(all.end(), {mpi_program, "sweep", "s.toml"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  Outcome mpi(const Words& of_mpirun, const Words& more) const {
    return Child(folder_, words(of_mpirun, more), mpirun_).wait();
  }

  std::string content(const std::string& name) const {
    return studies::store::study_content(folder_.path() / name / "s.sqlite");
  }
  std::size_t lines(const std::string& name) const {
    const std::string text = folder_.read(name + "/s.jsonl");
    return std::size_t(std::ranges::count(text, '\n'));
  }
  std::string content_of_one_process() const {
    const Outcome outcome = folder_.run({"sweep", "s.toml", "-j", "1", "-o", "one"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return content("one");
  }

  /// A job whose rank 2 is killed when the results of some points have been written.
  Outcome with_rank_2_killed(const Words& of_mpirun, const Words& more, const std::string& name) const {
    Child job(folder_, words(of_mpirun, more), mpirun_);
    EXPECT_TRUE(comes_true([&] { return lines(name) >= 5; }));
    const pid_t rank = rank_of(job.id(), "2");
    EXPECT_GT(rank, 0);
    if (rank > 0) kill(rank, SIGKILL);
    return job.wait();
  }

  const std::string mpirun_ = find_program("mpirun");
  Folder folder_;
};

TEST_F(MpiSweep, FindsWhatOneProcessFinds) {
  const Outcome outcome = mpi({}, {"-o", "ranks"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("363 points: 363 done"), std::string::npos) << outcome.out;
  EXPECT_EQ(content("ranks"), content_of_one_process());
}

TEST_F(MpiSweep, RefusesBadInputOnce) {
  folder_.write("s.toml", "metrics = [\"time\"]\n" + std::string(mpi_study).substr(std::string(mpi_study).find('\n')));
  const Outcome outcome = mpi({}, {});
  EXPECT_EQ(outcome.code, 2);
  const std::size_t first = outcome.err.find("did you mean 'time_s'?");
  EXPECT_NE(first, std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("did you mean 'time_s'?", first + 1), std::string::npos) << outcome.err;
}

/// By default mpirun ends the job with its first dead rank; a second job runs the rest.
TEST_F(MpiSweep, GoesOnWhereAJobWithADeadRankEnded) {
  const Outcome killed = with_rank_2_killed({}, {"-o", "ranks"}, "ranks");
  EXPECT_NE(killed.code, 0);
  const Outcome resumed = mpi({}, {"-o", "ranks", "--resume"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(lines("ranks"), mpi_points);
  EXPECT_EQ(content("ranks"), content_of_one_process());
}

TEST_F(MpiSweep, LosesNothingWithARankWhenTheJobGoesOn) {
  const Outcome outcome = with_rank_2_killed({"--enable-recovery"}, {"-o", "ranks", "--rank-timeout", "3"}, "ranks");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(lines("ranks"), mpi_points);
  EXPECT_EQ(content("ranks"), content_of_one_process());
}

}  // namespace
}  // namespace podsim::test
