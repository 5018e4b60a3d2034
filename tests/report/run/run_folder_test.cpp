// SPDX-License-Identifier: Apache-2.0
#include "report/run/run_folder.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>

#include "base/diagnostic.h"

namespace podsim::report::run {
namespace {

namespace fs = std::filesystem;

/// A folder with a run of two steps written by hand.
class RunFolderTest : public ::testing::Test {
 protected:
  RunFolderTest() : root_(::testing::TempDir() + "run-folder-" + std::to_string(getpid())) {
    fs::create_directories(root_ / "first");
    write("manifest.json", R"({"schema_version": 1, "program": "podsim 0.1.0"})");
    write("stats.json", R"({"schema_version": 1, "steps": 2, "step_time_ps": 5000000123})");
    write("machine.toml", "[core]\nclock = \"940 MHz\"  # published: ISCA23\n");
    write("ops.csv",
          "Category,HLO op,TF op,#Occurrences,Avg. self time (us),Total self time (us),Bound by\n"
          "fusion,%a = f32[2] fusion(),layer/a,4,750.000041,3000.000165,HBM\n"
          "infeed,%b = f32[2] infeed(),infeed,2,1000,2000,host\n");
  }
  ~RunFolderTest() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    std::ofstream(root_ / "first" / file, std::ios::binary) << text;
  }
  std::string refused(const fs::path& folder) const {
    try {
      read_run_folder(folder);
    } catch (const base::InputError& error) {
      return base::format(error.diagnostics().front());
    }
    return "read";
  }

  fs::path root_;
};

TEST_F(RunFolderTest, HasWhatItsFilesSay) {
  const RunFolder run = read_run_folder(root_ / "first");
  EXPECT_EQ(run.steps, 2);
  EXPECT_EQ(run.step_time, base::Time(5000000123));
  EXPECT_EQ(run.manifest["program"], "podsim 0.1.0");
  ASSERT_EQ(run.ops.size(), 2U);
  EXPECT_EQ(run.ops[0].tf_op, "layer/a");
  EXPECT_EQ(run.ops[0].bound_by, "HBM");
  ASSERT_EQ(run.machine.size(), 1U);
  EXPECT_EQ(run.machine[0].source, "ISCA23");
}

TEST_F(RunFolderTest, AnOpsTimeInAStepIsItsTotalOverTheSteps) {
  const RunFolder run = read_run_folder(root_ / "first");
  // 3000.000165 us in two steps: 1500000082.5 ps, where the average of four would give 1500000082.
  EXPECT_EQ(run.time_per_step(run.ops[0]), base::Time(1500000083));
  EXPECT_EQ(run.executions(run.ops[0]), 2);
  EXPECT_EQ(run.time_per_step(run.ops[1]), base::Time(1000000000));
}

TEST_F(RunFolderTest, ARunThatWasStoppedInItsFirstStepHasOneOfEach) {
  write("stats.json", R"({"schema_version": 1, "steps": 0, "step_time_ps": 0})");
  const RunFolder run = read_run_folder(root_ / "first");
  EXPECT_EQ(run.time_per_step(run.ops[1]), base::Time(1000000000));
  EXPECT_EQ(run.executions(run.ops[1]), 1);
}

TEST_F(RunFolderTest, AMistypedNameGetsTheNearestRun) {
  EXPECT_NE(refused(root_ / "frist").find("did you mean '" + (root_ / "first").string()), std::string::npos);
  EXPECT_EQ(refused(root_ / "zzzzzzzz").find("did you mean"), std::string::npos);
}

TEST_F(RunFolderTest, AFolderAboveOrAFileWithinIsNotTheRun) {
  EXPECT_NE(refused(root_).find("there is a run in '" + (root_ / "first").string()), std::string::npos);
  EXPECT_NE(refused(root_ / "first" / "ops.csv").find("did you mean '" + (root_ / "first").string()),
            std::string::npos);
}

TEST_F(RunFolderTest, AnotherSchemaIsNamed) {
  write("stats.json", R"({"schema_version": 2, "steps": 2, "step_time_ps": 5})");
  EXPECT_NE(refused(root_ / "first").find("schema_version 2, this podsim reads 1"), std::string::npos);
}

TEST_F(RunFolderTest, DamagedFilesArePointedAt) {
  write("stats.json", "{\"schema_version\": 1,\n \"steps\": 2, \"step_ti");
  EXPECT_NE(refused(root_ / "first").find("stats.json:2:"), std::string::npos) << refused(root_ / "first");
  write("stats.json", R"({"schema_version": 1, "steps": 2})");
  EXPECT_NE(refused(root_ / "first").find("no number 'step_time_ps'"), std::string::npos);
  write("stats.json", "[]");
  EXPECT_NE(refused(root_ / "first").find("no number 'schema_version'"), std::string::npos);
  fs::remove(root_ / "first" / "stats.json");
  EXPECT_NE(refused(root_ / "first").find("cannot read"), std::string::npos);
}

}  // namespace
}  // namespace podsim::report::run
