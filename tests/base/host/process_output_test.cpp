// SPDX-License-Identifier: Apache-2.0
#include "base/host/process_output.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <stdexcept>

namespace podsim::base::host {
namespace {

TEST(ProcessOutput, ComesOutOfAMessageAsItWent) {
  const ProcessOutput output{137, "{\n\"a\": \"b\"}", "lines\nof \"text\"", 1.25};
  const std::string message = to_message(output);
  EXPECT_EQ(message.find('\n'), std::string::npos) << "one line";
  const ProcessOutput back = from_message(message);
  EXPECT_EQ(back.exit_code, output.exit_code);
  EXPECT_EQ(back.out, output.out);
  EXPECT_EQ(back.error, output.error);
  EXPECT_EQ(back.wall_s, output.wall_s);
}

TEST(ProcessOutput, MayHoldBytesThatAreNoText) {
  const ProcessOutput output{1, "", std::string("a\xff\0b", 4), 0};
  EXPECT_EQ(from_message(to_message(output)).error, std::string("a\xef\xbf\xbd\0b", 6));
  EXPECT_THROW(from_message("{"), std::logic_error);
  EXPECT_THROW(from_message("{}"), std::logic_error);
}

TEST(LastLines, AreWholeLinesAtTheEnd) {
  EXPECT_EQ(last_lines(""), "");
  EXPECT_EQ(last_lines("\n\n"), "");
  EXPECT_EQ(last_lines("a\nb\n\n"), "a\nb");
  std::string numbers;
  for (int line = 1; line <= 30; ++line) numbers += std::to_string(line) + "\n";
  EXPECT_TRUE(last_lines(numbers).starts_with("11\n12\n"));
  EXPECT_TRUE(last_lines(numbers).ends_with("\n30"));
  const std::string wide(2500, 'w');
  EXPECT_EQ(last_lines(wide + "\n" + wide + "\n" + wide), wide);
  EXPECT_EQ(last_lines(std::string(5000, 'y')), std::string(4000, 'y'));
}

TEST(LastLines, AreAnEndOfTheText) {
  rc::check("at most 20 lines", [] {
    const auto text = *rc::gen::container<std::string>(rc::gen::element('a', '\n'));
    const std::string lines = last_lines(text), trimmed = text.substr(0, text.find_last_not_of('\n') + 1);
    RC_ASSERT(trimmed.ends_with(lines));
    const auto count = std::count(lines.begin(), lines.end(), '\n') + 1;
    RC_ASSERT(count <= 20);
    if (lines.size() < trimmed.size()) RC_ASSERT(count == 20);
  });
}

}  // namespace
}  // namespace podsim::base::host
