// SPDX-License-Identifier: Apache-2.0
#include "studies/plan/point_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "workloads/importers/importer.h"

namespace podsim::studies::plan {

std::vector<AxisGroup> axis_groups(const plan::Study& study) {
  std::vector<AxisGroup> groups;
  for (const plan::StudyAxis& axis : study.axes) {
    if (std::size_t(axis.group) >= groups.size()) groups.resize(std::size_t(axis.group) + 1);
    groups[std::size_t(axis.group)].axes.push_back(&axis);
    groups[std::size_t(axis.group)].length = std::int64_t(axis.values.size());
  }
  return groups;
}

std::string describe_values(const std::vector<plan::StudyValue>& axes) {
  std::string words;
  for (const plan::StudyValue& value : axes) {
    words += fmt::format("{}{} = {}", words.empty() ? "" : ", ", value.key, value.text);
  }
  return words;
}

PointMaker::PointMaker(const plan::Study& study)
    : study_(study),
      machines_(plan::study_folder(study)),
      keys_(study.command, machines_.get(plan::PointSettings(study, first_axes(), {}).machine()), workloads()) {
  for (const plan::StudyExpression& derived : study.derived) derived_.emplace_back(derived);
  for (const plan::StudyExpression& constraint : study.constraints) constraints_.emplace_back(constraint);
}

std::vector<plan::StudyValue> PointMaker::first_axes() const {
  std::vector<plan::StudyValue> values;
  for (const plan::StudyAxis& axis : study_.axes) {
    if (!axis.values.empty()) values.push_back(axis.values.front());
  }
  return values;
}

std::vector<std::string> PointMaker::workloads() const {
  std::vector<std::string> names;
  const auto take = [&](const plan::StudyValue& value) {
    if (value.key == "workload") names.push_back(value.text);
  };
  std::ranges::for_each(study_.base, take);
  for (const plan::StudyAxis& axis : study_.axes) std::ranges::for_each(axis.values, take);
  return names;
}

std::optional<plan::StudyPoint> PointMaker::draft(const std::vector<std::int64_t>& index) {
  plan::StudyPoint point;
  for (const plan::StudyAxis& axis : study_.axes) {
    point.axes.push_back(axis.values[std::size_t(index[std::size_t(axis.group)])]);
  }
  for (plan::Expression& derived : derived_) {
    const double number = evaluate(derived, point);
    point.derived.push_back({derived.source().name, "", number});
  }
  for (plan::Expression& constraint : constraints_) {
    if (!(std::abs(evaluate(constraint, point)) > 0)) return std::nullopt;
  }
  return point;
}

bool PointMaker::complete(plan::StudyPoint& point, const std::vector<std::int64_t>& index, PointCheck& check,
                          plan::DiagnosticList& errors) {
  if (!write_derived(point, errors)) return false;
  check.check(settings(point, index), "at " + describe_values(point.axes));
  write_arguments(point);
  return true;
}

double PointMaker::evaluate(plan::Expression& expression, const plan::StudyPoint& point) {
  const plan::PointSettings settings(study_, point.axes, point.derived);
  return expression.evaluate([&](const std::string& name) {
    return plan::point_variable(settings, name, machines_).value_or(std::numeric_limits<double>::quiet_NaN());
  });
}

bool PointMaker::write_derived(plan::StudyPoint& point, plan::DiagnosticList& errors) {
  bool fits = true;
  for (std::size_t i = 0; i < point.derived.size(); ++i) {
    plan::StudyValue& value = point.derived[i];
    const plan::StudyExpression& source = study_.derived[i];
    if (!std::isfinite(*value.number)) {
      errors.error(source.place, fmt::format("'{}' is no finite number at {}", value.key, describe_values(point.axes)));
      fits = false;
    } else if (!keys_.known(value.key)) {
      value.text = plan::number_text(*value.number);
    } else {
      try {
        value = keys_.value(value.key, *value.number);
      } catch (const base::InputError& error) {
        errors.error(source.place, error.diagnostics().front().message, "at " + describe_values(point.axes));
        fits = false;
      }
    }
  }
  return fits;
}

std::vector<LocatedValue> PointMaker::settings(const plan::StudyPoint& point,
                                               const std::vector<std::int64_t>& index) const {
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

void PointMaker::write_arguments(plan::StudyPoint& point) const {
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

void PointMaker::write_flag(const plan::StudyFlag& flag, const std::string& text, plan::StudyPoint& point) const {
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
void PointMaker::name_file(const plan::StudyFlag& flag, const std::string& text, plan::StudyPoint& point) const {
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

}  // namespace podsim::studies::plan
