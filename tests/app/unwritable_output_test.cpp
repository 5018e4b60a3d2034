// SPDX-License-Identifier: Apache-2.0
// A full disk costs the file that does not fit on it, and nothing else. /dev/full refuses every write (full(4)).
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim::app {
namespace {

using Words = std::vector<std::string>;

struct Output {
  std::string name;
  Words command;
  std::string flag;
};

std::string without_host_times(const std::string& printed) {
  return std::regex_replace(printed,
                            std::regex("[0-9.e+-]+ s on this host.*|\"(wall|user|compile|simulation_wall)_s\".*"), "");
}

class UnwritableOutput : public ::testing::TestWithParam<Output> {};

TEST_P(UnwritableOutput, LosesNoSummary) {
  const test::Folder folder;
  folder.write("rows.csv",
               "Category,HLO op,#Occurrences,Avg. self time (us)\n"
               "convolution,\"%c = f32[8,8]{1,0} dot(f32[8,8]{1,0} %a, f32[8,8]{1,0} %b), lhs_contracting_dims={1}, "
               "rhs_contracting_dims={0}\",2,1.5\n");
  Words command = GetParam().command;
  const test::Outcome whole = folder.run(command);
  ASSERT_EQ(whole.code, 0) << whole.err;
  command.push_back(GetParam().flag + "=/dev/full");
  const test::Outcome full = folder.run(command);
  EXPECT_EQ(full.code, 2);
  EXPECT_EQ(without_host_times(full.out), without_host_times(whole.out));
  EXPECT_NE(full.err.find("/dev/full': No space left on device"), std::string::npos) << full.err;
}

const Words network_command{"network", "--slice", "2x2", "--load", "0.1"};

INSTANTIATE_TEST_SUITE_P(
    Commands, UnwritableOutput,
    ::testing::Values(
        Output{"run", {"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "--detail", "tile"}, "--vcd"},
        Output{"kernel", {"kernel", "elementwise"}, "--vcd"}, Output{"listing", {"kernel", "elementwise"}, "--listing"},
        Output{"network", network_command, "--vcd"}, Output{"links_csv", network_command, "--links-csv"},
        Output{"links_svg", network_command, "--links-svg"},
        Output{"collective", {"collective", "all-reduce", "--slice", "2x2", "--bytes", "1MiB"}, "--vcd"},
        Output{"ops_csv", {"ops", "rows.csv"}, "--csv"}, Output{"ops_svg", {"ops", "rows.csv"}, "--svg"}),
    [](const auto& output) { return output.param.name; });

TEST(UnwritableWaveform, LosesNoFolder) {
  const test::Folder folder;
  const Words run{"run", "resnet50", "--slice", "1x1", "--batch-per-core", "1", "-o", "r"};
  ASSERT_EQ(folder.run(run).code, 0);
  const Words names = folder.names("r");
  std::filesystem::remove_all(folder.path() / "r");
  Words traced = run;
  traced.emplace_back("--vcd=/dev/full");
  EXPECT_EQ(folder.run(traced).code, 2);
  EXPECT_EQ(folder.names("r"), names);
}

}  // namespace
}  // namespace podsim::app
