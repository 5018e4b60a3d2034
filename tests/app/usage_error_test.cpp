// SPDX-License-Identifier: Apache-2.0
#include "app/command_line/usage_error.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "tests/app/program.h"

namespace podsim::test {
namespace {

/// podsim and podsim-mpi have commands of the same names whose flags differ.
TEST(UsageError, NamesTheProgramWhoseHelpThereIs) {
  CLI::App program;
  program.name("podsim-mpi");
  program.add_subcommand("sweep");
  try {
    program.parse(std::vector<std::string>{"-j", "sweep"});
    FAIL() << "-j is no flag of sweep";
  } catch (const CLI::ParseError& error) {
    const base::Diagnostic said = app::command_line::usage_diagnostic(program, error, {"podsim-mpi", "sweep", "-j"});
    EXPECT_EQ(said.hint, "see 'podsim-mpi sweep --help'");
  }
}

TEST(Usage, NamesWhatStandsBehindACommand) {
  const Folder folder;
  EXPECT_NE(folder.run({"--help"}).out.find("Usage: podsim [FLAGS] COMMAND"), std::string::npos);
  EXPECT_NE(folder.run({"hlo", "--help"}).out.find("COMMAND"), std::string::npos);
  EXPECT_NE(folder.run({"kernel", "--help"}).out.find("KERNEL"), std::string::npos);
}

}  // namespace
}  // namespace podsim::test
