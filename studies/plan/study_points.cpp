// SPDX-License-Identifier: Apache-2.0
// Part of studies/plan/study.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "studies/plan/point_maker.h"

namespace podsim::studies::plan {

namespace {

base::InputError none_left(const plan::Study& study) {
  if (study.constraints.empty()) return base::InputError("the study has no point");
  const plan::StudyExpression& last = study.constraints.back();
  base::SourceLocation place = last.place;
  place.length = std::max<int>(1, int(last.text.size()));
  return base::InputError({base::Diagnostic::Severity::error,
                           fmt::format("the constraints leave none of {} points", plan::study_size(study)), place, ""});
}

}  // namespace

std::string to_string(plan::StudyMode mode) {
  constexpr std::array names{"grid", "zip", "list"};
  return names[std::size_t(mode)];
}

std::string to_string(plan::SearchMethod method) {
  constexpr std::array names{"random", "gaussian", "halving"};
  return names[std::size_t(method)];
}

std::int64_t study_size(const plan::Study& study) {
  std::int64_t size = 1;
  for (const AxisGroup& group : axis_groups(study)) {
    if (group.length > 0 && size > std::numeric_limits<std::int64_t>::max() / group.length) {
      return std::numeric_limits<std::int64_t>::max();
    }
    size *= group.length;
  }
  return size;
}

void require_moderate_size(const plan::Study& study) {
  const std::int64_t size = plan::study_size(study);
  if (size <= plan::max_points_unasked) return;
  const plan::StudyAxis& largest =
      *std::ranges::max_element(study.axes, {}, [](const plan::StudyAxis& axis) { return axis.values.size(); });
  std::string product;
  for (const AxisGroup& group : axis_groups(study))
    product += fmt::format("{}{}", product.empty() ? "" : " x ", group.length);
  throw base::InputError(
      {base::Diagnostic::Severity::error,
       fmt::format("the study has {}{} points before constraints, more than {}",
                   product == std::to_string(size) ? "" : product + " = ", size, plan::max_points_unasked),
       largest.places.front(), "--yes runs them all the same"});
}

std::vector<plan::StudyPoint> points_of(const plan::Study& study) {
  PointMaker maker(study);
  plan::DiagnosticList errors;
  PointCheck check(study, maker.machines(), errors);
  const std::vector<AxisGroup> groups = axis_groups(study);
  const std::int64_t size = plan::study_size(study);
  std::vector<std::int64_t> index(groups.size(), 0);
  std::vector<plan::StudyPoint> points;
  for (std::int64_t i = 0; i < size; ++i) {
    if (std::optional<plan::StudyPoint> point = maker.draft(index)) {
      if (maker.complete(*point, index, check, errors)) {
        point->position = std::int64_t(points.size());
        points.push_back(*std::move(point));
      }
    }
    for (std::size_t group = groups.size(); group-- > 0;) {
      if (++index[group] < groups[group].length) break;
      index[group] = 0;
    }
  }
  errors.throw_if_any();
  if (points.empty()) throw none_left(study);
  return points;
}

std::int64_t baseline_position(const plan::Study& study, const std::vector<plan::StudyPoint>& points) {
  const std::span<const plan::StudyValue> all(study.baseline);
  const auto met = [](const plan::StudyPoint& point, std::span<const plan::StudyValue> values) {
    return std::ranges::count_if(values, [&](const plan::StudyValue& wanted) {
      const auto value = std::ranges::find(point.axes, wanted.key, &plan::StudyValue::key);
      return value->number && wanted.number ? value->number == wanted.number : value->text == wanted.text;
    });
  };
  const plan::StudyPoint* nearest = nullptr;
  for (const plan::StudyPoint& point : points) {
    if (met(point, all.first(study.baseline_written)) < std::ptrdiff_t(study.baseline_written)) continue;
    if (nearest == nullptr || met(point, all) > met(*nearest, all)) nearest = &point;
  }
  if (nearest != nullptr) return nearest->position;
  throw base::InputError(
      {base::Diagnostic::Severity::error, "the constraints leave out the baseline", study.baseline_location, ""});
}

std::vector<std::string> network_axes(const plan::Study& study) {
  std::vector<std::string> keys;
  for (const plan::StudyAxis& axis : study.axes) {
    if (axis.key.starts_with("ici.")) keys.push_back(axis.key);
  }
  return keys;
}

}  // namespace podsim::studies::plan
