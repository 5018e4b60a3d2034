// SPDX-License-Identifier: Apache-2.0
// Part of report/compare/run_comparison.h.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/csv_field.h"
#include "base/text/json_text.h"
#include "report/compare/run_comparison.h"

namespace podsim::report::compare {
namespace {

using Json = nlohmann::ordered_json;

Json run_json(const ComparedRun& run) {
  return {{"name", run.name},
          {"program", run.program},
          {"command_line", run.command_line},
          {"workload", run.stats.value("workload", "")},
          {"machine", run.stats.value("machine", "")},
          {"slice", run.stats.value("slice", "")}};
}

Json times_json(base::Time a, base::Time b) {
  return {{"a_ps", a.value()}, {"b_ps", b.value()}, {"difference_ps", (b - a).value()}};
}

Json groups_json(const std::vector<TimeDifference>& rows) {
  Json list = Json::array();
  for (const TimeDifference& row : rows) {
    list.push_back({{"name", row.name}, {"ops_a", row.ops_a}, {"ops_b", row.ops_b}});
    list.back().update(times_json(row.a, row.b));
  }
  return list;
}

Json group_json(const std::optional<OpGroup>& group) {
  if (!group) return nullptr;
  return {{"categories", group->categories}, {"ops", group->ops},     {"executions", group->executions},
          {"time_ps", group->time.value()},  {"flops", group->flops}, {"bytes", group->bytes},
          {"bound_by", group->bound}};
}

Json op_json(const OpDifference& row) {
  return {{"op", row.name},
          {"phase", row.scope.phase},
          {"layer", row.scope.layer},
          {"match", to_string(row.match)},
          {"difference_ps", row.difference().value()},
          {"a", group_json(row.a)},
          {"b", group_json(row.b)}};
}

Json collective_json(const std::optional<CollectiveGroup>& group) {
  if (!group) return nullptr;
  return {{"count", group->count},
          {"bytes", group->bytes},
          {"time_s", group->time_s},
          {"exposed_s", group->exposed_s},
          {"algorithms", group->algorithms}};
}

template <class Rows, class Function>
Json list_of(const Rows& rows, Function json) {
  Json list = Json::array();
  for (const auto& row : rows) list.push_back(json(row));
  return list;
}

/// The cells of one side; empty if it does not have the op.
std::array<std::string, 7> cells(const std::optional<OpGroup>& group) {
  if (!group) return {};
  return {base::text::csv_field(category_names(*group)),
          base::text::csv_field(group->bound),
          std::to_string(group->ops),
          std::to_string(group->executions),
          std::to_string(group->time.value()),
          fmt::format("{}", group->flops),
          fmt::format("{}", group->bytes)};
}

std::string csv_line(const OpDifference& row) {
  std::string line =
      fmt::format("{},{},{},{},{}", base::text::csv_field(row.name), row.scope.phase,
                  base::text::csv_field(row.scope.layer), to_string(row.match), row.difference().value());
  const auto a = cells(row.a), b = cells(row.b);
  for (std::size_t i = 0; i < a.size(); ++i) line += "," + a[i] + "," + b[i];
  return line + "\n";
}

/// A line after the ops, which has only times.
std::string csv_line(const std::string& name, base::Time a, base::Time b) {
  return fmt::format("{},,,,{},,,,,,,,,{},{},,,,\n", name, (b - a).value(), a.value(), b.value());
}

}  // namespace

std::string comparison_json(const RunComparison& comparison) {
  const auto& [a, b] = comparison.runs;
  const Json json = {
      {"schema_version", 1},
      {"command", "compare"},
      {"a", run_json(a)},
      {"b", run_json(b)},
      {"equal", comparison.equal()},
      {"settings", settings_json(comparison.settings)},
      {"machine", machine_json(comparison.machine)},
      {"figures", figures_json(comparison.figures)},
      {"step", times_json(a.step_time, b.step_time)},
      {"by_category", groups_json(comparison.by_category)},
      {"by_phase", groups_json(comparison.by_phase)},
      {"by_layer", groups_json(comparison.by_layer)},
      {"by_bound", groups_json(comparison.by_bound)},
      {"ops", list_of(comparison.ops, op_json)},
      {"outside_ops", times_json(a.outside_ops(), b.outside_ops())},
      {"collectives", list_of(comparison.collectives,
                              [](const CollectiveDifference& row) {
                                return Json{{"kind", row.kind},
                                            {"axes", row.axes},
                                            {"dtype", row.element_type},
                                            {"a", collective_json(row.a)},
                                            {"b", collective_json(row.b)}};
                              })},
      {"warnings", comparison.warnings},
  };
  return base::text::json_text(json, 2) + "\n";
}

std::string comparison_csv(const RunComparison& comparison) {
  std::string text =
      "op,phase,layer,match,difference_ps,categories_a,categories_b,bound_a,bound_b,ops_a,ops_b,executions_a,"
      "executions_b,time_a_ps,time_b_ps,flops_a,flops_b,bytes_a,bytes_b\n";
  for (const OpDifference& row : comparison.ops) text += csv_line(row);
  const auto& [a, b] = comparison.runs;
  return text + csv_line("outside the ops", a.outside_ops(), b.outside_ops()) +
         csv_line("step", a.step_time, b.step_time);
}

}  // namespace podsim::report::compare
