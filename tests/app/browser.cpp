// SPDX-License-Identifier: Apache-2.0
#include "tests/app/browser.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace podsim::test {
namespace {

constexpr int no_browser = 77, no_python = 127;

}  // namespace

PageCheck check_in_browser(const std::filesystem::path& page, const std::vector<std::string>& expectations) {
  std::string command = "python3 " PODSIM_SOURCE_DIR "/tests/browser/check_page.py '" + page.string() + "'";
  for (const std::string& expectation : expectations) command += " --expect '" + expectation + "'";
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  PageCheck check;
  std::array<char, 4096> chunk{};
  while (std::fgets(chunk.data(), int(chunk.size()), pipe) != nullptr) check.output += chunk.data();
  const int code = WEXITSTATUS(pclose(pipe));
  if (code == no_browser) check.skipped = check.output;
  if (code == no_python) check.skipped = "no python3 on this machine";
  return check;
}

}  // namespace podsim::test
