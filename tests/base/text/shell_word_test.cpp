// SPDX-License-Identifier: Apache-2.0
#include "base/text/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace podsim::base::text {
namespace {

/// The words that sh reads from the text.
std::string read_by_shell(const std::string& text) {
  FILE* shell = popen(("printf '<%s>' " + text).c_str(), "r");
  std::array<char, 256> buffer{};
  std::string words;
  while (fgets(buffer.data(), buffer.size(), shell) != nullptr) words += buffer.data();
  pclose(shell);
  return words;
}

TEST(ShellWord, IsOneWordToAShell) {
  for (const std::string word : {"plain", "ici.link_rate=656 Gb/s", "it's", "a\"b", "$(HOME) `x` \\ *?", "größe µ", "",
                                 "~", "#1", "a;b|c&d", "-x"}) {
    EXPECT_EQ(read_by_shell(shell_word(word)), "<" + word + ">");
  }
  EXPECT_EQ(shell_word("a/b-c_1.toml"), "a/b-c_1.toml") << "without quotes where it needs none";
}

}  // namespace
}  // namespace podsim::base::text
