// SPDX-License-Identifier: Apache-2.0
#include "base/text/utf8.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace podsim::base::text {
namespace {

TEST(Utf8, CountsCodePoints) {
  EXPECT_EQ(utf8_characters("abc").size(), 3U);
  EXPECT_EQ(utf8_characters("\u00b5\u20ac\U0001f600").size(), 3U);
  EXPECT_EQ(utf8_characters("\xc2").size(), 1U);
  EXPECT_EQ(utf8_characters("\xff\x80").size(), 2U);
  EXPECT_TRUE(utf8_characters("").empty());
}

RC_GTEST_PROP(Utf8, TheCharactersOfAnyBytesAreThoseBytes, (const std::string& text)) {
  std::string joined;
  for (std::string_view character : utf8_characters(text)) joined += character;
  RC_ASSERT(joined == text);
}

}  // namespace
}  // namespace podsim::base::text
