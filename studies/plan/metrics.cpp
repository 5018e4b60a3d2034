// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/metrics.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "studies/plan/expression.h"
#include "studies/plan/study_variables.h"

namespace podsim::studies::plan {

namespace {

using Json = nlohmann::ordered_json;

/// Appends every number at `path`. A path through a list covers all its rows, each value times the row's count if
/// `counted`.
void numbers_at(const Json& json, std::string_view path, bool counted, double times, std::vector<double>& numbers) {
  if (json.is_array()) {
    for (const Json& row : json) {
      const bool counts = counted && row.is_object() && row.contains("count") && row["count"].is_number();
      numbers_at(row, path, counted, counts ? row["count"].get<double>() : 1, numbers);
    }
    return;
  }
  if (path.empty()) {
    if (json.is_number()) numbers.push_back(json.get<double>() * times);
    return;
  }
  const std::size_t dot = std::min(path.find('.'), path.size());
  const auto found = json.is_object() ? json.find(std::string(path.substr(0, dot))) : json.end();
  if (found != json.end()) numbers_at(*found, path.substr(std::min(dot + 1, path.size())), counted, times, numbers);
}

bool has_list(const Json& json, std::string_view path) {
  const auto found = json.find(std::string(path.substr(0, path.find('.'))));
  return found != json.end() && found->is_array();
}

}  // namespace

std::optional<double> metric_value(const StudyMetric& metric, const Json& result) {
  std::vector<double> numbers;
  const bool adds_up = metric.of == MetricOf::sum || metric.of == MetricOf::total;
  numbers_at(result, metric.name, metric.of == MetricOf::total, 1, numbers);
  if (adds_up && numbers.empty() && has_list(result, metric.name)) return 0;
  if (numbers.empty()) return std::nullopt;
  if (metric.of == MetricOf::largest) return std::ranges::max(numbers);
  double sum = 0;
  for (double number : numbers) sum += number;
  return metric.of == MetricOf::mean ? sum / double(numbers.size()) : sum;
}

const StudyMetric* find_metric(std::string_view command, std::string_view name) {
  const auto& metrics = study_metrics(command);
  const auto found = std::ranges::find(metrics, name, &StudyMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

std::vector<std::pair<std::string, double>> metrics_of(const Study& study, const StudyPoint& point,
                                                       const Json& result) {
  std::vector<std::pair<std::string, double>> metrics;
  for (const std::string& name : study.metrics) {
    if (const auto value = metric_value(*find_metric(study.command, name), result)) metrics.emplace_back(name, *value);
  }
  MachineCache machines(study_folder(study));
  const PointSettings settings(study, point.axes, point.derived);
  for (const StudyExpression& derived : study.metric_derived) {
    Expression expression(derived);
    const double value = expression.evaluate([&](const std::string& name) {
      const auto earlier = std::ranges::find(metrics, name, &std::pair<std::string, double>::first);
      if (earlier != metrics.end()) return earlier->second;
      const StudyMetric* metric = find_metric(study.command, name);
      std::optional<double> number = metric == nullptr ? std::nullopt : metric_value(*metric, result);
      if (!number) number = point_variable(settings, name, machines);
      return number.value_or(std::numeric_limits<double>::quiet_NaN());
    });
    if (std::isfinite(value)) metrics.emplace_back(derived.name, value);
  }
  return metrics;
}

}  // namespace podsim::studies::plan
