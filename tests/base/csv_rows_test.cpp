// SPDX-License-Identifier: Apache-2.0
#include "base/csv_rows.h"

#include <gtest/gtest.h>

namespace podsim::base {
namespace {

// Lines and columns in these tests are counted by hand.
Diagnostic error_of_rows(const std::string& text, const std::function<void(const CsvRow&)>& row) {
  try {
    read_csv_rows("a.csv", text, "name", row);
  } catch (const InputError& error) {
    return error.diagnostics().front();
  }
  return {};
}

TEST(CsvRows, HaveTheirFieldsUnderTheNamesOfColumns) {
  std::vector<std::string> names;
  std::vector<double> sizes, shares;
  read_csv_rows("a.csv", "size,name,share\n2.5,x,50\n4,\"y,z\",\n", "name", [&](const CsvRow& row) {
    names.push_back(row.text("name"));
    sizes.push_back(row.positive("size"));
    shares.push_back(row.percent("share"));
  });
  EXPECT_EQ(names, (std::vector<std::string>{"x", "y,z"}));
  EXPECT_EQ(sizes, (std::vector<double>{2.5, 4}));
  EXPECT_EQ(shares, (std::vector<double>{50, 0}));
}

TEST(CsvRows, ABadFieldIsAnErrorAtItsPlace) {
  const Diagnostic size = error_of_rows("name,size\nx,1\ny,-2\n", [](const CsvRow& row) { row.positive("size"); });
  EXPECT_EQ(size.location.line, 3);
  EXPECT_EQ(size.location.column, 3);
  EXPECT_NE(size.message.find("'-2'"), std::string::npos);
  const Diagnostic column = error_of_rows("name,size\nx,1\n", [](const CsvRow& row) { row.text("sise"); });
  EXPECT_NE(column.hint.find("size"), std::string::npos);
  EXPECT_EQ(error_of_rows("name,size\nx\n", [](const CsvRow&) {}).location.line, 2);
}

TEST(CsvRows, AnErrorOfTheCallerIsAtTheBlamedField) {
  const Diagnostic error = error_of_rows("size,name\n1,x\n", [](const CsvRow&) { throw InputError("no such thing"); });
  EXPECT_EQ(error.location.line, 2);
  EXPECT_EQ(error.location.column, 3);
}

}  // namespace
}  // namespace podsim::base
