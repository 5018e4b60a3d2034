// SPDX-License-Identifier: Apache-2.0
#include "app/sweep/slurm_batch.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "studies/store/study_store.h"
#include "tests/app/program.h"

namespace podsim::test {
namespace {

using namespace std::chrono_literals;
using Words = std::vector<std::string>;

constexpr const char* study = R"(metrics = ["time_s"]

[base]
command = "collective"
kind = "all-reduce"
slice = "2x2"

[axes]
bytes = ["4KiB", "64KiB", "1MiB"]
"ici.hop_latency" = { from = "100 ns", to = "700 ns", step = "100 ns" }
)";

TEST(SlurmBatch, IsAnArrayOfShards) {
  app::sweep::SlurmBatch batch;
  batch.name = "links";
  batch.study = "/home/a b/links.toml";
  batch.folder = "/shared/links";
  batch.program = "/usr/bin/podsim";
  batch.tasks = 16;
  EXPECT_EQ(app::sweep::array_script(batch), R"(#!/bin/bash
#SBATCH --job-name=links
#SBATCH --ntasks=1
#SBATCH --output=/shared/links/slurm-%A_%a.out
#SBATCH --array=0-15

exec /usr/bin/podsim sweep '/home/a b/links.toml' -o /shared/links -j "${SLURM_CPUS_PER_TASK:-1}" \
  --shard "$((SLURM_ARRAY_TASK_ID + 1))/$SLURM_ARRAY_TASK_COUNT"
)");
  EXPECT_EQ(app::sweep::finish_script(batch), R"(#!/bin/bash
#SBATCH --job-name=links-finish
#SBATCH --ntasks=1
#SBATCH --output=/shared/links/slurm-%j.out

exec /usr/bin/podsim sweep '/home/a b/links.toml' -o /shared/links -j "${SLURM_CPUS_PER_TASK:-1}"
)");
}

/// By the rules that sbatch -vvv shows it follows: blanks end a word outside of quotes, a backslash keeps the next
/// character, and %% in a name is a %.
TEST(SlurmBatch, QuotesWhatSbatchWouldCut) {
  app::sweep::SlurmBatch batch;
  batch.name = "my links";
  batch.study = "links";
  batch.folder = "/shared/the \"boss's\" #1 50%";
  batch.program = "/usr/bin/podsim";
  const std::string script = app::sweep::array_script(batch);
  EXPECT_NE(script.find("#SBATCH --job-name=\"my links\"\n"), std::string::npos) << script;
  EXPECT_NE(script.find("#SBATCH --output=\"/shared/the \\\"boss's\\\" #1 50%%/slurm-%A_%a.out\"\n"), std::string::npos)
      << script;
}

TEST(SlurmBatch, TellsTasksWhatTheSweepIsTold) {
  app::sweep::SlurmBatch batch;
  batch.rerun = true;
  batch.timeout_s = 600;
  for (const std::string& script : {app::sweep::array_script(batch), app::sweep::finish_script(batch)}) {
    EXPECT_NE(script.find(" --rerun --timeout 600 -j "), std::string::npos) << script;
  }
}

/// Points done under the study's earlier text are available to the tasks, which do not convert them themselves.
TEST(SlurmBatch, TakesOverPointsOfAnEarlierText) {
  const Folder folder;
  folder.write("links.toml", study);
  ASSERT_EQ(folder.run({"sweep", "links.toml"}).code, 0);
  std::string longer = study;
  longer.replace(longer.find("\"1MiB\"]"), 7, "\"1MiB\", \"2MiB\"]");
  folder.write("links.toml", longer);
  ASSERT_EQ(folder.run({"sweep", "links.toml", "--shard", "1/1"}).code, 2);
  ASSERT_EQ(folder.run({"sweep", "links.toml", "--emit", "slurm"}).code, 0);
  const Outcome outcome = folder.run({"sweep", "links.toml", "--shard", "1/1"});
  EXPECT_NE(outcome.out.find("28 points: 7 done, 21 done before"), std::string::npos) << outcome.out << outcome.err;
}

TEST(SlurmBatch, RefusesAFolderOfTwoLines) {
  const Folder folder;
  folder.write("s.toml", study);
  const Outcome outcome = folder.run({"sweep", "s.toml", "--emit", "slurm", "-o", "two\nlines"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("line break"), std::string::npos) << outcome.err;
}

TEST(SlurmBatch, HasNoJson) {
  const Folder folder;
  folder.write("s.toml", study);
  const Outcome outcome = folder.run({"sweep", "s.toml", "--emit", "slurm", "--json"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "s")) << outcome.out;
}

/// Runs the script in a shell, with the variables of an array set as SLURM sets them.
TEST(SlurmBatch, RunsEveryPointOnceWhenEveryTaskRuns) {
  const Folder folder;
  folder.write("s.toml", study);
  const Outcome emitted = folder.run({"sweep", "s.toml", "--emit", "slurm", "--tasks", "3", "-o", "array"});
  ASSERT_EQ(emitted.code, 0) << emitted.err;
  EXPECT_NE(emitted.out.find("21 points in an array of 3 tasks"), std::string::npos) << emitted.out;
  setenv("SLURM_ARRAY_TASK_COUNT", "3", 1);
  for (const char* task : {"0", "1", "2"}) {
    setenv("SLURM_ARRAY_TASK_ID", task, 1);
    const Outcome outcome = Child(folder, {"array/s.sbatch"}, "/bin/bash").wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("7 points: 7 done"), std::string::npos) << outcome.out;
  }
  unsetenv("SLURM_ARRAY_TASK_ID");
  const Outcome finished = Child(folder, {"array/s-finish.sbatch"}, "/bin/bash").wait();
  EXPECT_NE(finished.out.find("21 points: 0 done, 21 done before"), std::string::npos) << finished.out;
  ASSERT_EQ(folder.run({"sweep", "s.toml", "-j", "1", "-o", "one"}).code, 0);
  EXPECT_EQ(studies::store::study_content(folder.path() / "array/s.sqlite"),
            studies::store::study_content(folder.path() / "one/s.sqlite"));
}

/// A cluster of this host alone: munged, slurmctld and slurmd with files in a separate folder.
class Cluster {
 public:
  explicit Cluster(const Folder& folder) : folder_(folder) {}
  ~Cluster() {
    for (auto daemon = daemons_.rbegin(); daemon != daemons_.rend(); ++daemon) (*daemon)->send(SIGTERM);
    std::this_thread::sleep_for(500ms);
  }

  /// Why there is none; "" when it is up.
  std::string start() {
    if (geteuid() != 0) return "slurmd wants to be root";
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "sinfo", "dd"}) {
      if (find_program(name).empty()) return std::string("there is no ") + name;
    }
    const std::string at = folder_.path().string();
    run("dd", {"if=/dev/urandom", "of=" + at + "/munge.key", "bs=1024", "count=1", "status=none"});
    std::filesystem::permissions(folder_.path() / "munge.key", std::filesystem::perms(0400));
    std::filesystem::permissions(folder_.path(), std::filesystem::perms(0755));
    begin("munged",
          {"--foreground", "--force", "--key-file=" + at + "/munge.key", "--socket=" + at + "/munge.socket",
           "--pid-file=" + at + "/munged.pid", "--log-file=" + at + "/munged.log", "--seed-file=" + at + "/seed"});
    folder_.write("slurm.conf", configuration(at));
    folder_.write("cgroup.conf", "CgroupPlugin=cgroup/v1\nConstrainCores=no\n");
    std::filesystem::create_directories(folder_.path() / "state");
    std::filesystem::create_directories(folder_.path() / "spool");
    setenv("SLURM_CONF", (at + "/slurm.conf").c_str(), 1);
    begin("slurmctld", {"-D", "-c", "-f", at + "/slurm.conf"});
    begin("slurmd", {"-D", "-c", "-f", at + "/slurm.conf"});
    for (int i = 0; i < 150; ++i) {
      if (run("sinfo", {"-h", "-o", "%T"}).out.find("idle") != std::string::npos) return "";
      std::this_thread::sleep_for(200ms);
    }
    return "slurmctld and slurmd do not come up here: " + folder_.read("slurmd.log") + folder_.read("slurmctld.log");
  }

  Outcome run(const std::string& name, const Words& words) const {
    return Child(folder_, words, find_program(name)).wait();
  }

 private:
  static std::string configuration(const std::string& at) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    const std::string name = host.data();
    return "ClusterName=test\nSlurmctldHost=" + name + "(127.0.0.1)\nAuthType=auth/munge\nAuthInfo=socket=" + at +
           "/munge.socket\nCryptoType=crypto/munge\nSlurmUser=root\nStateSaveLocation=" + at +
           "/state\nSlurmdSpoolDir=" + at + "/spool\nSlurmctldPidFile=" + at + "/ctld.pid\nSlurmdPidFile=" + at +
           "/slurmd.pid\nSlurmctldLogFile=" + at + "/slurmctld.log\nSlurmdLogFile=" + at +
           "/slurmd.log\nSlurmctldPort=46817\nSlurmdPort=46818\nProctrackType=proctrack/linuxproc\nTaskPlugin=task/"
           "none\n"
           "SwitchType=switch/none\nMpiDefault=none\nReturnToService=2\nSchedulerType=sched/backfill\n"
           "SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nJobAcctGatherType=jobacct_gather/none\n"
           "AccountingStorageType=accounting_storage/none\nNodeName=" +
           name + " NodeAddr=127.0.0.1 CPUs=" + std::to_string(std::max(1U, std::thread::hardware_concurrency())) +
           " State=UNKNOWN\nPartitionName=all Nodes=" + name + " Default=YES MaxTime=INFINITE State=UP\n";
  }

  void begin(const std::string& name, const Words& words) {
    homes_.push_back(std::make_unique<Folder>());
    daemons_.push_back(std::make_unique<Child>(*homes_.back(), words, find_program(name)));
  }

  const Folder& folder_;
  std::vector<std::unique_ptr<Folder>> homes_;  ///< the output of a child is next to its folder
  std::vector<std::unique_ptr<Child>> daemons_;
};

/// The batch as a user submits it.
TEST(SlurmBatch, IsRunByACluster) {
  const Folder folder;
  Cluster cluster(folder);
  if (const std::string reason = cluster.start(); !reason.empty()) GTEST_SKIP() << reason;
  folder.write("s.toml", study);
  const std::string array = "an array's 100%";
  ASSERT_EQ(folder.run({"sweep", "s.toml", "--emit", "slurm", "--tasks", "3", "-o", array}).code, 0);
  const Outcome submitted = cluster.run("sbatch", {"--parsable", array + "/s.sbatch"});
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  const std::string job = submitted.out.substr(0, submitted.out.find('\n'));
  const Outcome finish = cluster.run("sbatch", {"--wait", "--dependency=afterany:" + job, array + "/s-finish.sbatch"});
  EXPECT_EQ(finish.code, 0) << finish.err << folder.read("slurmctld.log");
  EXPECT_TRUE(std::filesystem::exists(folder.path() / array / ("slurm-" + job + "_0.out"))) << "job " << job;
  ASSERT_EQ(folder.run({"sweep", "s.toml", "-j", "1", "-o", "one"}).code, 0);
  EXPECT_EQ(studies::store::study_content(folder.path() / array / "s.sqlite"),
            studies::store::study_content(folder.path() / "one/s.sqlite"));
}

}  // namespace
}  // namespace podsim::test
