// SPDX-License-Identifier: Apache-2.0
#include "base/build_id.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>

namespace podsim::base {
namespace {

std::string output_of(const char* command) {
  std::string text;
  FILE* pipe = popen(command, "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer{};
  while (std::fgets(buffer.data(), int(buffer.size()), pipe) != nullptr) text += buffer.data();
  pclose(pipe);
  return text;
}

TEST(BuildId, IsTheLinkers) {
  const std::string program = std::to_string(getpid());
  const std::string notes = output_of(("readelf -n /proc/" + program + "/exe 2>/dev/null").c_str());
  const std::string label = "Build ID: ";
  const std::size_t at = notes.find(label);
  if (at == std::string::npos) GTEST_SKIP() << "no readelf, or a linker that makes no ids";
  const std::size_t begin = at + label.size();
  EXPECT_EQ(build_id(), notes.substr(begin, notes.find('\n', begin) - begin));
}

TEST(BuildId, IsThereAndStays) {
  EXPECT_GE(build_id().size(), 16U);
  EXPECT_EQ(build_id(), build_id());
}

}  // namespace
}  // namespace podsim::base
