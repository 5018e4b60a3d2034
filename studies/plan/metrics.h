// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "studies/plan/study.h"

/// The metrics that a study can keep: numbers in the JSON that a command prints with --json.
namespace podsim::studies::plan {

/// Reduction of a list's rows to one number; `total` is the sum over rows of value times the row's "count".
enum class MetricOf { value, sum, total, largest, mean };

struct StudyMetric {
  std::string name;         ///< JSON path, joined by dots: "utilization.mxu"; for a list, "collectives.time_s"
  std::string unit;         ///< "s", "B", "1" for shares, "" for counts
  std::string description;  ///< one line
  MetricOf of = MetricOf::value;
  bool always = true;  ///< false: only some runs have it
};

/// All metrics of a command of study_commands().
const std::vector<StudyMetric>& study_metrics(std::string_view command);

/// nullptr if the command has no metric of this name.
const StudyMetric* find_metric(std::string_view command, std::string_view name);

/// The metric's value in the JSON `result`; std::nullopt if this run does not have it. A sum over an empty list is 0.
std::optional<double> metric_value(const StudyMetric& metric, const nlohmann::ordered_json& result);

/// Name of the metric that says which points may be the best: 1 if all metric_constraints are satisfied and, in a
/// search by halving, the fidelity has its last value; else 0. Only studies with one of the two have it.
inline constexpr const char* eligible_metric = "eligible";
bool has_eligible(const Study& study);

/// True if the result satisfies the metric_constraints. One that needs a metric that the result lacks is not satisfied.
bool satisfies_constraints(const Study& study, const StudyPoint& point, const nlohmann::ordered_json& result);

/// Names and values of the study's metrics, then of its derived metrics, without those that the result lacks and
/// derived ones that are not finite; at last eligible_metric, if the study has it.
std::vector<std::pair<std::string, double>> metrics_of(const Study& study, const StudyPoint& point,
                                                       const nlohmann::ordered_json& result);

}  // namespace podsim::studies::plan
