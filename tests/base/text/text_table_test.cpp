// SPDX-License-Identifier: Apache-2.0
#include "base/text/text_table.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace podsim::base::text {
namespace {

using Align = TextTable::Align;

TEST(TextTable, AlignsByCharactersNotBytes) {
  TextTable table({Align::left, Align::right});
  table.row({"\u00b5s", "1"});
  table.row({"ns", "1000"});
  EXPECT_EQ(table.text(), "\u00b5s     1\nns  1000\n");
}

TEST(TextTable, KeepsEmptyAndShortRows) {
  TextTable table({Align::left, Align::left});
  table.row({"a", "b"});
  table.row({});
  table.row({"long"});
  EXPECT_EQ(table.text(), "a     b\n\nlong\n");
  EXPECT_THROW(table.row({"1", "2", "3"}), std::logic_error);
}

}  // namespace
}  // namespace podsim::base::text
