// SPDX-License-Identifier: Apache-2.0
#include "app/usage_error.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

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
    const base::Diagnostic said = app::usage_diagnostic(program, error, {"podsim-mpi", "sweep", "-j"});
    EXPECT_EQ(said.hint, "see 'podsim-mpi sweep --help'");
  }
}

}  // namespace
}  // namespace podsim::test
