// SPDX-License-Identifier: Apache-2.0
#include "studies/store/point_comparison.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::studies::store {
namespace {

/// A study of two points that differ in a flag and in a key of the machine.
StudyResults sample() {
  StudyResults study;
  study.path = "ici.sqlite";
  study.program = "podsim 0.1.0";
  study.axes = {{"batch_per_core", 0, {}}, {"ici.link_rate", 1, {}}};
  study.metrics = {"step_time_s", "utilization.mxu"};
  study.metric_units = {"s", "1"};
  study.machines = {{"m0", "[ici]\nlink_rate = \"656 Gb/s\"  # published: CACM20\n"},
                    {"m1", "[ici]\nlink_rate = \"328 Gb/s\"  # user\n"}};
  study.baseline = 0;
  for (int i = 0; i < 2; ++i) {
    ResultPoint point;
    point.id = i == 0 ? "9c41aa0000000000" : "9c42bb0000000000";
    point.position = i;
    point.done = true;
    point.machine = i == 0 ? "m0" : "m1";
    point.axes = {{i == 0 ? "64" : "128", 64}, {i == 0 ? "656 Gb/s" : "328 Gb/s", 1}};
    point.metrics = {i == 0 ? 0.1 : 0.2, 0.5};
    study.points.push_back(point);
  }
  return study;
}

std::string refused(const StudyResults& study, const char* id) {
  try {
    find_point(study, id);
  } catch (const base::InputError& error) {
    return base::format(error.diagnostics().front());
  }
  return "found";
}

TEST(PointComparison, APointIsNamedByADatabaseAndAnId) {
  const auto reference = point_reference("a:b/ici.sqlite:9c41");
  ASSERT_TRUE(reference.has_value());
  EXPECT_EQ(reference->first, "a:b/ici.sqlite");
  EXPECT_EQ(reference->second, "9c41");
  EXPECT_FALSE(point_reference("results").has_value());
  EXPECT_FALSE(point_reference("results:9c41").has_value());
  EXPECT_FALSE(point_reference("ici.sqlite").has_value());
}

TEST(PointComparison, AnIdMayBeCutWhileItNamesOnePoint) {
  const StudyResults study = sample();
  EXPECT_EQ(&find_point(study, "9c42"), &study.points[1]);
  EXPECT_EQ(&find_point(study, "9c41aa0000000000"), &study.points[0]);
  EXPECT_EQ(&find_point(study, "baseline"), &study.points[0]);
  EXPECT_EQ(&find_point(study, "1"), &study.points[1]) << "by its position";
  EXPECT_NE(refused(study, "9c4").find("2 points of ici.sqlite"), std::string::npos);
  EXPECT_NE(refused(study, "9c42bb00000000001").find("did you mean '9c42bb0000000000'?"), std::string::npos);
  EXPECT_NE(refused(study, "zz").find("its points are 0 to 1; the id of the first is 9c41aa0000000000"),
            std::string::npos);
  EXPECT_NE(refused(study, "2").find("has the position or id '2'"), std::string::npos);
  EXPECT_NE(refused(study, "").find("no point of ici.sqlite has the position or id ''"), std::string::npos);
}

TEST(PointComparison, SaysWhatDiffersAndTheMetrics) {
  const StudyResults study = sample();
  const PointComparison comparison =
      compare_points(compared_point(study, study.points[0]), compared_point(study, study.points[1]));
  ASSERT_EQ(comparison.settings.size(), 1U);
  EXPECT_EQ(comparison.settings[0].key, "batch_per_core");
  EXPECT_EQ(comparison.settings[0].b, "128");
  ASSERT_EQ(comparison.machine.size(), 1U);
  EXPECT_EQ(comparison.machine[0].key, "ici.link_rate");
  ASSERT_EQ(comparison.figures.size(), 2U);
  EXPECT_DOUBLE_EQ(comparison.figures[0].ratio().value(), 2);
  EXPECT_EQ(comparison.figures[0].unit, "s");
  EXPECT_EQ(comparison.figures[1].unit, "");
  const std::string text = comparison_text(comparison);
  EXPECT_NE(text.find("published -> user"), std::string::npos) << text;
  EXPECT_NE(text.find("2.000"), std::string::npos) << text;
}

TEST(PointComparison, APointAndItselfDifferInNothing) {
  const StudyResults study = sample();
  const PointComparison comparison =
      compare_points(compared_point(study, study.points[0]), compared_point(study, study.points[0]));
  EXPECT_TRUE(comparison.settings.empty());
  EXPECT_TRUE(comparison.machine.empty());
  for (const report::compare::FigureDifference& figure : comparison.figures) EXPECT_EQ(figure.difference(), 0);
}

TEST(PointComparison, APointThatFailedIsWarnedOf) {
  StudyResults study = sample();
  study.points[1].done = false;
  study.points[1].exit_code = 2;
  study.points[1].error = "out of memory";
  study.points[1].metrics = {std::nullopt, std::nullopt};
  const PointComparison comparison =
      compare_points(compared_point(study, study.points[0]), compared_point(study, study.points[1]));
  ASSERT_EQ(comparison.warnings.size(), 1U);
  EXPECT_NE(comparison.warnings[0].find("B has no metrics: it failed with exit code 2: out of memory"),
            std::string::npos);
  EXPECT_FALSE(comparison.figures[0].b.has_value());
}

}  // namespace
}  // namespace podsim::studies::store
