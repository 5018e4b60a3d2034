// SPDX-License-Identifier: Apache-2.0
#include "base/csv_reader.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace podsim::base {
namespace {

using Records = std::vector<std::vector<std::string>>;

Records records(const std::string& text) {
  CsvReader reader("a.csv", text);
  Records result;
  for (std::vector<CsvField> fields; reader.next(fields);) {
    result.emplace_back();
    for (const CsvField& field : fields) result.back().push_back(field.value);
  }
  return result;
}

Diagnostic error_of(const std::string& text) {
  try {
    records(text);
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
  return {};
}

TEST(Csv, FieldsInQuotesHoldCommasLineEndsAndQuotes) {
  EXPECT_EQ(records("a,\"b,c\",\"d\"\"e\"\n\"f\ng\",,h\n"), (Records{{"a", "b,c", "d\"e"}, {"f\ng", "", "h"}}));
}

TEST(Csv, LineEndsEmptyLinesAndAByteOrderMarkAreNoData) {
  EXPECT_EQ(records("\xEF\xBB\xBF"
                    "a,b\r\n\r\nc,d"),
            (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_TRUE(records("").empty());
}

TEST(Csv, AnOpenQuoteIsAnErrorWhereItBegins) {
  const Diagnostic error = error_of("a,b\nc,\"d\n");
  EXPECT_EQ(error.location.line, 2);
  EXPECT_EQ(error.location.column, 3);
}

TEST(Csv, TextBehindAQuotedFieldIsAnErrorWhereItStands) {
  const Diagnostic error = error_of("a,\"b\"c\n");
  EXPECT_EQ(error.location.line, 1);
  EXPECT_EQ(error.location.column, 6);
}

// Fields written in quotes are read back unchanged.
RC_GTEST_PROP(Csv, WhatIsQuotedIsReadBack, (const Records& wanted)) {
  std::string text;
  Records expected;
  for (const std::vector<std::string>& record : wanted) {
    if (record.empty()) continue;
    expected.push_back(record);
    for (std::size_t i = 0; i < record.size(); ++i) {
      text += i == 0 ? "\"" : ",\"";
      for (char c : record[i]) text += c == '"' ? std::string("\"\"") : std::string(1, c);
      text += '"';
    }
    text += '\n';
  }
  RC_ASSERT(records(text) == expected);
}

}  // namespace
}  // namespace podsim::base
