// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/text/json_text.h"
#include "report/html/compact_text.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/machine_differences.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_chart.h"
#include "studies/charts/study_display.h"

namespace podsim::studies::charts {
namespace {

using Json = nlohmann::ordered_json;
using Kind = store::Variable::Kind;

/// Ten significant digits; a page shows fewer.
Json short_number(const std::optional<double>& number) {
  return number ? Json(std::stod(fmt::format("{:.10g}", *number))) : Json(nullptr);
}

Json variable_json(const store::StudyResults& results, const store::Variable& variable) {
  const VariableDisplay display = display_of(results, variable);
  Json ticks = Json::array();
  for (const DisplayTick& tick : display.ticks) {
    ticks.push_back({short_number(tick.place), tick.label.empty() ? axis_text({"", {}}) : tick.label});
  }
  const char* kind = variable.kind == Kind::axis ? "axis" : variable.kind == Kind::derived ? "derived" : "metric";
  return {{"name", display.name},
          {"kind", kind},
          {"title", display.title()},
          {"unit", display.unit},
          {"factor", display.factor},
          {"categorical", display.categorical},
          {"logarithmic", display.logarithmic},
          {"ticks", ticks},
          {"behind", axes_behind(results, variable)}};
}

/// A column of values that many points share, each value stored once.
Json shared_values(const store::StudyResults& results, const store::Variable& variable) {
  std::vector<store::ResultValue> known;
  if (variable.kind == Kind::axis) known = results.axes[variable.index].values;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < known.size(); ++i) index.emplace(known[i].text, i);
  Json of = Json::array();
  for (const store::ResultPoint& point : results.points) {
    const store::ResultValue& value =
        variable.kind == Kind::axis ? point.axes[variable.index] : point.derived[variable.index];
    const auto [place, added] = index.emplace(value.text, known.size());
    if (added) known.push_back(value);
    of.push_back(place->second);
  }
  Json list = Json::array();
  for (const store::ResultValue& value : known) list.push_back({axis_text(value), short_number(value.number)});
  return {{"known", list}, {"of", of}};
}

Json values_json(const store::StudyResults& results, const store::Variable& variable) {
  if (variable.kind != Kind::metric) return shared_values(results, variable);
  Json column = Json::array();
  for (const store::ResultPoint& point : results.points) column.push_back(short_number(point.metrics[variable.index]));
  return column;
}

/// Stores the points' command lines in columns: one column for the first words, one for the second words, and so on. A
/// column is one index into `words` if all points have the same word there, else an index for each point, with -1 past
/// the end of a shorter command.
void add_commands(const store::StudyResults& results, Json& data) {
  std::map<std::string, int> index;
  Json words = Json::array();
  std::vector<std::vector<int>> columns;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    std::istringstream text(results.points[i].command);
    std::size_t at = 0;
    for (std::string word; std::getline(text, word, ' '); ++at) {
      const auto [place, added] = index.emplace(word, int(index.size()));
      if (added) words.push_back(word);
      if (at == columns.size()) columns.emplace_back(results.points.size(), -1);
      columns[at][i] = place->second;
    }
  }
  Json commands = Json::array();
  for (const std::vector<int>& column : columns) {
    const bool same = std::ranges::count(column, column.front()) == std::ptrdiff_t(column.size());
    commands.push_back(same ? Json(column.front()) : Json(column));
  }
  data["words"] = std::move(words);
  data["commands"] = std::move(commands);
}

/// Stores the failures. Messages with the same cause usually differ only in numbers, so CompactTexts stores the text
/// once.
void add_failures(const store::StudyResults& results, Json& data) {
  report::html::CompactTexts errors(report::html::CompactTexts::Numbers::all);
  Json points = Json::array(), exit_codes = Json::array();
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const store::ResultPoint& point = results.points[i];
    if (point.done) continue;
    points.push_back(i);
    exit_codes.push_back(point.exit_code);
    errors.add(point.error);
  }
  data["failed"] = {
      {"points", points},
      {"exit", exit_codes},
      {"errors", {{"forms", errors.forms()}, {"form", errors.form_of()}, {"numbers", errors.fillings()}}}};
}

void add_machines(const store::StudyResults& results, const std::optional<std::size_t>& reference, Json& data) {
  const auto all = machine_differences(results, reference ? results.points[*reference].machine : "");
  std::map<std::string, std::size_t> index;
  Json machines = Json::array(), of = Json::array();
  for (const auto& [hash, differences] : all) {
    index.emplace(hash, index.size());
    Json list = Json::array();
    for (const MachineDifference& one : differences) {
      list.push_back({one.key, one.value, one.evidence, one.reference});
    }
    machines.push_back(std::move(list));
  }
  for (const store::ResultPoint& point : results.points) {
    const auto found = index.find(point.machine);
    of.push_back(found == index.end() ? Json(nullptr) : Json(found->second));
  }
  data["machines"] = std::move(machines);
  data["machine"] = std::move(of);
}

std::size_t index_in(const std::vector<store::Variable>& variables, const store::Variable& variable) {
  return std::size_t(std::ranges::find(variables, variable) - variables.begin());
}

void add_choices(const store::StudyResults& results, const std::optional<std::size_t>& reference, Json& data) {
  const std::vector<store::Variable> variables = results.variables();
  const std::vector<store::Objective> objectives = front_objectives(results);
  data["reference"] = reference ? Json(*reference) : Json(nullptr);
  data["objectives"] = Json::array();
  for (const store::Objective& objective : objectives) {
    data["objectives"].push_back(
        {index_in(variables, objective.variable), objective.direction == store::Direction::minimise ? 1 : -1});
  }
  if (!results.search.empty()) data["search"] = true;  // whose points are not joined by lines
  if (results.eligible) data["eligible"] = index_in(variables, {Kind::metric, *results.eligible});
  if (results.metrics.empty() || results.axes.empty()) return;
  const StudyChart chart = study_chart(results, {});
  data["chart"] = {{"x", index_in(variables, chart.x)},
                   {"y", index_in(variables, chart.y)},
                   {"family", chart.family ? Json(index_in(variables, *chart.family)) : Json(nullptr)},
                   {"free", chart.fixed.empty()}};
}

}  // namespace

std::string study_page_data(const store::StudyResults& results) {
  Json data;
  data["variables"] = data["values"] = Json::array();
  for (const store::Variable& variable : results.variables()) {
    data["variables"].push_back(variable_json(results, variable));
    data["values"].push_back(values_json(results, variable));
  }
  data["ids"] = data["position"] = Json::array();
  for (const store::ResultPoint& point : results.points) {
    data["ids"].push_back(point.id);
    data["position"].push_back(point.position);
  }
  if (results.points.empty() || results.points.back().position == std::int64_t(results.points.size()) - 1) {
    data["position"] = nullptr;  // no point is missing: a point's position is its index
  }
  add_failures(results, data);
  const std::optional<std::size_t> reference = reference_point(results);
  add_commands(results, data);
  add_machines(results, reference, data);
  add_choices(results, reference, data);
  return base::text::json_text(data);
}

}  // namespace podsim::studies::charts
