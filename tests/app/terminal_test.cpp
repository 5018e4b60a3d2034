// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/app/program.h"

namespace podsim {
namespace {

struct Environment {
  const char* no_color = nullptr;  ///< unset
};

/// Runs the program on a separate terminal. Returns what it shows until it ends, or until `enough` is shown and it is
/// interrupted.
std::string on_terminal(std::vector<std::string> words, Environment environment, const std::string& enough = "") {
  const test::Folder folder;
  int terminal = -1;
  pid_t id = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (id == 0) {
    unsetenv("NO_COLOR");
    if (environment.no_color != nullptr) setenv("NO_COLOR", environment.no_color, 1);
    words.insert(words.begin(), PODSIM_PROGRAM);
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    if (chdir(folder.path().c_str()) == 0) execv(PODSIM_PROGRAM, pointers.data());
    _exit(127);
  }
  std::string shown;
  std::array<char, 4096> chunk{};
  bool interrupted = enough.empty();
  // Reading fails once the program has closed the terminal.
  for (ssize_t size = 0; (size = read(terminal, chunk.data(), chunk.size())) > 0;) {
    shown.append(chunk.data(), std::size_t(size));
    if (!interrupted && shown.find(enough) != std::string::npos) {
      kill(id, SIGINT);
      interrupted = true;
    }
  }
  close(terminal);
  waitpid(id, nullptr, 0);
  return shown;
}

constexpr const char* red = "\033[1;31m";

TEST(Terminal, ShowsErrorsInColour) { EXPECT_NE(on_terminal({"rnu"}, {}).find(red), std::string::npos); }

TEST(Terminal, ShowsErrorsWithoutColourWhereNoColorIsSet) {
  const std::string shown = on_terminal({"rnu"}, {.no_color = "1"});
  EXPECT_NE(shown.find("'rnu'"), std::string::npos);
  EXPECT_EQ(shown.find('\033'), std::string::npos);
}

TEST(Terminal, ShowsErrorsInColourWhereNoColorIsEmpty) {
  EXPECT_NE(on_terminal({"rnu"}, {.no_color = ""}).find(red), std::string::npos);
}

TEST(Terminal, ShowsHowFarALongRunIsAndClearsTheLineAtItsEnd) {
  const std::string shown = on_terminal(
      {"run", "resnet50", "--slice", "2x2", "--batch-per-core", "1", "--detail", "tile", "--steps", "1000000"}, {},
      " left");
  const std::size_t bar = shown.find("simulating ");
  ASSERT_NE(bar, std::string::npos);
  const std::size_t result = shown.find("step time");
  ASSERT_NE(result, std::string::npos) << "the interrupted run keeps its results";
  EXPECT_LT(bar, result);
  EXPECT_EQ(shown.find("simulating ", result), std::string::npos);
  EXPECT_NE(shown.rfind("\r\033[K", result), std::string::npos);
}

}  // namespace
}  // namespace podsim
