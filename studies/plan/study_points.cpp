// SPDX-License-Identifier: Apache-2.0
// Part of studies/plan/study.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "studies/plan/expression.h"
#include "studies/plan/metrics.h"
#include "studies/plan/point_check.h"
#include "workloads/importers/importer.h"

namespace podsim::studies::plan {

namespace {

/// Axes that move together, each with `length` values.
struct Group {
  std::vector<const plan::StudyAxis*> axes;
  std::int64_t length = 0;
};

std::vector<Group> groups_of(const plan::Study& study) {
  std::vector<Group> groups;
  for (const plan::StudyAxis& axis : study.axes) {
    if (std::size_t(axis.group) >= groups.size()) groups.resize(std::size_t(axis.group) + 1);
    groups[std::size_t(axis.group)].axes.push_back(&axis);
    groups[std::size_t(axis.group)].length = std::int64_t(axis.values.size());
  }
  return groups;
}

/// "slice = 4x4, batch_per_core = 32"
std::string describe(const std::vector<plan::StudyValue>& axes) {
  std::string words;
  for (const plan::StudyValue& value : axes) {
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", value.key, value.text);
  }
  return words;
}

class PointMaker {
 public:
  explicit PointMaker(const plan::Study& study)
      : study_(study),
        machines_(plan::study_folder(study)),
        keys_(study.command, machines_.get(plan::PointSettings(study, first_axes(), {}).machine()), workloads()),
        check_(study, machines_, errors_) {
    for (const plan::StudyExpression& derived : study.derived) derived_.emplace_back(derived);
    for (const plan::StudyExpression& constraint : study.constraints) constraints_.emplace_back(constraint);
  }

  std::vector<plan::StudyPoint> points() {
    const std::vector<Group> groups = groups_of(study_);
    const std::int64_t size = plan::study_size(study_);
    std::vector<std::int64_t> index(groups.size(), 0);
    std::vector<plan::StudyPoint> points;
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
  std::vector<plan::StudyValue> first_axes() const {
    std::vector<plan::StudyValue> values;
    for (const plan::StudyAxis& axis : study_.axes) {
      if (!axis.values.empty()) values.push_back(axis.values.front());
    }
    return values;
  }

  std::vector<std::string> workloads() const {
    std::vector<std::string> names;
    const auto take = [&](const plan::StudyValue& value) {
      if (value.key == "workload") names.push_back(value.text);
    };
    std::ranges::for_each(study_.base, take);
    for (const plan::StudyAxis& axis : study_.axes) std::ranges::for_each(axis.values, take);
    return names;
  }

  base::InputError none_left() const {
    if (study_.constraints.empty()) return base::InputError("the study has no point");
    const plan::StudyExpression& last = study_.constraints.back();
    base::SourceLocation place = last.place;
    place.length = std::max<int>(1, int(last.text.size()));
    return base::InputError({base::Diagnostic::Severity::error,
                             fmt::format("the constraints leave none of {} points", plan::study_size(study_)), place,
                             ""});
  }

  void take(const std::vector<std::int64_t>& index, std::vector<plan::StudyPoint>& points) {
    plan::StudyPoint point;
    for (const plan::StudyAxis& axis : study_.axes) {
      point.axes.push_back(axis.values[std::size_t(index[std::size_t(axis.group)])]);
    }
    std::vector<double> numbers;
    for (plan::Expression& derived : derived_) {
      numbers.push_back(evaluate(derived, point));
      point.derived.push_back({derived.source().name, "", numbers.back()});
    }
    for (plan::Expression& constraint : constraints_) {
      if (!(std::abs(evaluate(constraint, point)) > 0)) return;
    }
    if (!write_derived(point)) return;
    point.position = std::int64_t(points.size());
    check_.check(settings(point, index), "at " + describe(point.axes));
    write_arguments(point);
    points.push_back(std::move(point));
  }

  double evaluate(plan::Expression& expression, const plan::StudyPoint& point) {
    const plan::PointSettings settings(study_, point.axes, point.derived);
    return expression.evaluate([&](const std::string& name) {
      return plan::point_variable(settings, name, machines_).value_or(std::numeric_limits<double>::quiet_NaN());
    });
  }

  /// Writes derived values in the form that their keys take, or as plain numbers if they are not keys. False after an
  /// error.
  bool write_derived(plan::StudyPoint& point) {
    bool fits = true;
    for (std::size_t i = 0; i < point.derived.size(); ++i) {
      plan::StudyValue& value = point.derived[i];
      const plan::StudyExpression& source = study_.derived[i];
      if (!std::isfinite(*value.number)) {
        errors_.error(source.place, fmt::format("'{}' is no finite number at {}", value.key, describe(point.axes)));
        fits = false;
      } else if (!keys_.known(value.key)) {
        value.text = plan::number_text(*value.number);
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

  std::vector<LocatedValue> settings(const plan::StudyPoint& point, const std::vector<std::int64_t>& index) const {
    std::vector<LocatedValue> values;
    for (std::size_t i = 0; i < point.axes.size(); ++i) {
      const plan::StudyAxis& axis = study_.axes[i];
      values.push_back({&point.axes[i], axis.places[std::size_t(index[std::size_t(axis.group)])]});
    }
    for (std::size_t i = 0; i < point.derived.size(); ++i) {
      if (keys_.known(point.derived[i].key)) values.push_back({&point.derived[i], study_.derived[i].place});
    }
    for (std::size_t i = 0; i < study_.base.size(); ++i) {
      const std::string& key = study_.base[i].key;
      const bool replaced = std::ranges::any_of(values, [&](const LocatedValue& v) { return v.value->key == key; });
      if (!replaced) values.push_back({&study_.base[i], study_.base_locations[i]});
    }
    return values;
  }

  void write_arguments(plan::StudyPoint& point) const {
    const plan::PointSettings settings(study_, point.axes, point.derived);
    point.arguments.push_back(study_.command);
    for (const plan::StudyFlag& flag : plan::study_flags(study_.command)) {
      const std::string text = settings.text(flag.key);
      if (!text.empty()) write_flag(flag, text, point);
    }
    std::vector<std::string> assignments;
    const auto assign = [&](const plan::StudyValue& value) {
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

  void write_flag(const plan::StudyFlag& flag, const std::string& text, plan::StudyPoint& point) const {
    if (flag.form == plan::FlagForm::toggle) {
      if (text == "on") point.arguments.push_back(flag.word);
      return;
    }
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end =
          flag.form == plan::FlagForm::repeated ? std::min(text.find(' ', begin), text.size()) : text.size();
      if (end > begin) {
        if (flag.form != plan::FlagForm::argument) point.arguments.push_back(flag.word);
        point.arguments.push_back(text.substr(begin, end - begin));
      }
      begin = end + 1;
    }
    if (flag.type == plan::FlagType::file) name_file(flag, text, point);
  }

  /// If the last argument names a file, replaces it by the resolved path and records the file.
  void name_file(const plan::StudyFlag& flag, const std::string& text, plan::StudyPoint& point) const {
    const std::string file = flag.key == "workload" ? workloads::importers::file_of(text) : text;
    const std::filesystem::path path = plan::study_file(plan::study_folder(study_), file);
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(path, ignored);
    const bool by_name = flag.key == "workload" && text.find_first_of("./") == std::string::npos;
    const bool built_in = flag.key == "machine" && plan::is_built_in_machine(text);
    if (!is_file || by_name || built_in) return;
    point.arguments.back() = path.string() + text.substr(file.size());
    point.files.push_back({point.arguments.size() - 1, text, path});
  }

  const plan::Study& study_;
  plan::MachineCache machines_;
  plan::StudyKeys keys_;
  plan::DiagnosticList errors_;
  PointCheck check_;
  std::vector<plan::Expression> derived_, constraints_;
};

}  // namespace

std::string to_string(plan::StudyMode mode) {
  constexpr std::array names{"grid", "zip", "list"};
  return names[std::size_t(mode)];
}

std::int64_t study_size(const plan::Study& study) {
  std::int64_t size = 1;
  for (const Group& group : groups_of(study)) {
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
  for (const Group& group : groups_of(study))
    product += fmt::format("{}{}", product.empty() ? "" : " x ", group.length);
  throw base::InputError(
      {base::Diagnostic::Severity::error,
       fmt::format("the study has {}{} points before constraints, more than {}",
                   product == std::to_string(size) ? "" : product + " = ", size, plan::max_points_unasked),
       largest.places.front(), "--yes runs them all the same"});
}

std::vector<plan::StudyPoint> points_of(const plan::Study& study) { return PointMaker(study).points(); }

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
