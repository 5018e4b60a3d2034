// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/names.h"

#include <gtest/gtest.h>

#include "tests/structure/source_tree.h"

namespace podsim::structure {
namespace {

using Names = std::vector<std::string>;

TEST(Names, OfTestsAreInCamelCase) {
  for (const auto& file : test_files()) EXPECT_EQ(misnamed_tests(read_source(file)), Names{}) << file;
}

TEST(Names, OfConstantsAreInSnakeCase) {
  for (const auto& file : source_files()) EXPECT_EQ(misnamed_constants(read_source(file)), Names{}) << file;
  for (const auto& file : test_files()) {
    if (file == "tests/structure/names_test.cpp") continue;
    EXPECT_EQ(misnamed_constants(read_source(file)), Names{}) << file;
  }
}

TEST(Names, OfAnotherStyleAreFound) {
  const std::string macro = "\nTEST";  // not a test of this file
  EXPECT_EQ(
      misnamed_tests(macro + "(Suite, IsRight) {}" + macro + "(suite, IsRight) {}" + macro + "_P(Suite,\n  is_wrong)"),
      (Names{"suite.IsRight", "Suite.is_wrong"}));
  EXPECT_EQ(misnamed_constants("constexpr int kLimit = 3; const double MOST_TILES{4}; constexpr int limit = kOther;"),
            (Names{"kLimit", "MOST_TILES"}));
}

}  // namespace
}  // namespace podsim::structure
