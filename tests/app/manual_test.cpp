// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/app/interactive_shell.h"
#include "tests/app/program.h"

namespace podsim {
namespace {

class Manual : public ::testing::Test {
 protected:
  Manual() {
    const test::Outcome outcome = folder.run({"man"});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    page = outcome.out;
    folder.write("podsim.1", page);
  }
  /// A checker's complaints about the page; std::nullopt if the checker is not installed.
  std::optional<std::string> complaints(const std::string& program, const std::string& arguments) const {
    const auto found = test::run_shell(folder, {"sh", "-c", "command -v " + program});
    if (!found || found->empty()) return std::nullopt;
    return test::run_shell(folder, {"sh", "-c", program + " " + arguments});
  }

  test::Folder folder;
  std::string page;
};

TEST_F(Manual, HasNothingThatMandocWarnsOf) {
  const auto found = complaints("mandoc", "-T lint -W warning podsim.1 2>&1");
  if (!found) GTEST_SKIP() << "no mandoc";
  EXPECT_EQ(*found, "");
}

TEST_F(Manual, HasNothingThatManWarnsOf) {
  const auto found = complaints("man", "--warnings=w -E UTF-8 -l -Tutf8 -Z podsim.1 2>&1 >/dev/null");
  if (!found) GTEST_SKIP() << "no man";
  EXPECT_EQ(*found, "");
}

TEST_F(Manual, HasTheSectionsOfAManual) {
  for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "\"EXIT STATUS\"", "ENVIRONMENT", "FILES",
                              "EXAMPLES", "\"SEE ALSO\""}) {
    const std::string bare = std::regex_replace(std::string(section), std::regex("\""), "");
    EXPECT_NE(page.find("\n.SH " + bare + "\n"), std::string::npos) << section;
  }
}

/// Every flag that a help text shows is a head of the page, with its form.
TEST_F(Manual, HasEveryFlagThatHelpShows) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{"run"},
                                                  {"compare"},
                                                  {"kernel", "matmul"},
                                                  {"hlo", "partition"},
                                                  {"calibrate", "core"}}) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    const std::string help = folder.run(words).out;
    const std::regex flag("\n  (?:-.,)?--([a-z-]+)");
    for (auto at = std::sregex_iterator(help.begin(), help.end(), flag); at != std::sregex_iterator(); ++at) {
      if ((*at)[1] == "help") continue;
      const std::string escaped = std::regex_replace((*at)[1].str(), std::regex("-"), "\\-");
      EXPECT_NE(page.find("\\fB\\-\\-" + escaped + "\\fR"), std::string::npos) << (*at)[1];
    }
  }
}

TEST_F(Manual, IsTheSameEveryTime) { EXPECT_EQ(folder.run({"man"}).out, page); }

}  // namespace
}  // namespace podsim
