// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "workloads/study/expression.h"
#include "workloads/study/metrics.h"
#include "workloads/study/point_check.h"

namespace podsim::workloads {

namespace {

/// Axes that move together.
struct Group {
  std::vector<const StudyAxis*> axes;
  std::int64_t length = 0;
};

std::vector<Group> groups_of(const Study& study) {
  std::vector<Group> groups;
  for (const StudyAxis& axis : study.axes) {
    if (std::size_t(axis.group) >= groups.size()) groups.resize(std::size_t(axis.group) + 1);
    groups[std::size_t(axis.group)].axes.push_back(&axis);
    groups[std::size_t(axis.group)].length = std::int64_t(axis.values.size());
  }
  return groups;
}

/// "slice = 4x4, batch_per_core = 32"
std::string describe(const std::vector<StudyValue>& axes) {
  std::string words;
  for (const StudyValue& value : axes) {
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", value.key, value.text);
  }
  return words;
}

class PointMaker {
 public:
  explicit PointMaker(const Study& study)
      : study_(study),
        machines_(study_folder(study)),
        keys_(study.command, machines_.get(PointSettings(study, first_axes(), {}).machine()), workloads()),
        check_(study, machines_, errors_) {
    for (const StudyExpression& derived : study.derived) derived_.emplace_back(derived);
    for (const StudyExpression& constraint : study.constraints) constraints_.emplace_back(constraint);
  }

  std::vector<StudyPoint> points() {
    const std::vector<Group> groups = groups_of(study_);
    const std::int64_t size = study_size(study_);
    std::vector<std::int64_t> index(groups.size(), 0);
    std::vector<StudyPoint> points;
    for (std::int64_t i = 0; i < size; ++i) {
      take(index, points);
      for (std::size_t group = groups.size(); group-- > 0;) {
        if (++index[group] < groups[group].length) break;
        index[group] = 0;
      }
    }
    errors_.throw_if_any();
    if (points.empty()) throw none_left();
    return points;
  }

 private:
  std::vector<StudyValue> first_axes() const {
    std::vector<StudyValue> values;
    for (const StudyAxis& axis : study_.axes) {
      if (!axis.values.empty()) values.push_back(axis.values.front());
    }
    return values;
  }

  std::vector<std::string> workloads() const {
    std::vector<std::string> names;
    const auto take = [&](const StudyValue& value) {
      if (value.key == "workload") names.push_back(value.text);
    };
    std::ranges::for_each(study_.base, take);
    for (const StudyAxis& axis : study_.axes) std::ranges::for_each(axis.values, take);
    return names;
  }

  base::InputError none_left() const {
    if (study_.constraints.empty()) return base::InputError("the study has no point");
    const StudyExpression& last = study_.constraints.back();
    base::SourceLocation place = last.place;
    place.length = std::max<int>(1, int(last.text.size()));
    return base::InputError({base::Diagnostic::Severity::error,
                             fmt::format("the constraints leave none of {} points", study_size(study_)), place, ""});
  }

  void take(const std::vector<std::int64_t>& index, std::vector<StudyPoint>& points) {
    StudyPoint point;
    for (const StudyAxis& axis : study_.axes) {
      point.axes.push_back(axis.values[std::size_t(index[std::size_t(axis.group)])]);
    }
    std::vector<double> numbers;
    for (Expression& derived : derived_) {
      numbers.push_back(evaluate(derived, point));
      point.derived.push_back({derived.source().name, "", numbers.back()});
    }
    for (Expression& constraint : constraints_) {
      if (!(std::abs(evaluate(constraint, point)) > 0)) return;
    }
    if (!write_derived(point)) return;
    point.position = std::int64_t(points.size());
    check_.check(settings(point, index), "at " + describe(point.axes));
    write_arguments(point);
    points.push_back(std::move(point));
  }

  double evaluate(Expression& expression, const StudyPoint& point) {
    const PointSettings settings(study_, point.axes, point.derived);
    return expression.evaluate([&](const std::string& name) {
      return point_variable(settings, name, machines_).value_or(std::numeric_limits<double>::quiet_NaN());
    });
  }

  /// As what their keys take, and plain numbers where they are no keys.
  bool write_derived(StudyPoint& point) {
    bool fits = true;
    for (std::size_t i = 0; i < point.derived.size(); ++i) {
      StudyValue& value = point.derived[i];
      const StudyExpression& source = study_.derived[i];
      if (!std::isfinite(*value.number)) {
        errors_.error(source.place, fmt::format("'{}' is no finite number at {}", value.key, describe(point.axes)));
        fits = false;
      } else if (!keys_.known(value.key)) {
        value.text = number_text(*value.number);
      } else {
        try {
          value = keys_.value(value.key, *value.number);
        } catch (const base::InputError& error) {
          errors_.error(source.place, error.diagnostics().front().message, "at " + describe(point.axes));
          fits = false;
        }
      }
    }
    return fits;
  }

  std::vector<PlacedValue> settings(const StudyPoint& point, const std::vector<std::int64_t>& index) const {
    std::vector<PlacedValue> values;
    for (std::size_t i = 0; i < point.axes.size(); ++i) {
      const StudyAxis& axis = study_.axes[i];
      values.push_back({&point.axes[i], axis.places[std::size_t(index[std::size_t(axis.group)])]});
    }
    for (std::size_t i = 0; i < point.derived.size(); ++i) {
      if (keys_.known(point.derived[i].key)) values.push_back({&point.derived[i], study_.derived[i].place});
    }
    for (std::size_t i = 0; i < study_.base.size(); ++i) {
      const std::string& key = study_.base[i].key;
      const bool replaced = std::ranges::any_of(values, [&](const PlacedValue& v) { return v.value->key == key; });
      if (!replaced) values.push_back({&study_.base[i], study_.base_places[i]});
    }
    return values;
  }

  void write_arguments(StudyPoint& point) const {
    const PointSettings settings(study_, point.axes, point.derived);
    point.arguments.push_back(study_.command);
    for (const StudyFlag& flag : study_flags(study_.command)) {
      const std::string text = settings.text(flag.key);
      if (!text.empty()) write_flag(flag, text, point);
    }
    std::vector<std::string> assignments;
    const auto assign = [&](const StudyValue& value) {
      if (keys_.flag(value.key) != nullptr || !keys_.known(value.key) || value.text.empty()) return;
      if (settings.find(value.key) == &value) assignments.push_back(value.key + "=" + value.text);
    };
    std::ranges::for_each(point.axes, assign);
    std::ranges::for_each(point.derived, assign);
    std::ranges::for_each(study_.base, assign);
    std::ranges::sort(assignments);
    for (std::string& assignment : assignments) {
      point.arguments.emplace_back("--set");
      point.arguments.push_back(std::move(assignment));
    }
  }

  void write_flag(const StudyFlag& flag, const std::string& text, StudyPoint& point) const {
    if (flag.form == FlagForm::toggle) {
      if (text == "on") point.arguments.push_back(flag.word);
      return;
    }
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end =
          flag.form == FlagForm::repeated ? std::min(text.find(' ', begin), text.size()) : text.size();
      if (end > begin) {
        if (flag.form != FlagForm::argument) point.arguments.push_back(flag.word);
        point.arguments.push_back(text.substr(begin, end - begin));
      }
      begin = end + 1;
    }
    if (flag.type == FlagType::file) name_file(flag, text, point);
  }

  /// The word that was written last, as a file beside the study where it is one.
  void name_file(const StudyFlag& flag, const std::string& text, StudyPoint& point) const {
    const std::filesystem::path path = study_file(study_folder(study_), text);
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(path, ignored);
    const bool by_name = flag.key == "workload" && text.find_first_of("./") == std::string::npos;
    const bool built_in = flag.key == "machine" && is_built_in_machine(text);
    if (!is_file || by_name || built_in) return;
    point.arguments.back() = path.string();
    point.files.push_back({point.arguments.size() - 1, text, path});
  }

  const Study& study_;
  MachineCache machines_;
  StudyKeys keys_;
  DiagnosticList errors_;
  PointCheck check_;
  std::vector<Expression> derived_, constraints_;
};

}  // namespace

std::string to_string(StudyMode mode) {
  constexpr std::array names{"grid", "zip", "list"};
  return names[std::size_t(mode)];
}

std::int64_t study_size(const Study& study) {
  std::int64_t size = 1;
  for (const Group& group : groups_of(study)) {
    if (group.length > 0 && size > std::numeric_limits<std::int64_t>::max() / group.length) {
      return std::numeric_limits<std::int64_t>::max();
    }
    size *= group.length;
  }
  return size;
}

void require_moderate_size(const Study& study) {
  const std::int64_t size = study_size(study);
  if (size <= most_points_unasked) return;
  const StudyAxis& largest =
      *std::ranges::max_element(study.axes, {}, [](const StudyAxis& axis) { return axis.values.size(); });
  std::string product;
  for (const Group& group : groups_of(study))
    product += fmt::format("{}{}", product.empty() ? "" : " x ", group.length);
  throw base::InputError(
      {base::Diagnostic::Severity::error,
       fmt::format("the study has {}{} points before constraints, more than {}",
                   product == std::to_string(size) ? "" : product + " = ", size, most_points_unasked),
       largest.places.front(), "--yes runs them all the same"});
}

std::vector<StudyPoint> points_of(const Study& study) { return PointMaker(study).points(); }

std::int64_t baseline_position(const Study& study, const std::vector<StudyPoint>& points) {
  const std::span<const StudyValue> all(study.baseline);
  const auto met = [](const StudyPoint& point, std::span<const StudyValue> values) {
    return std::ranges::count_if(values, [&](const StudyValue& wanted) {
      const auto value = std::ranges::find(point.axes, wanted.key, &StudyValue::key);
      return value->number && wanted.number ? value->number == wanted.number : value->text == wanted.text;
    });
  };
  const StudyPoint* nearest = nullptr;
  for (const StudyPoint& point : points) {
    if (met(point, all.first(study.baseline_written)) < std::ptrdiff_t(study.baseline_written)) continue;
    if (nearest == nullptr || met(point, all) > met(*nearest, all)) nearest = &point;
  }
  if (nearest != nullptr) return nearest->position;
  throw base::InputError(
      {base::Diagnostic::Severity::error, "the constraints leave out the baseline", study.baseline_place, ""});
}

std::vector<std::string> network_axes(const Study& study) {
  std::vector<std::string> keys;
  for (const StudyAxis& axis : study.axes) {
    if (axis.key.starts_with("ici.")) keys.push_back(axis.key);
  }
  return keys;
}

}  // namespace podsim::workloads
