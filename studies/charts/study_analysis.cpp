// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_analysis.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace podsim::studies::charts {
namespace {

bool is_cost(std::string_view metric) {
  if (metric.find("per_s") != std::string_view::npos) return false;
  return metric.ends_with("_s") || metric.ends_with("_ps") || metric.ends_with("cycles") ||
         metric.find("bytes") != std::string_view::npos;
}

store::Objective by_name(const store::StudyResults& results, std::size_t metric) {
  return {{store::Variable::Kind::metric, metric},
          is_cost(results.metrics[metric]) ? store::Direction::minimise : store::Direction::maximise};
}

/// The point's value of an objective, negated if it is maximised, so that less is better.
std::optional<double> cost(const store::StudyResults& results, std::size_t index, const store::Objective& objective) {
  const store::ResultPoint& point = results.points[index];
  if (!results.may_be_best(point)) return std::nullopt;
  const std::optional<double> value = results.number(point, objective.variable);
  if (!value || std::isnan(*value)) return std::nullopt;
  return objective.direction == store::Direction::minimise ? *value : -*value;
}

struct Costs {
  std::size_t point = 0;
  std::vector<double> values;  ///< one per objective
};

bool dominates(const std::vector<double>& one, const std::vector<double>& other) {
  bool better = false;
  for (std::size_t i = 0; i < one.size(); ++i) {
    if (one[i] > other[i]) return false;
    better = better || one[i] < other[i];
  }
  return better;
}

bool equal_but_for(const store::ResultPoint& one, const store::ResultPoint& other,
                   const std::vector<std::size_t>& axes) {
  for (std::size_t axis = 0; axis < one.axes.size(); ++axis) {
    if (std::ranges::find(axes, axis) == axes.end() && one.axes[axis] != other.axes[axis]) return false;
  }
  return true;
}

Swing swing_of(const store::StudyResults& results, std::size_t reference, std::size_t metric,
               std::vector<std::size_t> axes) {
  Swing swing;
  swing.axes = std::move(axes);
  const std::size_t leading = swing.axes.front();
  const bool numeric = results.axes[leading].numeric();
  const store::ResultPoint& start = results.points[reference];
  bool moved = false;
  std::vector<std::pair<double, std::size_t>> places;  // (axis value, or metric if the axis is not numeric; point)
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const store::ResultPoint& point = results.points[i];
    if (!point.done || !point.metrics[metric] || !equal_but_for(point, start, swing.axes)) continue;
    places.emplace_back(numeric ? *point.axes[leading].number : *point.metrics[metric], i);
    moved = moved || i != reference;
  }
  if (!moved || !start.metrics[metric]) return swing;
  const auto [least, greatest] = std::ranges::minmax_element(places);
  swing.least = least->second;
  swing.greatest = greatest->second;
  swing.min_value = *results.points[least->second].metrics[metric];
  swing.greatest_value = *results.points[greatest->second].metrics[metric];
  return swing;
}

/// The x of the study's charts, where it is a number that the study's author sets.
std::optional<store::Variable> spent_along_x(const store::StudyResults& results) {
  const std::optional<store::Variable> x = results.find(results.x);
  if (!x || x->kind == store::Variable::Kind::metric) return std::nullopt;
  if (x->kind == store::Variable::Kind::axis && !results.axes[x->index].numeric()) return std::nullopt;
  return x;
}

}  // namespace

std::vector<std::vector<std::size_t>> moving_groups(const store::StudyResults& results) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t axis = 0; axis < results.axes.size(); ++axis) {
    if (results.axes[axis].values.size() < 2) continue;
    auto same = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
      return results.axes[group.front()].group == results.axes[axis].group;
    });
    if (same == groups.end()) {
      groups.push_back({axis});
    } else {
      same->push_back(axis);
    }
  }
  return groups;
}

std::vector<store::Objective> report_objectives(const store::StudyResults& results) {
  if (!results.objectives.empty() || results.metrics.empty()) return results.objectives;
  return {by_name(results, 0)};
}

std::vector<store::Objective> front_objectives(const store::StudyResults& results) {
  std::vector<store::Objective> objectives = report_objectives(results);
  if (objectives.size() == 1) {
    if (const std::optional<store::Variable> spent = spent_along_x(results))
      objectives.push_back({*spent, store::Direction::minimise});
  }
  for (std::size_t metric = 0; metric < results.metrics.size() && objectives.size() == 1; ++metric) {
    const store::Objective other = by_name(results, metric);
    if (other.variable != objectives.front().variable) objectives.push_back(other);
  }
  return objectives;
}

std::optional<std::size_t> reference_point(const store::StudyResults& results) {
  if (results.baseline && results.points[*results.baseline].done) return results.baseline;
  const auto first = std::ranges::find_if(results.points, &store::ResultPoint::done);
  if (first == results.points.end()) return std::nullopt;
  return std::size_t(first - results.points.begin());
}

std::optional<std::size_t> best_point(const store::StudyResults& results, const store::Objective& objective) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const std::optional<double> value = cost(results, i, objective);
    if (value && (!best || *value < *cost(results, *best, objective))) best = i;
  }
  return best;
}

std::vector<std::size_t> pareto_front(const store::StudyResults& results,
                                      const std::vector<store::Objective>& objectives) {
  std::vector<Costs> candidates;
  for (std::size_t i = 0; i < results.points.size() && !objectives.empty(); ++i) {
    Costs costs{i, {}};
    for (const store::Objective& objective : objectives) {
      if (const std::optional<double> value = cost(results, i, objective)) costs.values.push_back(*value);
    }
    if (costs.values.size() == objectives.size()) candidates.push_back(std::move(costs));
  }
  // In lexicographical order, a point comes after all points that dominate it, and one of those is in the front.
  std::ranges::sort(candidates, {}, [](const Costs& costs) { return std::tie(costs.values, costs.point); });
  std::vector<Costs> front;
  for (Costs& candidate : candidates) {
    const bool beaten =
        std::ranges::any_of(front, [&](const Costs& other) { return dominates(other.values, candidate.values); });
    if (!beaten) front.push_back(std::move(candidate));
  }
  std::vector<std::size_t> points;
  for (const Costs& costs : front) points.push_back(costs.point);
  return points;
}

std::vector<Swing> sensitivity(const store::StudyResults& results, std::size_t reference, std::size_t metric) {
  std::vector<Swing> swings;
  for (std::vector<std::size_t>& axes : moving_groups(results)) {
    swings.push_back(swing_of(results, reference, metric, std::move(axes)));
  }
  const double start = results.points[reference].metrics[metric].value_or(0);
  auto reach = [&](const Swing& swing) {
    if (swing.missing()) return -1.0;
    return std::max({swing.min_value, swing.greatest_value, start}) -
           std::min({swing.min_value, swing.greatest_value, start});
  };
  std::ranges::stable_sort(swings, std::greater<>{}, reach);
  return swings;
}

}  // namespace podsim::studies::charts
