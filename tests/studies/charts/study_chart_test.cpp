// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_chart.h"

#include <gtest/gtest.h>

#include <set>

#include "base/diagnostic.h"
#include "studies/charts/study_chart_svg.h"
#include "tests/studies/sample_study.h"

namespace podsim::studies::charts {
namespace {

std::size_t marks_of(const StudyChart& chart) {
  std::size_t count = 0;
  for (const ChartSeries& series : chart.series) count += series.marks.size();
  return count;
}

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(StudyChart, ChoosesTheFirstNumericAxisAndTheFamilyThatMovesMost) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const StudyChart chart = study_chart(results, {});
  EXPECT_EQ(results.name_of(chart.x), "chips");
  EXPECT_EQ(results.name_of(chart.y), "step_time_s");
  // From the baseline the batch adds 64 ms, the slow link 9.8 ms.
  ASSERT_TRUE(chart.family);
  EXPECT_EQ(results.name_of(*chart.family), "batch_per_core");
  ASSERT_EQ(chart.fixed.size(), 1U);
  EXPECT_EQ(chart.fixed[0].second, "656 Gb/s");
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].label, "64");
  EXPECT_TRUE(chart.series[0].line);
  ASSERT_EQ(chart.series[0].marks.size(), 4U);
  for (const ChartMark& mark : chart.series[1].marks) {
    const store::ResultPoint& point = results.points[mark.point];
    EXPECT_EQ(mark.x, point.axes[0].number);
    EXPECT_DOUBLE_EQ(mark.y, *point.metrics[0] * 1000) << "in milliseconds";
    EXPECT_EQ(point.axes[1].text, "656 Gb/s");
    EXPECT_EQ(point.axes[2].text, "128");
  }
}

TEST(StudyChart, LeavesOutPointsThatFailed) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const StudyChart chart = study_chart(results, {"chips", "", "batch_per_core", {{"ici.link_rate", "328 Gb/s"}}});
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_EQ(chart.series[0].marks.size(), 4U);
  EXPECT_EQ(chart.series[1].marks.size(), 3U);
}

/// A flag that is left out has no text, and a name where readers see it.
TEST(StudyChart, FixesAnAxisWhereItIsNotSet) {
  SampleStudy study = link_study();
  study.axes.push_back(words("sharding", {"cut.toml", ""}, 3));
  const SampleFile file(study);
  const store::StudyResults results = file.results();
  for (const char* value : {"", "not set"}) {
    const StudyChart chart = study_chart(results, {"chips", "", "none", {{"sharding", value}}});
    ASSERT_EQ(chart.series.size(), 1U);
    ASSERT_FALSE(chart.series[0].marks.empty());
    for (const ChartMark& mark : chart.series[0].marks) EXPECT_EQ(results.points[mark.point].axes[3].text, "");
  }
  try {
    study_chart(results, {"chips", "", "none", {{"sharding", "cut"}}});
    FAIL();
  } catch (const base::InputError& error) {
    EXPECT_EQ(error.diagnostics().front().hint, "one of: any, cut.toml, not set");
  }
}

TEST(StudyChart, ADerivedValueFreesTheAxesThatItDependsOn) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  EXPECT_EQ(axes_behind(results, *results.find("global_batch")), (std::vector<std::size_t>{0, 2}));
  const StudyChart chart = study_chart(results, {"global_batch", "samples_per_s", "ici.link_rate", {}});
  ASSERT_EQ(chart.series.size(), 2U);
  EXPECT_TRUE(chart.fixed.empty());
  // 4 x 128 and 8 x 64 chips give the same batch: dots, not a line.
  EXPECT_FALSE(chart.series[1].line);
  EXPECT_EQ(chart.series[1].marks.size(), 8U);
}

TEST(StudyChart, AMetricAgainstAnotherHasEveryPoint) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  EXPECT_EQ(marks_of(study_chart(results, {"step_time_s", "samples_per_s", "none", {}})), 15U);
  const StudyChart family = study_chart(results, {"step_time_s", "samples_per_s", "chips", {}});
  EXPECT_EQ(family.series.size(), 4U);
  EXPECT_EQ(marks_of(family), 15U);
}

TEST(StudyChart, AnyFreesAnAxis) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const StudyChart chart =
      study_chart(results, {"chips", "", "none", {{"ici.link_rate", "any"}, {"batch_per_core", "64"}}});
  ASSERT_EQ(chart.series.size(), 1U);
  EXPECT_EQ(chart.series[0].marks.size(), 8U);
  EXPECT_FALSE(chart.series[0].line);
}

TEST(StudyChart, AnAxisThatIsFixedTakesAlongWhatMovesWithIt) {
  SampleStudy study;
  study.axes = {numbers("size", {64, 128, 256}, 0), numbers("count", {8, 2, 1}, 0), numbers("batch", {1, 2}, 1)};
  study.metrics = {{"m", [](const SamplePlace& at) { return at.at("size") * at.at("batch"); }}};
  const SampleFile file(study);
  const store::StudyResults results = file.results();
  const StudyChart chart = study_chart(results, {"batch", "m", "none", {{"size", "256"}}});
  ASSERT_EQ(marks_of(chart), 2U);
  EXPECT_EQ(chart.series[0].marks[1].y, 512);
  // With one of the two axes as x, the other moves with it.
  EXPECT_EQ(marks_of(study_chart(results, {"count", "m", "none", {}})), 3U);
}

TEST(StudyChart, NamesThatAreNotThereHaveTheNearest) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  auto hint = [&](const ChartRequest& request) -> std::string {
    try {
      study_chart(results, request);
    } catch (const base::InputError& error) {
      return error.diagnostics().front().hint;
    }
    return "nothing was refused";
  };
  EXPECT_EQ(hint({"chip", "", "", {}}), "did you mean 'chips'?");
  EXPECT_EQ(hint({"", "step_time", "", {}}), "did you mean 'step_time_s'?");
  EXPECT_EQ(hint({"", "", "batch_per_cor", {}}), "did you mean 'batch_per_core'?");
  EXPECT_EQ(hint({"", "", "", {{"chips", "5"}}}), "one of: any, 4, 8, 16, 32");
  EXPECT_EQ(hint({"zzz", "", "", {}}).substr(0, 20), "one of: chips, ici.l");
}

TEST(StudyChart, PointsOfAListAreAllDrawnWhereNoneSharesTheBaselinesValues) {
  // A diagonal: 8 points, none of which equals another in one axis.
  SampleStudy diagonal;
  diagonal.axes = {numbers("a", {1, 2, 3, 4, 5, 6, 7, 8}, 0), numbers("b", {8, 7, 6, 5, 4, 3, 2, 1}, 0)};
  diagonal.axes[1].group = 0;
  diagonal.metrics = {{"m", [](const SamplePlace& at) { return at.at("a"); }}};
  const SampleFile file(diagonal);
  store::StudyResults results = file.results();
  results.axes[1].group = 1;  // as a list has it
  EXPECT_EQ(marks_of(study_chart(results, {"a", "m", "none", {}})), 8U);
}

TEST(StudyChartSvg, HasAMarkAPointAndALineACurve) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const StudyChart chart = study_chart(results, {});
  const std::string svg = study_chart_svg(results, chart, 860, MarkKind::linked);
  EXPECT_EQ(times(svg, "class=\"mark pick"), 8U);
  EXPECT_EQ(times(svg, "class=\"curve"), 2U);
  EXPECT_EQ(times(svg, "class=\"ring\""), 1U);
  EXPECT_EQ(times(svg, "data-point=\"2\""), 1U);
  EXPECT_NE(svg.find("step_time_s (ms)"), std::string::npos);
}

TEST(StudyChartFile, StandsAlone) {
  const SampleFile file(link_study());
  const store::StudyResults results = file.results();
  const std::string svg = study_chart_file(results, study_chart(results, {}));
  EXPECT_EQ(svg.find("<svg xmlns=\"http://www.w3.org/2000/svg\""), 0U);
  EXPECT_NE(svg.find("Links &lt;fast &amp; slow&gt;"), std::string::npos);
  EXPECT_NE(svg.find("batch_per_core 128"), std::string::npos);
  EXPECT_NE(svg.find("at ici.link_rate 656 Gb/s"), std::string::npos);
  EXPECT_EQ(svg.find("data-point"), std::string::npos);
  EXPECT_EQ(svg.find("data-tip"), std::string::npos);
}

}  // namespace
}  // namespace podsim::studies::charts
