// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
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

namespace {

using NamedValues = std::vector<std::pair<std::string, double>>;

/// The number that a name in an expression on results has at a point: of `metrics`, a metric of the result, or a
/// variable of the point; NaN if it has none.
double result_variable(const Study& study, const StudyPoint& point, const Json& result, const NamedValues& metrics,
                       MachineCache& machines, const std::string& name) {
  const auto earlier = std::ranges::find(metrics, name, &std::pair<std::string, double>::first);
  if (earlier != metrics.end()) return earlier->second;
  const StudyMetric* metric = find_metric(study.command, name);
  std::optional<double> number = metric == nullptr ? std::nullopt : metric_value(*metric, result);
  if (!number) number = point_variable(PointSettings(study, point.axes, point.derived), name, machines);
  return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

NamedValues kept_metrics(const Study& study, const StudyPoint& point, const Json& result) {
  NamedValues metrics;
  for (const std::string& name : study.metrics) {
    if (const auto value = metric_value(*find_metric(study.command, name), result)) metrics.emplace_back(name, *value);
  }
  MachineCache machines(study_folder(study));
  for (const StudyExpression& derived : study.metric_derived) {
    const double value = Expression(derived).evaluate(
        [&](const std::string& name) { return result_variable(study, point, result, metrics, machines, name); });
    if (std::isfinite(value)) metrics.emplace_back(derived.name, value);
  }
  return metrics;
}

bool constraints_hold(const Study& study, const StudyPoint& point, const Json& result, const NamedValues& metrics) {
  MachineCache machines(study_folder(study));
  return std::ranges::all_of(study.metric_constraints, [&](const StudyExpression& constraint) {
    bool known = true;
    const double value = Expression(constraint).evaluate([&](const std::string& name) {
      const double number = result_variable(study, point, result, metrics, machines, name);
      known = known && !std::isnan(number);
      return number;
    });
    return known && std::abs(value) > 0;
  });
}

/// False for a point of a search by halving that runs with less than the whole fidelity.
bool is_whole(const Study& study, const StudyPoint& point) {
  if (!study.search || study.search->fidelity.empty()) return true;
  const auto axis = std::ranges::find(study.axes, study.search->fidelity, &StudyAxis::key);
  const auto value = std::ranges::find(point.axes, study.search->fidelity, &StudyValue::key);
  return value->text == axis->values.back().text;
}

}  // namespace

const StudyMetric* find_metric(std::string_view command, std::string_view name) {
  const auto& metrics = study_metrics(command);
  const auto found = std::ranges::find(metrics, name, &StudyMetric::name);
  return found == metrics.end() ? nullptr : &*found;
}

bool has_eligible(const Study& study) {
  return !study.metric_constraints.empty() || (study.search && !study.search->fidelity.empty());
}

bool satisfies_constraints(const Study& study, const StudyPoint& point, const Json& result) {
  return constraints_hold(study, point, result, kept_metrics(study, point, result));
}

std::vector<std::pair<std::string, double>> metrics_of(const Study& study, const StudyPoint& point,
                                                       const Json& result) {
  NamedValues metrics = kept_metrics(study, point, result);
  if (has_eligible(study)) {
    const bool eligible = is_whole(study, point) && constraints_hold(study, point, result, metrics);
    metrics.emplace_back(eligible_metric, eligible ? 1 : 0);
  }
  return metrics;
}

}  // namespace podsim::studies::plan
