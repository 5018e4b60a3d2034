// SPDX-License-Identifier: Apache-2.0
#include "workloads/goodput/checkpoint_interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/workloads/goodput/sample_job.h"
#include "workloads/goodput/seeds.h"

namespace podsim::workloads::goodput {
namespace {

using base::Duration;

/// The work with the least expected time per work, by ternary search: the function has one minimum.
double exact_best(double checkpoint, double between) {
  double low = 1e-6 * between, high = 100 * between;
  const auto cost = [&](double work) {
    return expected_time(Duration(work), Duration(checkpoint), Duration(0), Duration(between)).si() / work;
  };
  for (int i = 0; i < 300; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (cost(a) < cost(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return low;
}

/// Daly's series is within 0.1 % of the exact optimum at C = M / 100, and within 2 % at C = M / 2 (his figure 4).
TEST(CheckpointInterval, OfDalyIsNearlyTheExactOptimum) {
  EXPECT_NEAR(daly_interval(Duration(10), Duration(1000)).si() / exact_best(10, 1000), 1, 0.001);
  EXPECT_NEAR(daly_interval(Duration(500), Duration(1000)).si() / exact_best(500, 1000), 1, 0.02);
  EXPECT_EQ(daly_interval(Duration(2000), Duration(1000)).si(), 1000);
}

TEST(CheckpointInterval, OfYoungIsTheLimitOfCheapCheckpoints) {
  EXPECT_EQ(young_interval(Duration(2), Duration(100)).si(), 20);
  EXPECT_NEAR(young_interval(Duration(1e-4), Duration(1000)).si() / exact_best(1e-4, 1000), 1, 0.001);
}

/// The fit finds the minimum of a curve of its form: a / x + c x has it at sqrt(a / c).
TEST(CheckpointInterval, IsTheMinimumOfTheCurveThroughThePoints) {
  std::vector<IntervalPoint> points;
  for (int i = -6; i <= 6; ++i) {
    const double work = 300 * std::exp2(i / 3.0);
    points.push_back({work, 12 / work + 1.01 + work * 12 / (400.0 * 400)});
  }
  const BestInterval best = best_interval(points);
  EXPECT_NEAR(best.work.si(), 400, 0.2);
  EXPECT_FALSE(best.at_limit);
}

/// Simulated jobs with crashes at a constant rate are best at Daly's interval, within 5 %.
TEST(CheckpointInterval, OfSimulatedJobsIsThatOfDaly) {
  struct Case {
    double checkpoint_s, between_s;
  };
  for (const Case& one : {Case{20, 40'000}, Case{100, 20'000}, Case{2, 5000}}) {
    JobPlan plan = test::sample_plan(30 * 86'400.0);
    plan.ways[0].save = test::ns(one.checkpoint_s);
    plan.ways[0].store = test::ns(0);
    const auto hosts = double(plan.site->hosts());
    const FaultSource crashes{Cause::software, plan.site->hosts(), 86'400 / one.between_s / hosts, 1};
    const IntervalSearch search = search_interval(plan, {&crashes, 1}, {100, 1});
    const double daly = daly_interval(Duration(one.checkpoint_s), Duration(one.between_s)).si();
    EXPECT_NEAR(search.best.work.si() / daly, 1, 0.05) << one.checkpoint_s;
    EXPECT_FALSE(search.best.at_limit);
  }
}

}  // namespace
}  // namespace podsim::workloads::goodput
