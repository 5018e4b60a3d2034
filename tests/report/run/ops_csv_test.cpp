// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "tests/report/sample_report.h"

namespace podsim::report::run {
namespace {

using testing::sample_report;

using Row = std::vector<std::string>;

/// RFC 4180: fields in quotes may hold commas, line ends and doubled quotes.
std::vector<Row> parse_csv(const std::string& text) {
  std::vector<Row> rows;
  Row row;
  std::string field;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',' || c == '\n') {
      row.push_back(std::exchange(field, ""));
      if (c == '\n') rows.push_back(std::exchange(row, {}));
    } else {
      field += c;
    }
  }
  return rows;
}

class OpsCsv : public ::testing::Test {
 protected:
  std::string text_ = ops_csv(testing::sample_report());
  std::vector<Row> rows_ = parse_csv(text_);
  std::string at(int row, const std::string& column) const {
    auto found = std::ranges::find(rows_[0], column);
    EXPECT_NE(found, rows_[0].end()) << column;
    return rows_[row][found - rows_[0].begin()];
  }
  double number(int row, const std::string& column) const { return std::stod(at(row, column)); }
};

TEST_F(OpsCsv, HasXProfsHeaderAndHowProductsAreComputed) {
  std::ifstream profile(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/op_profiles/resnet.csv");
  if (!profile) GTEST_SKIP() << "no measured profile to compare with";
  std::string header;
  std::getline(profile, header);
  EXPECT_EQ(text_.substr(0, text_.find('\n')),
            header +
                ",Products,Multiply-accumulates,Vector operations,Cross-lane operations,"
                "HBM read (B),HBM written (B),ICI sent (B),Energy of events (J)");
  EXPECT_EQ(at(1, "Products"), "f32 in 6 passes");
  EXPECT_EQ(at(3, "Products"), "") << "an op without products";
}

TEST_F(OpsCsv, HasALinePerOpOfAStepCostliestFirst) {
  ASSERT_EQ(rows_.size(), 5U);
  for (const Row& row : rows_) EXPECT_EQ(row.size(), rows_[0].size());
  for (int row = 1; row < 5; ++row) EXPECT_EQ(at(row, "Rank"), std::to_string(row));
  EXPECT_EQ(at(1, "Category"), "convolution fusion");
  for (int row = 2; row < 5; ++row) {
    EXPECT_LE(number(row, "Total self time (us)"), number(row - 1, "Total self time (us)"));
  }
}

TEST_F(OpsCsv, QuotedFieldsComeBackAsTheyWere) {
  RunReport report = testing::sample_report();
  EXPECT_EQ(at(1, "HLO op"), report.program.items[1].hlo_text);
  EXPECT_EQ(at(1, "TF op"), "block0/conv1, a");
  EXPECT_EQ(at(3, "TF op"), "block0/\"relu\"");
}

TEST_F(OpsCsv, SharesSumToOneAndAccumulate) {
  double sum = 0;
  for (int row = 1; row < 5; ++row) {
    sum += number(row, "Total self time (%)");
    EXPECT_NEAR(number(row, "Cumulative total self time (%)"), sum, 1e-8);
  }
  EXPECT_NEAR(sum, 1, 1e-8);
}

TEST_F(OpsCsv, RatesFollowFromTimeAndCounts) {
  // 4 ms twice; 6.16 GFLOP and 1 MiB in 4 ms; 250 of 1000 cycles waiting for DMA.
  EXPECT_EQ(at(1, "#Occurrences"), "2");
  EXPECT_DOUBLE_EQ(number(1, "Avg. self time (us)"), 4000);
  EXPECT_DOUBLE_EQ(number(1, "Total time (us)"), 8000);
  EXPECT_NEAR(number(1, "Measured GFLOP/s"), 1540, 1e-6);
  EXPECT_NEAR(number(1, "Measured Memory BW (GiB/s)"), 1 / 4.096, 1e-6);
  EXPECT_NEAR(number(1, "Operational Intensity (FLOP/Byte)"), 6.16e9 / (1 << 20), 1e-3);
  EXPECT_DOUBLE_EQ(number(1, "%time stalled by DMA"), 0.25);
  EXPECT_EQ(at(1, "Bound by"), "MXU");
}

// Three executions, of which each reads 100 B as an op and 1 B as a transfer.
TEST(OpsCsvActivity, IsThatOfAllExecutionsInAStep) {
  RunReport report = testing::sample_report();
  report.result.items[1].times = 3;
  hw::Activity& activity = report.result.activity.items[1];
  activity.units.of<hw::Mxu>().multiply_accumulates = 1'000'000'000'000;
  activity.units.of<hw::Vector>().alu_operations = 20;
  activity.units.of<hw::CrossLane>().operations = 5;
  activity.op_read = base::Bytes(100);
  activity.transfer_read = base::Bytes(1);
  activity.op_written = base::Bytes(7);
  activity.message_bytes = base::Bytes(11);
  const std::vector<Row> rows = parse_csv(ops_csv(report));
  const Row row = *std::ranges::find(rows, std::string("convolution fusion"), [](const Row& r) { return r[1]; });
  EXPECT_EQ(Row(row.end() - 7, row.end() - 1), (Row{"3000000000000", "60", "15", "303", "21", "33"}));
}

TEST(OpsCsvOfNothing, IsAHeader) {
  RunReport report = testing::sample_report();
  report.result = {};
  EXPECT_EQ(parse_csv(ops_csv(report)).size(), 1U);
}

}  // namespace
}  // namespace podsim::report::run
