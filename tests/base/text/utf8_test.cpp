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

TEST(Utf8, PrintableTextStaysAsItIs) {
  for (const char* text : {"", "conv 1/x\ty", "two\nlines\r\n", "\u00b5s \u20ac \U0001f600 \u00a0"}) {
    EXPECT_EQ(printable(text), text);
  }
}

// The table of well-formed sequences in The Unicode Standard (table 3-7), each a step beyond its bounds.
TEST(Utf8, PrintableTextHasAMarkForEveryOther) {
  for (const char* text : {"\xff", "\x80", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80",
                           "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\x1b", "\r", "\x7f", "\xc2\x9b"}) {
    EXPECT_EQ(printable(std::string("a") + text + "b"), "a\ufffdb") << text;
  }
}

RC_GTEST_PROP(Utf8, AnyBytesBecomePrintableInPlace, (const std::string& text)) {
  const std::string shown = printable(text);
  RC_ASSERT(utf8_characters(shown).size() == utf8_characters(text).size());
  RC_ASSERT(printable(shown) == shown);
}

}  // namespace
}  // namespace podsim::base::text
