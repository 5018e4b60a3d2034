// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/studies/study_texts.h"

namespace podsim::studies::plan {
namespace {

using Json = nlohmann::ordered_json;

const Json result = Json::parse(R"({
  "step_time_s": 0.5, "utilization": {"mxu": 0.25},
  "collectives": [{"bytes": 100, "count": 3, "time_s": 0.1, "exposed_s": 0.02, "group_size": 4},
                  {"bytes": 7, "count": 1, "time_s": 0.2, "exposed_s": 0.03, "group_size": 32}],
  "loops": [],
  "stages": [{"idle_share": 0.25, "step_s": 1}, {"idle_share": 0.75, "step_s": 3}],
  "memory_banks": {"step_time_s": 2, "ops": [{"count": 2, "streams_s": 0.5, "banks_s": 0.75}]}
})");

double metric_of(const char* name) { return metric_value(*find_metric("run", name), result).value(); }

TEST(Metrics, AreFoundByTheirWay) {
  EXPECT_EQ(metric_of("step_time_s"), 0.5);
  EXPECT_EQ(metric_of("utilization.mxu"), 0.25);
}

TEST(Metrics, OfListsAddUp) {
  EXPECT_DOUBLE_EQ(metric_of("collectives.exposed_s"), 0.02 + 0.03);
  EXPECT_EQ(metric_of("collectives.count"), 4);
  EXPECT_EQ(metric_of("collectives.group_size"), 32);
  EXPECT_EQ(metric_of("stages.idle_share"), 0.5);
  EXPECT_EQ(metric_of("stages.step_s"), 3);
  EXPECT_EQ(metric_of("loops.time_s"), 0);
}

// Rows of 8, 2 and 5 in any order, each of which ran twice: the largest is 8, the mean 5, the sum 15, the total 30.
TEST(Metrics, OfListsDoNotDependOnTheOrderOfTheRows) {
  const auto expected = [](MetricOf of) {
    return of == MetricOf::largest ? 8 : of == MetricOf::mean ? 5 : of == MetricOf::sum ? 15 : 30;
  };
  for (const std::string_view command : study_commands()) {
    for (const StudyMetric& metric : study_metrics(command)) {
      const std::size_t dot = metric.name.rfind('.');
      if (metric.of == MetricOf::value || dot == std::string::npos) continue;
      for (const auto& rows : {std::vector<double>{8, 2, 5}, {2, 8, 5}, {5, 2, 8}}) {
        std::string list = "/" + metric.name.substr(0, dot);
        std::ranges::replace(list, '.', '/');
        Json of_rows;
        for (const double number : rows) {
          Json row{{"count", 2}};
          row[metric.name.substr(dot + 1)] = number;
          of_rows[Json::json_pointer(list)].push_back(row);
        }
        EXPECT_EQ(metric_value(metric, of_rows), expected(metric.of)) << command << " " << metric.name;
      }
    }
  }
}

// 3 * 100 + 1 * 7 bytes, and two ops of 0.75 s.
TEST(Metrics, TotalsCountEachRowAsOftenAsItRan) {
  EXPECT_EQ(metric_of("collectives.bytes"), 307);
  EXPECT_EQ(metric_of("memory_banks.ops.banks_s"), 1.5);
}

TEST(Metrics, AreNothingWhereTheRunHasNone) {
  EXPECT_EQ(metric_value(*find_metric("run", "tokens_per_s"), result), std::nullopt);
  EXPECT_EQ(metric_value(*find_metric("run", "collectives_by_axis.count"), result), std::nullopt);
}

TEST(Metrics, AreNamedOnceAndDescribed) {
  for (const char* command : {"run", "collective"}) {
    std::set<std::string> names;
    for (const StudyMetric& metric : study_metrics(command)) {
      EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
      EXPECT_FALSE(metric.description.empty()) << metric.name;
    }
  }
}

// 16 chips of two cores: 32 cores, 0.5 s.
TEST(Metrics, ExpressionsKnowMetricsAndThePoint) {
  const Study study = study_of(resnet_study(R"([axes]
batch_per_core = [64]
[derived]
global = "batch_per_core * cores"
[metric_derived]
rate = "global / step_time_s"
rate_per_chip = "rate / chips"
waiting = "collectives.exposed_s / step_time_s"
nothing = "tokens_per_s * 2"
)"));
  const auto metrics = metrics_of(study, points_of(study).front(), result);
  ASSERT_EQ(metrics.size(), 4U);
  EXPECT_EQ(metrics[0], (std::pair<std::string, double>("step_time_s", 0.5)));
  EXPECT_EQ(metrics[1], (std::pair<std::string, double>("rate", 64 * 32 / 0.5)));
  EXPECT_EQ(metrics[2], (std::pair<std::string, double>("rate_per_chip", 64 * 32 / 0.5 / 16)));
  EXPECT_EQ(metrics[3].first, "waiting");
  EXPECT_DOUBLE_EQ(metrics[3].second, 0.1);
}

/// 0.5 s in the result; tokens_per_s is not in it.
TEST(Metrics, TellWhichPointsMayBeTheBest) {
  const auto eligible = [](const std::string& constraint) {
    const Study study =
        study_of(resnet_study("[axes]\nbatch_per_core = [64]\n[metric_derived]\nper_ms = \"1 / step_time_s\"\n",
                              "metric_constraints = [\"chips == 16\", \"" + constraint + "\"]"));
    const auto metrics = metrics_of(study, points_of(study).front(), result);
    return metrics.back();
  };
  using Value = std::pair<std::string, double>;
  EXPECT_EQ(eligible("step_time_s < 0.6"), Value("eligible", 1));
  EXPECT_EQ(eligible("per_ms > 2.1"), Value("eligible", 0));
  EXPECT_EQ(eligible("step_time_s * batch_per_core == 32"), Value("eligible", 1));
  EXPECT_EQ(eligible("tokens_per_s < 1 || 1"), Value("eligible", 0));
}

/// A search by halving marks what has less than the last value of its fidelity.
TEST(Metrics, PointsOfLessFidelityAreNotEligible) {
  const Study study =
      study_of(resnet_study("[axes]\nbatch_per_core = [16, 64]\n[report]\nminimise = [\"step_time_s\"]\n"
                            "[search]\nmethod = \"halving\"\nfidelity = \"batch_per_core\"\npoints = 1\n"));
  const auto points = points_of(study);
  EXPECT_EQ(metrics_of(study, points[0], result).back().second, 0);
  EXPECT_EQ(metrics_of(study, points[1], result).back().second, 1);
  EXPECT_TRUE(satisfies_constraints(study, points[0], result));
}

}  // namespace
}  // namespace podsim::studies::plan
