// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <sstream>

#include "tests/report/sample_report.h"

namespace podsim::report::run {
namespace {

using testing::sample_report;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(SummaryText, AnswersWhatAPersonAsksFirst) {
  std::string text = summary_text(testing::sample_report());
  for (const char* part :
       {"resnet50", "tpu-v3", "4x4", "16 chips, 32 cores", "batch 128 per core", "all replayed", "10.000 ms",
        "409600 samples/s", "MXU 20.0 %", "HBM 50.0 %", "ICI 12.5 %", "4 GiB of 16.63 GB per core",
        "over 32 cores in 2.900 ms", "note: a note", "warning: a warning"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
  EXPECT_FALSE(has(text, "partial"));
}

TEST(SummaryText, SaysWhichChipsWereMadeOfUnits) {
  RunReport report = testing::sample_report();
  report.result.real_chips = {"(0,0)"};
  EXPECT_TRUE(has(summary_text(report), "chip (0,0) simulated in detail, 15 replayed"));
  report.result.real_chips.resize(3);
  EXPECT_TRUE(has(summary_text(report), "3 chips simulated in detail, 13 replayed"));
  report.result.real_chips.resize(16);
  EXPECT_TRUE(has(summary_text(report), "all simulated in detail"));
}

TEST(SummaryText, SaysWhereTheStepGoes) {
  std::string text = summary_text(testing::sample_report());
  std::string where = text.substr(0, text.find("costliest"));
  for (const char* part : {"6.000 ms", "60.0 %", "3.000 ms", "30.0 %", "1.000 ms", "10.0 %", "40.0 %"}) {
    EXPECT_TRUE(has(where, part)) << part << "\n" << text;
  }
}

TEST(SummaryText, SaysWhichStageTheOthersWaitFor) {
  RunReport report = testing::sample_report();
  EXPECT_FALSE(has(summary_text(report), "stages"));
  const base::Time step(10'000'000'000);
  const base::Time one(1'000'000'000), nine(9'000'000'000), five(5'000'000'000);
  report.result.stages = {{0, 3, step, five, five, {}, one}, {3, 1, step, nine, one, {}, one}};
  const std::string text = summary_text(report);
  // Three of four wait for 4 ms of 10, all of them transfer for 1 ms.
  for (const char* part : {"0 and 2 others", "50.0 %", "4.000 ms", "9.000 ms", "10.0 %  computes longest",
                           "wait for others for 30.0 % of the step and transfer for 10.0 %"}) {
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  }
}

TEST(SummaryText, SaysWhatOfTheComputeUpdatesWeights) {
  RunReport report = testing::sample_report();
  EXPECT_FALSE(has(summary_text(report), "weight update"));
  report.program.items[1].op_name = "optimizer/head/kernel";
  report.program.items[2].op_name = "optimizers";
  EXPECT_EQ(report.compute_under("optimizer"), base::Time(4'000'000'000));
  EXPECT_TRUE(has(summary_text(report), "weight update"));
}

TEST(SummaryText, ListsTheFiveCostliestOpsInOrder) {
  RunReport report = testing::sample_report();
  for (int i = 0; i < 4; ++i) {
    report.result.items.push_back(
        {int(report.program.items.size()), base::Time(1000 + i), {}, sw::runtime::Bound::hbm});
    report.program.items.push_back(report.program.items[2]);
  }
  std::string text = summary_text(report);
  std::string list = text.substr(text.find("costliest"));
  std::size_t conv = list.find("block0/conv1"), all_reduce = list.find("gradients"), relu = list.find("relu"),
              infeed = list.find("infeed.0");
  EXPECT_LT(conv, all_reduce);
  EXPECT_LT(all_reduce, relu);
  EXPECT_LT(relu, infeed) << "an op without a name in the model goes by its HLO name";
  std::string rows = list.substr(0, list.find("\nnote"));
  std::istringstream lines(rows);
  std::size_t shown = 0;
  for (std::string line; std::getline(lines, line);) shown += has(line, " %  ") ? 1 : 0;
  EXPECT_EQ(shown, 5U) << rows;
}

TEST(SummaryText, ExecutionsOfAnItemAreOneLine) {
  RunReport report = testing::sample_report();
  for (int i = 0; i < 4; ++i) report.result.items.push_back({2, base::Time(500'000'000), {}, sw::runtime::Bound::hbm});
  report.result.items.back().times = 2;
  EXPECT_TRUE(has(summary_text(report), "4.500 ms"));
  EXPECT_TRUE(has(summary_text(report), "6 times loop fusion"));
}

TEST(SummaryText, SmallProgramsHaveSmallUnits) {
  RunReport report = testing::sample_report();
  report.program.flops = 2 * 128 * 128 * 128;       // 4.19 million
  report.result.step_time = base::Time(1'234'567);  // 1.23 us
  report.result.items = {{1, base::Time(999), {}, sw::runtime::Bound::unit<hw::Mxu>()}};
  const std::string text = summary_text(report);
  for (const char* part : {"4.19 MFLOP", "1.235 us", "0.999 ns"}) EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(SummaryText, CountsInWords) {
  RunReport report = testing::sample_report();
  report.slice = "8x1";
  report.chips = 1;
  report.machine.cores_per_chip = 1;
  EXPECT_TRUE(has(summary_text(report), "on an 8x1 slice of")) << summary_text(report);
  EXPECT_TRUE(has(summary_text(report), ": 1 chip, 1 core, "));
}

TEST(SummaryText, AnInterruptedRunIsMarkedPartial) {
  RunReport report = testing::sample_report();
  report.result.partial = true;
  EXPECT_TRUE(has(summary_text(report), "[partial"));
}

TEST(SummaryText, NothingSimulatedIsStillASummary) {
  RunReport report = testing::sample_report();
  report.result = {};
  report.result.partial = true;
  std::string text = summary_text(report);
  EXPECT_TRUE(has(text, "0.000 ms"));
  EXPECT_FALSE(has(text, "nan"));
  EXPECT_FALSE(has(text, "inf "));
}

}  // namespace
}  // namespace podsim::report::run
