// SPDX-License-Identifier: Apache-2.0
#include "studies/store/point_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/config_listing.h"
#include "base/diagnostic.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"

namespace podsim::studies::store {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view database_suffix = ".sqlite";
constexpr std::string_view baseline = "baseline";
constexpr std::size_t id_digits = 16;
constexpr std::size_t max_digits = 5;  // of a position; such a number is no beginning of an id

std::string value_of(const ComparedPoint& point, const std::string& key) {
  const auto found = std::ranges::find(point.values, key, &std::pair<std::string, std::string>::first);
  return found == point.values.end() ? "" : found->second;
}

/// The names in `a` in their order, then those only in `b`.
template <class Value>
std::vector<std::string> names_of(const std::vector<std::pair<std::string, Value>>& a,
                                  const std::vector<std::pair<std::string, Value>>& b) {
  std::vector<std::string> names;
  for (const auto* list : {&a, &b}) {
    for (const auto& [name, value] : *list) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::optional<double> metric_of(const ComparedPoint& point, const std::string& name) {
  const auto found = std::ranges::find(point.metrics, name, &std::pair<std::string, double>::first);
  return found == point.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::string unit_of(const ComparedPoint& point, const std::string& name) {
  const auto found = std::ranges::find(point.metrics, name, &std::pair<std::string, double>::first);
  if (found == point.metrics.end()) return "";
  const std::string& unit = point.units[std::size_t(found - point.metrics.begin())];
  return unit == "1" ? "" : unit;
}

report::compare::FigureDifference figure(const std::string& name, const ComparedPoint& a, const ComparedPoint& b) {
  const std::string unit = unit_of(a, name).empty() ? unit_of(b, name) : unit_of(a, name);
  return {name, name, unit, 1, -1, metric_of(a, name), metric_of(b, name)};
}

Json point_json(const ComparedPoint& point) {
  return {{"name", point.name}, {"program", point.program}, {"command_line", point.command}};
}

/// A position has fewer digits than an id.
const ResultPoint* at_position(const StudyResults& study, std::string_view digits) {
  std::int64_t position = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), position);
  if (digits.size() >= id_digits || error != std::errc() || end != digits.data() + digits.size()) return nullptr;
  const auto found = std::ranges::find(study.points, position, &ResultPoint::position);
  return found == study.points.end() ? nullptr : &*found;
}

}  // namespace

std::optional<std::pair<std::filesystem::path, std::string>> point_reference(const std::string& text) {
  std::error_code ignored;
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || std::filesystem::exists(text, ignored)) return std::nullopt;
  const std::filesystem::path path = text.substr(0, colon);
  const std::string id = text.substr(colon + 1);
  if (path.native().ends_with(database_suffix)) return std::pair(path, id);
  if (!std::filesystem::is_directory(path, ignored)) return std::nullopt;
  const std::optional<std::filesystem::path> database = find_study_database(path);
  return database ? std::optional(std::pair(*database, id)) : std::nullopt;
}

const ResultPoint& find_point(const StudyResults& study, std::string_view id) {
  if (id == baseline && study.baseline) return study.points[*study.baseline];
  if (const ResultPoint* point = at_position(study, id)) return *point;
  std::vector<const ResultPoint*> found;
  std::vector<std::string> ids{std::string(baseline)};
  const bool is_number = id.size() <= max_digits && id.find_first_not_of("0123456789") == std::string_view::npos;
  for (const ResultPoint& point : study.points) {
    if (!is_number && point.id.starts_with(id)) found.push_back(&point);
    ids.push_back(point.id);
  }
  if (found.size() == 1) return *found.front();
  const std::string file = study.path.filename().string();
  if (!id.empty() && found.size() > 1) {
    throw base::InputError(fmt::format("{} points of {} have ids that begin with '{}'", found.size(), file, id),
                           fmt::format("such as {} and {}", found[0]->id, found[1]->id));
  }
  const std::string nearest = base::did_you_mean(id, ids);
  throw base::InputError(fmt::format("no point of {} has the position or id '{}'", file, id),
                         !nearest.empty() || study.points.empty()
                             ? nearest
                             : fmt::format("its points are 0 to {}; the id of the first is {}",
                                           study.points.back().position, study.points.front().id));
}

ComparedPoint compared_point(const StudyResults& study, const ResultPoint& point) {
  ComparedPoint result;
  result.name = study.path.string() + ":" + point.id;
  result.program = study.program;
  result.build = point.build;
  result.command = point.command;
  if (!point.done) result.failure = fmt::format("it failed with exit code {}: {}", point.exit_code, point.error);
  for (std::size_t i = 0; i < study.axes.size(); ++i)
    result.values.emplace_back(study.axes[i].name, point.axes[i].text);
  for (std::size_t i = 0; i < study.derived.size(); ++i) {
    result.values.emplace_back(study.derived[i], point.derived[i].text);
  }
  for (std::size_t i = 0; i < study.metrics.size(); ++i) {
    if (!point.metrics[i]) continue;
    result.metrics.emplace_back(study.metrics[i], *point.metrics[i]);
    result.units.push_back(study.metric_units[i]);
  }
  const auto machine = study.machines.find(point.machine);
  if (machine != study.machines.end()) {
    result.machine = base::read_listing("machine of " + result.name, machine->second);
  }
  return result;
}

PointComparison compare_points(ComparedPoint a, ComparedPoint b) {
  PointComparison result;
  if (a.program != b.program) result.settings.push_back({"program", a.program, b.program});
  if (a.build != b.build) result.settings.push_back({"build of the program", a.build, b.build});
  for (const std::string& key : names_of(a.values, b.values)) {
    report::compare::SettingDifference row{key, value_of(a, key), value_of(b, key)};
    if (row.a != row.b) result.settings.push_back(std::move(row));
  }
  result.machine = report::compare::compare_machines(a.machine, b.machine);
  // An axis that is a machine key is in both lists. The machine's row also has the evidence, so the other row goes.
  std::erase_if(result.settings, [&](const report::compare::SettingDifference& row) {
    return std::ranges::find(result.machine, row.key, &report::compare::MachineDifference::key) != result.machine.end();
  });
  for (const std::string& name : names_of(a.metrics, b.metrics)) result.figures.push_back(figure(name, a, b));
  for (const auto& [point, label] : {std::pair(&a, "A"), std::pair(&b, "B")}) {
    if (!point->failure.empty()) result.warnings.push_back(fmt::format("{} has no metrics: {}", label, point->failure));
  }
  result.points = {std::move(a), std::move(b)};
  return result;
}

std::string comparison_text(const PointComparison& comparison) {
  using Align = base::text::TextTable::Align;
  base::text::TextTable head({Align::left, Align::left});
  head.row({"A", comparison.points[0].name});
  head.row({"", comparison.points[0].command});
  head.row({"B", comparison.points[1].name});
  head.row({"", comparison.points[1].command});
  std::string text = head.text() + "\n" + report::compare::configuration_text(comparison.settings, comparison.machine);
  if (!comparison.figures.empty()) text += "\n" + report::compare::figures_text({"A", "B"}, comparison.figures);
  if (!comparison.warnings.empty()) text += "\n";
  for (const std::string& warning : comparison.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string comparison_json(const PointComparison& comparison) {
  const Json json = {{"schema_version", 1},
                     {"command", "compare"},
                     {"a", point_json(comparison.points[0])},
                     {"b", point_json(comparison.points[1])},
                     {"settings", report::compare::settings_json(comparison.settings)},
                     {"machine", report::compare::machine_json(comparison.machine)},
                     {"figures", report::compare::figures_json(comparison.figures)},
                     {"warnings", comparison.warnings}};
  return base::text::json_text(json, 2) + "\n";
}

}  // namespace podsim::studies::store
