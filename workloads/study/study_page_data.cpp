// SPDX-License-Identifier: Apache-2.0
#include "workloads/study/study_page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sw/report/html/compact_text.h"
#include "workloads/study/chart_marks.h"
#include "workloads/study/machine_differences.h"
#include "workloads/study/study_analysis.h"
#include "workloads/study/study_chart.h"
#include "workloads/study/study_display.h"

namespace podsim::workloads {
namespace {

using Json = nlohmann::ordered_json;
using Kind = Variable::Kind;

/// Ten digits are more than a page shows.
Json short_number(const std::optional<double>& number) {
  return number ? Json(std::stod(fmt::format("{:.10g}", *number))) : Json(nullptr);
}

Json variable_json(const StudyResults& results, const Variable& variable) {
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

/// Values that many points share, each once.
Json shared_values(const StudyResults& results, const Variable& variable) {
  std::vector<ResultValue> known;
  if (variable.kind == Kind::axis) known = results.axes[variable.index].values;
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < known.size(); ++i) index.emplace(known[i].text, i);
  Json of = Json::array();
  for (const ResultPoint& point : results.points) {
    const ResultValue& value = variable.kind == Kind::axis ? point.axes[variable.index] : point.derived[variable.index];
    const auto [place, added] = index.emplace(value.text, known.size());
    if (added) known.push_back(value);
    of.push_back(place->second);
  }
  Json list = Json::array();
  for (const ResultValue& value : known) list.push_back({axis_text(value), short_number(value.number)});
  return {{"known", list}, {"of", of}};
}

Json values_json(const StudyResults& results, const Variable& variable) {
  if (variable.kind != Kind::metric) return shared_values(results, variable);
  Json column = Json::array();
  for (const ResultPoint& point : results.points) column.push_back(short_number(point.metrics[variable.index]));
  return column;
}

/// Commands of a study have most words in common: for the first words of all, the second ones and so on, one index into
/// the words where all points have the same, else one for each point; -1 behind the end of a shorter one.
void add_commands(const StudyResults& results, Json& data) {
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

/// Messages of one failure differ in numbers.
void add_failures(const StudyResults& results, Json& data) {
  sw::CompactTexts errors(sw::CompactTexts::Numbers::all);
  Json points = Json::array(), exit_codes = Json::array();
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const ResultPoint& point = results.points[i];
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

void add_machines(const StudyResults& results, const std::optional<std::size_t>& reference, Json& data) {
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
  for (const ResultPoint& point : results.points) {
    const auto found = index.find(point.machine);
    of.push_back(found == index.end() ? Json(nullptr) : Json(found->second));
  }
  data["machines"] = std::move(machines);
  data["machine"] = std::move(of);
}

std::size_t place_in(const std::vector<Variable>& variables, const Variable& variable) {
  return std::size_t(std::ranges::find(variables, variable) - variables.begin());
}

void add_choices(const StudyResults& results, const std::optional<std::size_t>& reference, Json& data) {
  const std::vector<Variable> variables = results.variables();
  const std::vector<Objective> objectives = front_objectives(results);
  data["reference"] = reference ? Json(*reference) : Json(nullptr);
  data["objectives"] = Json::array();
  for (const Objective& objective : objectives) {
    data["objectives"].push_back(
        {place_in(variables, objective.variable), objective.direction == Direction::minimise ? 1 : -1});
  }
  if (results.metrics.empty() || results.axes.empty()) return;
  const StudyChart chart = study_chart(results, {});
  data["chart"] = {{"x", place_in(variables, chart.x)},
                   {"y", place_in(variables, chart.y)},
                   {"family", chart.family ? Json(place_in(variables, *chart.family)) : Json(nullptr)},
                   {"free", chart.fixed.empty()}};
}

}  // namespace

std::string study_page_data(const StudyResults& results) {
  Json data;
  data["variables"] = data["values"] = Json::array();
  for (const Variable& variable : results.variables()) {
    data["variables"].push_back(variable_json(results, variable));
    data["values"].push_back(values_json(results, variable));
  }
  data["ids"] = data["position"] = Json::array();
  for (const ResultPoint& point : results.points) {
    data["ids"].push_back(point.id);
    data["position"].push_back(point.position);
  }
  if (results.points.empty() || results.points.back().position == std::int64_t(results.points.size()) - 1) {
    data["position"] = nullptr;  // all are there: a point's position is its index
  }
  add_failures(results, data);
  const std::optional<std::size_t> reference = reference_point(results);
  add_commands(results, data);
  add_machines(results, reference, data);
  add_choices(results, reference, data);
  return data.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace podsim::workloads
