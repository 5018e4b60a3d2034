// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "workloads/study/study.h"

/// The figures that a study can keep: numbers in what a command prints with --json.
namespace podsim::workloads {

/// How the rows of a list make one number; `total` is the sum of each row's times the row's "count".
enum class MetricOf { value, sum, total, largest, mean };

struct StudyMetric {
  std::string name;         ///< the way to it, joined by dots: "utilization.mxu"; of lists "collectives.time_s"
  std::string unit;         ///< "s", "B", "1" for shares, "" for counts
  std::string description;  ///< one line
  MetricOf of = MetricOf::value;
  bool always = true;  ///< false: only some runs have it
};

/// Every metric of "run" or "collective".
const std::vector<StudyMetric>& study_metrics(std::string_view command);

/// nullptr where the command has none of the name.
const StudyMetric* find_metric(std::string_view command, std::string_view name);

/// Nothing where this run has no such figure.
std::optional<double> metric_value(const StudyMetric& metric, const nlohmann::ordered_json& result);

/// The study's metrics and then its derived ones by their names, those that the result has. A derived one that is not
/// a finite number is left out as well.
std::vector<std::pair<std::string, double>> metrics_of(const Study& study, const StudyPoint& point,
                                                       const nlohmann::ordered_json& result);

}  // namespace podsim::workloads
