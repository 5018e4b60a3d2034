// SPDX-License-Identifier: Apache-2.0
// Every command with a stdout that is closed, full (/dev/full refuses every write, full(4)), or has lost its reader.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/app/files/shell.h"

namespace podsim::files {
namespace {

/// A line of arguments for every command; files that it needs are those of make_inputs().
const std::map<std::string, std::string>& lines() {
  static const std::map<std::string, std::string> all{
      {"run", "run resnet50 --slice 1x1 --batch-per-core 1 -o made/r --vcd made/w.vcd"},
      {"train", "train resnet50 --slice 2x2 --epochs 40"},
      {"goodput", "goodput resnet50 --slice 2x2 --batch-per-core 1 --seeds 2"},
      {"serve", "serve resnet50 --rate 100/s --requests 20 -o made/served"},
      {"whatif", "whatif resnet50 --slice 1x1 --batch-per-core 1 --svg made/gains.svg"},
      {"search", "search resnet50 --slice 1x1 --batch-per-core 1 --points 2 -o made/search"},
      {"sweep", "sweep study.toml -o made/study"},
      {"kernel", "kernel elementwise --vcd made/k.vcd"},
      {"calibrate", "calibrate core"},
      {"memory", "memory --pattern mixed --bytes 64KiB --vcd made/m.vcd"},
      {"network", "network --slice 2x2 --load 0.1 --links-csv made/links.csv"},
      {"collective", "collective all-reduce --bytes 1MiB --slice 2x2 --vcd made/c.vcd"},
      {"stream", "stream --interactions 10000"},
      {"hlo", "hlo print one.hlo"},
      {"ops", "ops rows.csv --csv made/ops.csv"},
      {"tiles", "tiles kernels.pb"},
      {"levels", "levels perceptron --slice 1x1 --csv made/levels.csv"},
      {"trace", "trace check run/chakra"},
      {"validate", "validate steps"},
      {"report", "report run -o made/page.html"},
      {"compare", "compare run run --csv made/compare.csv"},
      {"describe", "describe"},
      {"completion", "completion bash"},
      {"man", "man"}};
  return all;
}

/// The commands that `podsim --help` lists.
std::set<std::string> commands(const test::Folder& folder) {
  std::istringstream help(folder.run({"--help"}).out);
  std::set<std::string> names;
  bool listed = false;
  for (std::string line; std::getline(help, line);) {
    if (line == "Commands:") listed = true;
    if (line.empty()) listed = false;
    if (listed && line.starts_with("  ") && line[2] != ' ') names.insert(line.substr(2, line.find(' ', 2) - 2));
  }
  return names;
}

void make_inputs(const test::Folder& folder) {
  folder.write("study.toml",
               "metrics = [\"step_time_s\"]\n[base]\nworkload = \"resnet50\"\nslice = \"1x1\"\n"
               "[axes]\nbatch_per_core = [1, 2]\n");
  folder.write("one.hlo", "HloModule m\n\nENTRY %e (a: f32[8]) -> f32[8] {\n  ROOT %a = f32[8] parameter(0)\n}\n");
  folder.write("rows.csv",
               "Category,HLO op,#Occurrences,Avg. self time (us)\n"
               "copy,\"%copy.1 = f32[128,256]{1,0} copy(f32[128,256]{0,1} %x)\",10,2\n");
  folder.write("kernels.pb", "");
  ASSERT_EQ(folder.run({"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "-o", "run", "--chakra"}).code,
            0);
}

/// Names and sizes of all files below the folder.
std::map<std::string, std::uintmax_t> sizes_of_files(const test::Folder& folder) {
  std::map<std::string, std::uintmax_t> all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) all[entry.path().string()] = entry.file_size();
  }
  return all;
}

class StandardOutput : public ::testing::Test {
 protected:
  void SetUp() override { make_inputs(folder); }

  /// The same files are written, with the same sizes, for any state of stdout. Files of a study contain times.
  void expect_same_files(const std::string& command, const std::string& end) {
    std::filesystem::create_directory(folder.path() / "made");
    const test::Outcome whole = test::run_line(folder, "\"$PODSIM\" " + lines().at(command));
    const auto expected = sizes_of_files(folder);
    std::filesystem::remove_all(folder.path() / "made");
    std::filesystem::create_directory(folder.path() / "made");
    outcome = test::run_line(folder, "\"$PODSIM\" " + lines().at(command) + end);
    const auto found = sizes_of_files(folder);
    std::filesystem::remove_all(folder.path() / "made");
    prints = whole.code == 0;
    EXPECT_FALSE(whole.out.empty() && prints) << command;
    for (const auto& [name, size] : expected) EXPECT_TRUE(found.contains(name)) << command << " lacks " << name;
    for (const auto& [name, size] : found) {
      EXPECT_TRUE(expected.contains(name)) << command << " leaves " << name;
      if (command != "sweep" && expected.contains(name)) {
        EXPECT_EQ(size, expected.at(name)) << command << ": " << name;
      }
    }
  }

  test::Folder folder;
  test::Outcome outcome;
  bool prints = false;  ///< whether the command has a result
};

TEST_F(StandardOutput, HasALineForEveryCommand) {
  std::set<std::string> covered;
  for (const auto& [name, line] : lines()) covered.insert(name);
  EXPECT_EQ(commands(folder), covered);
}

TEST_F(StandardOutput, ThatIsClosedIsAnErrorOfEveryCommand) {
  for (const auto& [name, line] : lines()) {
    expect_same_files(name, " >&-");
    EXPECT_EQ(outcome.code, 2) << name;
    if (prints) {
      EXPECT_NE(outcome.err.find("cannot write the result to stdout"), std::string::npos) << name;
    }
  }
}

TEST_F(StandardOutput, ThatIsFullIsAnErrorOfEveryCommand) {
  for (const auto& [name, line] : lines()) {
    expect_same_files(name, " >/dev/full");
    EXPECT_EQ(outcome.code, 2) << name;
    if (prints) {
      EXPECT_NE(outcome.err.find("No space left on device"), std::string::npos) << name;
    }
  }
}

/// The shell's status of a process that SIGPIPE ended is 141. The reader is gone before the program starts.
TEST_F(StandardOutput, WithoutAReaderEndsEveryCommandQuietly) {
  for (const auto& [name, line] : lines()) {
    expect_same_files(name, " | true; exit ${PIPESTATUS:-0}");
    if (prints) {
      EXPECT_EQ(outcome.err, "") << name;
    }
  }
  folder.write("status.sh", "{ sleep 0.2; \"$PODSIM\" describe; echo $? > status; } | true\nsleep 2\n");
  test::run_line(folder, ". ./status.sh");
  EXPECT_EQ(folder.read("status"), "141\n");
}

/// Every subset of descriptors 0 to 2 is closed: printed text ends up in no file, and the files are the same.
TEST_F(StandardOutput, ClosedDescriptorsAreTakenByNoFile) {
  const std::string run = "\"$PODSIM\" run resnet50 --slice 1x1 --batch-per-core 1 --vcd w.vcd -o r";
  ASSERT_EQ(test::run_line(folder, run).code, 0);
  const std::string waveform = folder.read("w.vcd"), stats = folder.read("r/stats.json");
  for (int subset = 1; subset < 8; ++subset) {
    std::filesystem::remove_all(folder.path() / "r");
    std::filesystem::remove(folder.path() / "w.vcd");
    std::string closed;
    if ((subset & 1) != 0) closed += " <&-";
    if ((subset & 2) != 0) closed += " >&-";
    if ((subset & 4) != 0) closed += " 2>&-";
    EXPECT_EQ(test::run_line(folder, run + closed).code, (subset & 2) != 0 ? 2 : 0) << closed;
    EXPECT_EQ(folder.read("w.vcd"), waveform) << closed;
    EXPECT_EQ(folder.read("r/stats.json"), stats) << closed;
  }
}

TEST_F(StandardOutput, ClosedDescriptorsOfASweepAreTakenByNoFile) {
  for (const std::string closed : {" >&-", " 2>&-", " <&- >&- 2>&-"}) {
    test::run_line(folder, "\"$PODSIM\" sweep study.toml -j 2 -o study" + closed);
    EXPECT_EQ(folder.read("study/sweep.lock"), "") << closed;
    EXPECT_EQ(test::run_line(folder, "\"$PODSIM\" report study -o page.html").code, 0) << closed;
    std::filesystem::remove_all(folder.path() / "study");
  }
}

}  // namespace
}  // namespace podsim::files
