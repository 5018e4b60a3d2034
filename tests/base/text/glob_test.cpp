// SPDX-License-Identifier: Apache-2.0
#include "base/text/glob.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace podsim::base::text {
namespace {

TEST(Glob, StarCrossesDots) {
  EXPECT_TRUE(glob_match("chip(0,0).*", "chip(0,0).core0.mxu0.state"));
  EXPECT_TRUE(glob_match("*.mxu0.state", "chip(0,0).core0.mxu0.state"));
  EXPECT_TRUE(glob_match("*", ""));
  EXPECT_TRUE(glob_match("a*b*c", "aXbYbZc"));
  EXPECT_TRUE(glob_match("plain", "plain"));
  EXPECT_FALSE(glob_match("chip(0,0).*", "chip(0,1).core0"));
  EXPECT_FALSE(glob_match("*.state", "state"));
  EXPECT_FALSE(glob_match("plain", "plainer"));
  EXPECT_FALSE(glob_match("", "x"));
}

/// The definition, in exponential time.
bool slow_match(const std::string& pattern, const std::string& text) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*') {
    return slow_match(pattern.substr(1), text) || (!text.empty() && slow_match(pattern, text.substr(1)));
  }
  return !text.empty() && pattern[0] == text[0] && slow_match(pattern.substr(1), text.substr(1));
}

RC_GTEST_PROP(Glob, AgreesWithItsDefinition, ()) {
  auto pattern = *rc::gen::resize(8, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab*"))));
  auto text = *rc::gen::resize(10, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab"))));
  RC_ASSERT(glob_match(pattern, text) == slow_match(pattern, text));
}

}  // namespace
}  // namespace podsim::base::text
