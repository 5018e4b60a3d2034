// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_analysis.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

namespace podsim::studies::charts {
namespace {

using Kind = store::Variable::Kind;

/// Points with two metrics and a third, on an axis that is their number.
store::StudyResults with_metrics(const std::vector<std::vector<std::optional<double>>>& rows) {
  store::StudyResults results;
  results.metrics = {"step_time_s", "samples_per_s", "memory_bytes"};
  results.metric_units = {"s", "", "B"};
  results.axes.push_back({"n", 0, {}});
  for (const auto& row : rows) {
    store::ResultPoint point;
    point.position = std::int64_t(results.points.size());
    point.done = true;
    point.axes = {{std::to_string(point.position), double(point.position)}};
    point.metrics = row;
    point.metrics.resize(3);
    results.axes[0].values.push_back(point.axes[0]);
    results.points.push_back(point);
  }
  return results;
}

const store::Objective fast{{Kind::metric, 0}, store::Direction::minimise};
const store::Objective many{{Kind::metric, 1}, store::Direction::maximise};
const store::Objective small{{Kind::metric, 2}, store::Direction::minimise};

/// The definition: no other point is as good in all and better in one.
std::vector<std::size_t> front_by_definition(const store::StudyResults& results,
                                             const std::vector<store::Objective>& objectives) {
  auto cost = [&](std::size_t point, const store::Objective& objective) {
    const double value = *results.points[point].metrics[objective.variable.index];
    return objective.direction == store::Direction::minimise ? value : -value;
  };
  auto complete = [&](std::size_t point) {
    return results.points[point].done && std::ranges::all_of(objectives, [&](const store::Objective& objective) {
             return results.points[point].metrics[objective.variable.index].has_value();
           });
  };
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    bool kept = complete(i);
    for (std::size_t other = 0; other < results.points.size() && kept; ++other) {
      if (!complete(other)) continue;
      bool as_good = true, better = false;
      for (const store::Objective& objective : objectives) {
        as_good = as_good && cost(other, objective) <= cost(i, objective);
        better = better || cost(other, objective) < cost(i, objective);
      }
      kept = !(as_good && better);
    }
    if (kept) front.push_back(i);
  }
  return front;
}

TEST(ParetoFront, LeavesOutWhatIsBeaten) {
  // Times 1, 2, 3, 2 at rates 10, 30, 20, 5: the third is beaten by the second, the fourth by both before.
  const store::StudyResults results = with_metrics({{1, 10}, {2, 30}, {3, 20}, {2, 5}});
  EXPECT_EQ(pareto_front(results, {fast, many}), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(pareto_front(results, {many}), (std::vector<std::size_t>{1}));
  EXPECT_TRUE(pareto_front(results, {}).empty());
}

TEST(ParetoFront, KeepsEqualsAndLeavesOutWhatLacksAMetric) {
  store::StudyResults results = with_metrics({{1, 10}, {1, 10}, {std::nullopt, 99}, {0.5, 50}});
  results.points[3].done = false;
  EXPECT_EQ(pareto_front(results, {fast, many}), (std::vector<std::size_t>{0, 1}));
}

RC_GTEST_PROP(ParetoFront, IsThatOfTheDefinition, ()) {
  // Few distinct values, so that there are ties.
  const auto values = *rc::gen::container<std::vector<std::vector<int>>>(
      rc::gen::container<std::vector<int>>(3, rc::gen::inRange(0, 6)));
  std::vector<std::vector<std::optional<double>>> rows;
  for (const std::vector<int>& row : values) {
    rows.push_back({});
    for (const int value : row) {
      rows.back().push_back(value == 0 && row[0] == 1 ? std::nullopt : std::optional<double>(value));
    }
  }
  const store::StudyResults results = with_metrics(rows);
  for (const std::vector<store::Objective>& objectives :
       {std::vector{fast}, std::vector{fast, many}, std::vector{fast, many, small}}) {
    std::vector<std::size_t> front = pareto_front(results, objectives);
    std::ranges::sort(front);
    RC_ASSERT(front == front_by_definition(results, objectives));
  }
}

TEST(BestPoint, IsTheFirstOfEqualsAndOneThatWasDone) {
  store::StudyResults results = with_metrics({{3, 5}, {2, 9}, {2, 9}, {1, 1}});
  results.points[3].done = false;
  EXPECT_EQ(best_point(results, fast), 1U);
  EXPECT_EQ(best_point(results, many), 1U);
  EXPECT_EQ(best_point(results, small), std::nullopt);
}

/// The metric memory_bytes as the mark of points that may be the best.
TEST(BestPoint, IsEligible) {
  store::StudyResults results = with_metrics({{1.0, 9.0, 0.0}, {2.0, 8.0, 1.0}, {3.0, 9.0, 1.0}, {4.0, 7.0, 1.0}});
  results.eligible = 2;
  EXPECT_EQ(best_point(results, fast), 1U);
  EXPECT_EQ(pareto_front(results, {fast, many}), (std::vector<std::size_t>{1, 2}));
}

TEST(ReportObjectives, FollowTheNameOfTheFirstMetricWhenTheStudyAsksForNone) {
  store::StudyResults results = with_metrics({{1, 1}});
  ASSERT_EQ(report_objectives(results).size(), 1U);
  EXPECT_EQ(report_objectives(results)[0].direction, store::Direction::minimise);
  results.metrics = {"samples_per_s", "step_time_s", "memory_bytes"};
  EXPECT_EQ(report_objectives(results)[0].direction, store::Direction::maximise);
  results.objectives = {many};
  EXPECT_EQ(report_objectives(results)[0].variable, many.variable);
}

TEST(FrontObjectives, AreTwoWhereThereAreTwoMetrics) {
  store::StudyResults results = with_metrics({{1, 1}});
  results.objectives = {many};
  const std::vector<store::Objective> objectives = front_objectives(results);
  ASSERT_EQ(objectives.size(), 2U);
  EXPECT_EQ(objectives[0].variable, many.variable);
  EXPECT_EQ(objectives[1].variable, fast.variable);
  EXPECT_EQ(objectives[1].direction, store::Direction::minimise);
  results.metrics.resize(1);
  results.objectives.clear();
  EXPECT_EQ(front_objectives(results).size(), 1U);
}

TEST(FrontObjectives, AreThatOfTheReportAndTheLeastAlongX) {
  store::StudyResults results = with_metrics({{1, 1}, {2, 2}});
  results.objectives = {many};
  results.x = "n";
  const std::vector<store::Objective> objectives = front_objectives(results);
  ASSERT_EQ(objectives.size(), 2U);
  EXPECT_EQ(objectives[1].variable, (store::Variable{store::Variable::Kind::axis, 0}));
  EXPECT_EQ(objectives[1].direction, store::Direction::minimise);
  // More samples need a greater n: neither point dominates the other.
  EXPECT_EQ(pareto_front(results, objectives), (std::vector<std::size_t>{1, 0}));
  // A non-numeric axis has no least value.
  results.axes[0].values[1] = {"many", std::nullopt};
  EXPECT_EQ(front_objectives(results)[1].variable, fast.variable);
}

TEST(ReferencePoint, IsTheFirstThatWasDoneWhereTheBaselineFailed) {
  store::StudyResults results = with_metrics({{1, 1}, {2, 2}, {3, 3}});
  results.baseline = 2;
  EXPECT_EQ(reference_point(results), 2U);
  results.points[2].done = results.points[0].done = false;
  EXPECT_EQ(reference_point(results), 1U);
  results.points[1].done = false;
  EXPECT_EQ(reference_point(results), std::nullopt);
}

/// A grid of three axes: a number, a word and a pair of numbers that move together; the metric is a polynomial.
struct Grid {
  std::vector<double> a;
  std::vector<std::string> b;
  std::vector<double> c;

  static double value(double a_value, std::size_t b_value, double c_value) {
    return 100 + 3 * a_value + 7 * double((b_value * 5) % 3) - 2 * c_value + 0.5 * a_value * c_value;
  }

  store::StudyResults results() const {
    store::StudyResults made;
    made.metrics = {"m"};
    made.metric_units = {""};
    made.axes = {{"a", 0, {}}, {"b", 1, {}}, {"c", 2, {}}, {"c twice", 2, {}}};
    for (const double x : a) made.axes[0].values.push_back({std::to_string(x), x});
    for (const std::string& x : b) made.axes[1].values.push_back({x, {}});
    for (const double x : c) {
      made.axes[2].values.push_back({std::to_string(x), x});
      made.axes[3].values.push_back({std::to_string(2 * x), 2 * x});
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < b.size(); ++j) {
        for (std::size_t k = 0; k < c.size(); ++k) {
          store::ResultPoint point;
          point.done = true;
          point.axes = {made.axes[0].values[i], made.axes[1].values[j], made.axes[2].values[k], made.axes[3].values[k]};
          point.metrics = {value(a[i], j, c[k])};
          made.points.push_back(point);
        }
      }
    }
    return made;
  }
};

TEST(Sensitivity, GoesToTheEndsOfEveryAxisAlone) {
  const Grid grid{{1, 2, 8}, {"x", "y", "z"}, {10, 20}};
  const store::StudyResults results = grid.results();
  const std::size_t reference = 1 * 6 + 1 * 2 + 0;  // a = 2, b = y, c = 10
  const std::vector<Swing> swings = sensitivity(results, reference, 0);
  ASSERT_EQ(swings.size(), 3U);
  for (const Swing& swing : swings) {
    ASSERT_FALSE(swing.missing());
    if (swing.axes.front() == 0) {
      EXPECT_EQ(swing.min_value, Grid::value(1, 1, 10));
      EXPECT_EQ(swing.greatest_value, Grid::value(8, 1, 10));
    } else if (swing.axes.front() == 1) {
      // Words have no order: the ends are those of the metric. b's part is 0, 14 and 7 for x, y and z.
      EXPECT_EQ(swing.min_value, Grid::value(2, 0, 10));
      EXPECT_EQ(swing.greatest_value, Grid::value(2, 1, 10));
      EXPECT_EQ(swing.greatest, reference);
    } else {
      EXPECT_EQ(swing.axes, (std::vector<std::size_t>{2, 3}));
      EXPECT_EQ(swing.least, reference);
      EXPECT_EQ(swing.greatest_value, Grid::value(2, 1, 20));
    }
  }
  // By how far they reach: a from -8 to +48, b from -14 to 0, c from -10 to 0.
  EXPECT_EQ(swings[0].axes.front(), 0U);
  EXPECT_EQ(swings[1].axes.front(), 1U);
  EXPECT_EQ(swings[2].axes.front(), 2U);
}

TEST(Sensitivity, SaysWhichAxesHaveNoPointsOfTheirOwn) {
  store::StudyResults results = Grid{{1, 2}, {"x"}, {10, 20}}.results();
  // Only the diagonal is left: no two points differ in one axis alone.
  results.points = {results.points[0], results.points[3]};
  const std::vector<Swing> swings = sensitivity(results, 0, 0);
  ASSERT_EQ(swings.size(), 2U) << "an axis of one value is none";
  EXPECT_TRUE(swings[0].missing());
  EXPECT_TRUE(swings[1].missing());
}

TEST(Sensitivity, PassesOverPointsThatFailed) {
  store::StudyResults results = Grid{{1, 2, 8}, {"x"}, {10}}.results();
  results.points[2].done = false;
  results.points[2].metrics = {std::nullopt};
  const std::vector<Swing> swings = sensitivity(results, 0, 0);
  ASSERT_EQ(swings.size(), 1U);
  EXPECT_EQ(swings[0].greatest, 1U);
}

}  // namespace
}  // namespace podsim::studies::charts
