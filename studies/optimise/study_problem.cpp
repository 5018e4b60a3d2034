// SPDX-License-Identifier: Apache-2.0
#include "studies/optimise/study_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace podsim::studies::optimise {
namespace {

Dimension dimension_of(const plan::AxisGroup& group) {
  Dimension dimension{group.length, {}};
  const std::vector<plan::StudyValue>& values = group.axes.front()->values;
  std::vector<double> numbers;
  for (const plan::StudyValue& value : values) {
    if (value.number) numbers.push_back(*value.number);
  }
  std::ranges::sort(numbers);
  const bool distinct = std::ranges::adjacent_find(numbers) == numbers.end();
  if (numbers.size() < values.size() || !distinct) return dimension;
  for (const plan::StudyValue& value : values) {
    dimension.ranks.push_back(std::ranges::lower_bound(numbers, *value.number) - numbers.begin());
  }
  return dimension;
}

/// How far a value is from that of the baseline: 0 for the same, the difference of numbers; infinite if there is none.
double distance(const plan::Study& study, const plan::StudyAxis& axis, std::int64_t value) {
  constexpr double far = std::numeric_limits<double>::infinity();
  const auto wanted = std::ranges::find(study.baseline, axis.key, &plan::StudyValue::key);
  if (wanted == study.baseline.end()) return far;
  const plan::StudyValue& there = axis.values[std::size_t(value)];
  if (wanted->number && there.number) return std::abs(*wanted->number - *there.number);
  return wanted->text == there.text ? 0 : far;
}

/// The value of a group that has most of the baseline's values; of equals the one nearest in the first axis, then the
/// first one.
std::int64_t nearest_to_baseline(const plan::Study& study, const plan::AxisGroup& group) {
  std::int64_t best = 0;
  std::pair<std::ptrdiff_t, double> least(1, 0);
  for (std::int64_t value = 0; value < group.length; ++value) {
    const auto met = std::ranges::count_if(
        group.axes, [&](const plan::StudyAxis* axis) { return distance(study, *axis, value) == 0; });
    const std::pair<std::ptrdiff_t, double> way(-met, distance(study, *group.axes.front(), value));
    if (way >= least) continue;
    best = value;
    least = way;
  }
  return best;
}

SearchSpace space_of(const plan::Study& study) {
  std::vector<Dimension> dimensions;
  for (const plan::AxisGroup& group : plan::axis_groups(study)) dimensions.push_back(dimension_of(group));
  return SearchSpace(std::move(dimensions));
}

}  // namespace

StudyProblem::StudyProblem(const plan::Study& study) : study_(study), maker_(study), space_(space_of(study)) {
  add_objectives(study.report.minimise, 1);
  add_objectives(study.report.maximise, -1);
}

void StudyProblem::add_objectives(const std::vector<std::string>& names, double sign) {
  for (const std::string& name : names) {
    const auto found = std::ranges::find(study_.derived, name, &plan::StudyExpression::name);
    Objective& added = objectives_.emplace_back(Objective{name, std::nullopt, sign});
    if (found != study_.derived.end()) added.derived = std::size_t(found - study_.derived.begin());
  }
}

bool StudyProblem::allows(const Candidate& candidate) {
  const auto known = completed_.find(candidate);
  if (known != completed_.end()) return known->second.has_value();
  const std::optional<plan::StudyPoint> draft = maker_.draft(candidate);
  if (!draft) return false;
  const bool finite = std::ranges::all_of(
      draft->derived, [](const plan::StudyValue& value) { return std::isfinite(value.number.value_or(0)); });
  return finite || can_run(candidate);  // which gives the reason
}

std::optional<double> StudyProblem::known_cost(const Candidate& candidate, std::size_t objective) {
  const Objective& wanted = objectives_[objective];
  if (!wanted.derived) return std::nullopt;
  return wanted.sign * maker_.draft(candidate).value().derived[*wanted.derived].number.value();
}

const std::optional<plan::StudyPoint>& StudyProblem::completed(const Candidate& candidate) {
  const auto known = completed_.find(candidate);
  return known != completed_.end() ? known->second : completed_.emplace(candidate, complete(candidate)).first->second;
}

std::optional<plan::StudyPoint> StudyProblem::complete(const Candidate& candidate) {
  plan::StudyPoint point = maker_.draft(candidate).value();
  plan::DiagnosticList errors;
  plan::PointCheck check(study_, maker_.machines(), errors);
  maker_.complete(point, candidate, check, errors);
  try {
    errors.throw_if_any();
  } catch (const base::InputError& error) {
    refuse(point, error.diagnostics().front().message);
    return std::nullopt;
  }
  if (runs_.insert(point.arguments).second) return point;
  refuse(point, "it is the same run as another point");
  return std::nullopt;
}

void StudyProblem::refuse(const plan::StudyPoint& point, const std::string& reason) {
  if (refused_++ == 0) first_refusal_ = fmt::format("{}: {}", plan::describe_values(point.axes), reason);
}

std::optional<Costs> StudyProblem::costs(const plan::StudyPoint& point,
                                         const std::vector<std::pair<std::string, double>>& metrics) const {
  Costs costs;
  for (const Objective& objective : objectives_) {
    if (objective.derived) {
      costs.push_back(objective.sign * point.derived[*objective.derived].number.value());
      continue;
    }
    const auto found = std::ranges::find(metrics, objective.name, &std::pair<std::string, double>::first);
    if (found == metrics.end() || !std::isfinite(found->second)) return std::nullopt;
    costs.push_back(objective.sign * found->second);
  }
  return costs;
}

SearchOptions StudyProblem::options() const {
  const plan::StudySearch& search = study_.search.value();
  SearchOptions options{.points = search.points,
                        .seed = std::uint64_t(search.seed),
                        .batch = search.batch,
                        .begin = search.begin,
                        .keep = search.keep,
                        .fidelity = std::nullopt,
                        .start = Candidate()};
  for (const plan::AxisGroup& group : plan::axis_groups(study_)) {
    if (group.axes.front()->key == search.fidelity) options.fidelity = options.start->size();
    options.start->push_back(nearest_to_baseline(study_, group));
  }
  return options;
}

}  // namespace podsim::studies::optimise
