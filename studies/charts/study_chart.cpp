// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/diagnostic.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"

namespace podsim::studies::charts {
namespace {

constexpr std::size_t max_curves = 12;  // of a family chosen by default

using Kind = store::Variable::Kind;

store::Variable find_variable(const store::StudyResults& results, const std::string& name, const char* what) {
  if (const std::optional<store::Variable> found = results.find(name)) return *found;
  std::vector<std::string> names;
  for (const store::Variable& variable : results.variables()) names.push_back(results.name_of(variable));
  std::string hint = base::did_you_mean(name, names);
  if (hint.empty()) hint = fmt::format("one of: {}", fmt::join(names, ", "));
  throw base::InputError(fmt::format("the study has no '{}' for {}", name, what), hint);
}

bool moves(const store::ResultAxis& axis) { return axis.values.size() > 1; }

store::Variable default_metric(const store::StudyResults& results) {
  const std::vector<store::Objective> objectives = report_objectives(results);
  for (const store::Objective& objective : objectives) {
    if (objective.variable.kind == Kind::metric) return objective.variable;
  }
  if (results.metrics.empty()) throw base::InputError("the study has no metric to draw");
  return {Kind::metric, 0};
}

store::Variable default_x(const store::StudyResults& results) {
  if (const std::optional<store::Variable> asked = results.find(results.x)) return *asked;
  std::optional<std::size_t> chosen;
  for (std::size_t i = 0; i < results.axes.size(); ++i) {
    if (!moves(results.axes[i])) continue;
    if (!chosen || (results.axes[i].numeric() && !results.axes[*chosen].numeric())) chosen = i;
  }
  if (results.axes.empty()) throw base::InputError("the study has no axis to draw against");
  return {Kind::axis, chosen.value_or(0)};
}

bool holds(const std::vector<std::size_t>& axes, std::size_t axis) {
  return std::ranges::find(axes, axis) != axes.end();
}

std::optional<store::Variable> default_family(const store::StudyResults& results, const store::Variable& x,
                                              const store::Variable& metric) {
  const std::optional<std::size_t> reference = reference_point(results);
  if (!reference || x.kind == Kind::metric || metric.kind != Kind::metric) return std::nullopt;
  const std::vector<std::size_t> taken = axes_behind(results, x);
  for (const Swing& swing : sensitivity(results, *reference, metric.index)) {
    const std::size_t axis = swing.axes.front();
    if (!holds(taken, axis) && results.axes[axis].values.size() <= max_curves) return store::Variable{Kind::axis, axis};
  }
  return std::nullopt;
}

/// For every axis, the value that is drawn; std::nullopt where the axis is free.
using FixedValues = std::vector<std::optional<std::string>>;

FixedValues fixed_values(const store::StudyResults& results, const ChartRequest& request, const StudyChart& chart) {
  FixedValues fixed(results.axes.size());
  const std::optional<std::size_t> reference = reference_point(results);
  std::vector<std::size_t> free = axes_behind(results, chart.x);
  if (chart.family) {
    const std::vector<std::size_t> more = axes_behind(results, *chart.family);
    free.insert(free.end(), more.begin(), more.end());
  }
  for (std::size_t axis = 0; axis < fixed.size() && reference; ++axis) {
    if (moves(results.axes[axis]) && !holds(free, axis)) fixed[axis] = results.points[*reference].axes[axis].text;
  }
  for (const auto& [name, value] : request.fixed) {
    const store::Variable axis = find_variable(results, name, "--fix");
    if (axis.kind != Kind::axis) throw base::InputError(fmt::format("'{}' is no axis of the study", name));
    const std::vector<store::ResultValue>& known = results.axes[axis.index].values;
    const auto meant = std::ranges::find_if(known, [&, &wanted = value](const store::ResultValue& v) {
      return v.text == wanted || axis_text(v) == wanted;
    });
    if (value != "any" && meant == known.end()) {
      std::string texts;
      for (const store::ResultValue& one : known) texts += ", " + axis_text(one);
      throw base::InputError(fmt::format("no point has {} at '{}'", name, value), "one of: any" + texts);
    }
    for (const std::size_t with : axes_behind(results, axis)) {
      if (!request.fixed.contains(results.axes[with].name)) fixed[with] = std::nullopt;
    }
    fixed[axis.index] = value == "any" ? std::nullopt : std::optional(meant->text);
  }
  return fixed;
}

bool agrees(const store::ResultPoint& point, const FixedValues& fixed) {
  for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
    if (fixed[axis] && point.axes[axis].text != *fixed[axis]) return false;
  }
  return true;
}

/// The series of the points that agree with `fixed`, in the family's order.
std::vector<ChartSeries> series_of(const store::StudyResults& results, const StudyChart& chart,
                                   const FixedValues& fixed) {
  const VariableDisplay x = display_of(results, chart.x), y = display_of(results, chart.y);
  const VariableDisplay family = chart.family ? display_of(results, *chart.family) : VariableDisplay();
  std::map<std::pair<double, std::string>, ChartSeries> by_value;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const store::ResultPoint& point = results.points[i];
    if (!point.done || !agrees(point, fixed)) continue;
    const std::optional<double> at = coordinate_of(results, point, chart.x, x),
                                height = coordinate_of(results, point, chart.y, y);
    if (!at || !height) continue;
    std::pair<double, std::string> key;
    if (chart.family) {
      key = {coordinate_of(results, point, *chart.family, family).value_or(0),
             value_text(results, point, *chart.family, family)};
    }
    by_value[key].marks.push_back({*at, *height, i});
  }
  std::vector<ChartSeries> series;
  for (auto& [key, one] : by_value) {
    one.label = key.second;
    std::ranges::stable_sort(one.marks, {}, &ChartMark::x);
    const bool single = std::ranges::adjacent_find(one.marks, {}, &ChartMark::x) == one.marks.end();
    one.line = single && !x.categorical && chart.x.kind != Kind::metric && results.search.empty();
    series.push_back(std::move(one));
  }
  return series;
}

std::size_t count_marks(const std::vector<ChartSeries>& series) {
  std::size_t count = 0;
  for (const ChartSeries& one : series) count += one.marks.size();
  return count;
}

/// True if two points that are equal in all axes outside `group` differ in the derived value.
bool changed_by(const store::StudyResults& results, std::size_t derived, std::size_t group) {
  std::map<std::vector<std::string>, std::string> seen;
  for (const store::ResultPoint& point : results.points) {
    std::vector<std::string> others;
    for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
      if (results.axes[axis].group != group) others.push_back(point.axes[axis].text);
    }
    const auto [place, first] = seen.emplace(std::move(others), point.derived[derived].text);
    if (!first && place->second != point.derived[derived].text) return true;
  }
  return false;
}

}  // namespace

std::vector<std::size_t> axes_behind(const store::StudyResults& results, const store::Variable& variable) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    const std::size_t group = results.axes[axis].group;
    const bool behind = variable.kind == Kind::metric ||
                        (variable.kind == Kind::axis && group == results.axes[variable.index].group) ||
                        (variable.kind == Kind::derived && changed_by(results, variable.index, group));
    if (behind) axes.push_back(axis);
  }
  return axes;
}

StudyChart study_chart(const store::StudyResults& results, const ChartRequest& request) {
  StudyChart chart;
  chart.y = request.metric.empty() ? default_metric(results) : find_variable(results, request.metric, "--metric");
  chart.x = request.x.empty() ? default_x(results) : find_variable(results, request.x, "--x");
  if (request.family.empty()) {
    chart.family = default_family(results, chart.x, chart.y);
  } else if (request.family != "none") {
    chart.family = find_variable(results, request.family, "--family");
  }
  FixedValues fixed = fixed_values(results, request, chart);
  chart.series = series_of(results, chart, fixed);
  const bool few = !results.search.empty() || count_marks(chart.series) < 2;
  if (few && request.fixed.empty()) {
    fixed.assign(fixed.size(), std::nullopt);
    chart.series = series_of(results, chart, fixed);
  }
  for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
    if (fixed[axis]) chart.fixed.emplace_back(axis, *fixed[axis]);
  }
  return chart;
}

}  // namespace podsim::studies::charts
