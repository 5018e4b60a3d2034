// SPDX-License-Identifier: Apache-2.0
#include "report/compare/run_comparison.h"

#include <gtest/gtest.h>

#include <sstream>

#include "base/config_listing.h"

namespace podsim::report::compare {
namespace {

using Json = nlohmann::ordered_json;

TimedOp timed_op(const std::string& name, std::int64_t nanoseconds, const std::string& bound) {
  return {.name = name,
          .category = "fusion",
          .bound = bound,
          .scope = run::op_scope(name),
          .executions = 1,
          .time = base::Time(nanoseconds * 1000),
          .flops = 0,
          .bytes = 0};
}

/// A step of 1000 ns, 900 of them in ops.
ComparedRun sample() {
  return {"first",
          "podsim 0.1.0",
          "1f2e",
          "podsim run net",
          Json::parse(R"({"workload": "net", "slice": "2x2", "step_time_s": 1e-6, "samples_per_s": 8e6,
                          "utilization": {"mxu": 0.5}, "breakdown_s": {"compute": 9e-7, "infeed": 0},
                          "collectives": [{"kind": "all-reduce", "dtype": "bf16", "bytes": 1000, "count": 2,
                                           "time_s": 3e-7, "exposed_s": 1e-7, "algorithm": "ring"}]})"),
          base::read_listing("m.toml", "[mxu]\nsize = 128  # published: HC20\n[ici]\nlink_rate = \"8 Gb/s\"  # user\n"),
          {timed_op("layer0/a", 600, "MXU"), timed_op("layer1/b", 300, "HBM")},
          base::Time(1'000'000)};
}

TEST(RunComparison, ARunAndItselfDifferInNothing) {
  const RunComparison comparison = compare_runs(sample(), sample());
  EXPECT_TRUE(comparison.equal());
  EXPECT_TRUE(comparison.settings.empty());
  EXPECT_TRUE(comparison.machine.empty());
  EXPECT_NE(comparison_text(comparison, 10).find("no difference"), std::string::npos);
}

TEST(RunComparison, ABatchOfNothingIsNone) {
  ComparedRun a = sample(), b = sample();
  a.stats["batch_per_core"] = 128;
  b.stats["batch_per_core"] = 0;
  const std::vector<SettingDifference> settings = compare_runs(a, b).settings;
  ASSERT_EQ(settings.size(), 1U);
  EXPECT_EQ(settings[0].key, "batch_per_core");
  EXPECT_EQ(settings[0].a, "128");
  EXPECT_EQ(settings[0].b, "");
}

TEST(RunComparison, AnotherBuildIsASetting) {
  ComparedRun other = sample();
  other.build = "3d4c";
  const RunComparison comparison = compare_runs(sample(), other);
  EXPECT_FALSE(comparison.equal());
  ASSERT_EQ(comparison.settings.size(), 1U);
  EXPECT_EQ(comparison.settings[0].key, "build of the program");
}

TEST(RunComparison, WhatIsOutsideTheOpsMakesTheRowsAddUpToTheStep) {
  ComparedRun other = sample();
  other.step_time = base::Time(700'000);
  other.ops = {timed_op("layer0/a", 200, "HBM"), timed_op("layer1/b", 310, "HBM")};
  const RunComparison comparison = compare_runs(sample(), other);
  EXPECT_FALSE(comparison.equal());
  EXPECT_EQ(comparison.difference(), base::Time(-300'000));
  EXPECT_EQ(comparison.runs[0].outside_ops(), base::Time(100'000));
  EXPECT_EQ(comparison.runs[1].outside_ops(), base::Time(190'000));
  base::Time sum = comparison.outside_ops();
  for (const OpDifference& row : comparison.ops) sum += row.difference();
  EXPECT_EQ(sum, comparison.difference());
}

TEST(RunComparison, TheLinesOfTheTableAddUpToTheLast) {
  ComparedRun other = sample();
  other.step_time = base::Time(777'777);
  other.ops.front().time = base::Time(123'456);
  std::istringstream lines(comparison_csv(compare_runs(sample(), other)));
  std::string line;
  std::getline(lines, line);
  EXPECT_TRUE(line.starts_with("op,phase,layer,match,difference_ps,"));
  std::vector<std::int64_t> differences;
  while (std::getline(lines, line)) {
    std::istringstream cells(line);
    std::string cell;
    for (int column = 0; column < 5; ++column) std::getline(cells, cell, ',');
    differences.push_back(std::stoll(cell));
  }
  ASSERT_EQ(differences.size(), 4U);  // two ops, outside the ops, step
  EXPECT_EQ(differences[0] + differences[1] + differences[2], differences[3]);
  EXPECT_EQ(differences[3], 777'777 - 1'000'000);
}

TEST(RunComparison, MachinesDifferInValuesNotInHowTheyAreWritten) {
  ComparedRun other = sample();
  other.machine = base::read_listing("m.toml", "[mxu]\nsize = 256  # user\n[ici]\nlink_rate = \"1 GB/s\"  # user\n");
  const std::vector<MachineDifference> rows = compare_machines(sample().machine, other.machine);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0].key, "mxu.size");
  const std::string text = comparison_text(compare_runs(sample(), other), 10);
  EXPECT_NE(text.find("mxu.size"), std::string::npos);
  EXPECT_NE(text.find("published -> user"), std::string::npos);
}

TEST(RunComparison, AKeyThatOneMachineDoesNotHaveDiffers) {
  const auto rows = compare_machines(base::read_listing("a", "x = 1\n"), base::read_listing("b", "y = 2\n"));
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_FALSE(rows[0].b.has_value());
  EXPECT_FALSE(rows[1].a.has_value());
}

TEST(RunComparison, FlagsThatNoFigureShowsAreSettings) {
  ComparedRun a = sample(), b = sample();
  a.command_line = "podsim run net --set mxu.size=128 --fold off";
  b.command_line = "podsim run net --slice 2x2 --weight-update-sharding 'x, y' --windowed-einsum";
  const std::vector<SettingDifference> rows = compare_runs(a, b).settings;
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].key, "--fold");
  EXPECT_EQ(rows[0].a, "off");
  EXPECT_EQ(rows[0].b, "");
  EXPECT_EQ(rows[1].key, "--weight-update-sharding");
  EXPECT_EQ(rows[1].b, "x, y");
  EXPECT_EQ(rows[2].key, "--windowed-einsum");
  EXPECT_EQ(rows[2].b, "given");
}

TEST(RunComparison, SettingsOfTheRunAreThoseOfItsFigures) {
  ComparedRun other = sample();
  other.stats["slice"] = "4x2";
  other.program = "podsim 0.2.0";
  const std::vector<SettingDifference> rows = compare_runs(sample(), other).settings;
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].key, "program");
  EXPECT_EQ(rows[1].key, "slice");
  EXPECT_EQ(rows[1].b, "4x2");
}

TEST(RunComparison, FiguresHaveDifferenceAndRatio) {
  Json other = sample().stats;
  other["step_time_s"] = 4e-7;
  other["tokens_per_s"] = 5.0;
  const std::vector<FigureDifference> rows = compare_figures(sample().stats, other);
  ASSERT_GE(rows.size(), 3U);
  EXPECT_EQ(rows[0].key, "step_time_s");
  EXPECT_DOUBLE_EQ(rows[0].difference().value(), -6e-7);
  EXPECT_DOUBLE_EQ(rows[0].ratio().value(), 0.4);
  for (const FigureDifference& row : rows) {
    EXPECT_NE(row.key, "breakdown_s.infeed") << "0 in both";
    EXPECT_TRUE(row.key != "tokens_per_s" || !row.ratio()) << "missing in the first";
  }
  EXPECT_NE(figures_text({"A", "B"}, rows).find("0.400"), std::string::npos);
}

TEST(RunComparison, CollectivesAreMatchedByKindAxesAndType) {
  Json other = sample().stats;
  other["collectives"][0]["exposed_s"] = 3e-7;
  other["collectives"].push_back(other["collectives"][0]);
  other["collectives"][1]["axes"] = "x";
  const std::vector<CollectiveDifference> rows = compare_collectives(sample().stats, other);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].axes, "x");  // 300 ns that the first run does not have
  EXPECT_FALSE(rows[0].a.has_value());
  EXPECT_NEAR(rows[1].difference_s(), 2e-7, 1e-18);
  EXPECT_DOUBLE_EQ(rows[1].a->bytes, 2000);  // twice 1000
}

TEST(RunComparison, TheLongListsAreCut) {
  ComparedRun other = sample();
  other.ops = {timed_op("layer0/a", 100, "MXU"), timed_op("layer1/b", 200, "HBM"), timed_op("layer2/c", 50, "HBM")};
  const std::string text = comparison_text(compare_runs(sample(), other), 1);
  EXPECT_NE(text.find("the other 2 of 3"), std::string::npos) << text;
  EXPECT_NE(text.find("only in B: 1 of 3 rows"), std::string::npos) << text;
}

TEST(RunComparison, JsonHasEveryRow) {
  ComparedRun other = sample();
  other.ops.front().time = base::Time(1);
  const Json json = Json::parse(comparison_json(compare_runs(sample(), other)));
  EXPECT_EQ(json["schema_version"], 1);
  EXPECT_EQ(json["command"], "compare");
  EXPECT_EQ(json["equal"], false);
  EXPECT_EQ(json["ops"].size(), 2U);
  EXPECT_EQ(json["ops"][0]["difference_ps"], 1 - 600'000);
  EXPECT_EQ(json["outside_ops"]["b_ps"], 1'000'000 - 300'001);
  EXPECT_EQ(json["warnings"].size(), 0U);
}

TEST(RunComparison, AnInterruptedRunIsWarnedOf) {
  ComparedRun other = sample();
  other.stats["partial"] = true;
  const RunComparison comparison = compare_runs(sample(), other);
  ASSERT_EQ(comparison.warnings.size(), 1U);
  EXPECT_TRUE(comparison.warnings[0].starts_with("B was interrupted"));
}

}  // namespace
}  // namespace podsim::report::compare
