// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/host/arguments.h"
#include "base/text/counted.h"
#include "base/text/json_text.h"
#include "base/text/text_table.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"
#include "studies/store/study_results.h"

namespace podsim::studies::sweep {
namespace {

using Json = nlohmann::ordered_json;
using base::text::TextTable;

constexpr std::size_t max_failures_shown = 5, max_front_shown = 12;

std::string last_line(const std::string& text) { return text.substr(text.rfind('\n') + 1); }

/// The first line with "error: ", else the last line.
std::string reason(const std::string& error) {
  const std::size_t found = error.find("error: ");
  if (found == std::string::npos) return last_line(error);
  return error.substr(found, error.find('\n', found) - found);
}

std::string counts(const SweepSummary& summary) {
  const SweepOutcome& outcome = summary.outcome;
  std::string text =
      fmt::format("{}: {} done", base::text::counted(std::int64_t(summary.points), "point"), outcome.done);
  if (summary.skipped > 0) text += fmt::format(", {} done before", summary.skipped);
  if (summary.refused > 0) text += fmt::format(", {} refused before", summary.refused);
  if (!outcome.failed.empty()) text += fmt::format(", {} failed", outcome.failed.size());
  const std::size_t left = summary.points - summary.skipped - summary.refused - outcome.done - outcome.failed.size();
  if (left > 0) text += fmt::format(", {} left", left);
  return text + "\n";
}

std::string failures(const std::vector<FailedPoint>& failed) {
  if (failed.empty()) return "";
  base::text::TextTable table(
      {base::text::TextTable::Align::left, base::text::TextTable::Align::left, base::text::TextTable::Align::left});
  for (std::size_t i = 0; i < std::min(failed.size(), max_failures_shown); ++i) {
    table.row({fmt::format("  point {}", failed[i].position), fmt::format("exit code {}", failed[i].exit_code),
               reason(failed[i].error)});
  }
  std::string text = "\nFailed:\n" + table.text();
  if (failed.size() > max_failures_shown) {
    text += fmt::format("  and {} more, in the table 'points'\n", failed.size() - max_failures_shown);
  }
  return text;
}

/// Values of the axes that have more than one: "slice 4x4, batch_per_core 128".
std::string place(const store::StudyResults& results, const store::ResultPoint& point) {
  std::string text;
  for (std::size_t i = 0; i < results.axes.size(); ++i) {
    if (results.axes[i].values.size() < 2) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", results.axes[i].name, charts::axis_text(point.axes[i]));
  }
  return text;
}

std::string none_eligible(const store::StudyResults& results) {
  const auto may_be_best = [&](const store::ResultPoint& point) { return results.may_be_best(point); };
  const bool any_done = std::ranges::any_of(results.points, &store::ResultPoint::done);
  if (!any_done || std::ranges::any_of(results.points, may_be_best)) return "";
  return "\nNo point that was done satisfies the constraints on metrics.\n";
}

/// A table of the best point of every objective with the reference point's value.
std::string best(const store::StudyResults& results) {
  const std::optional<std::size_t> reference = charts::reference_point(results);
  if (!reference) return "";
  base::text::TextTable table({base::text::TextTable::Align::left, base::text::TextTable::Align::left,
                               base::text::TextTable::Align::left, base::text::TextTable::Align::left});
  bool any = false;
  for (const store::Objective& objective : charts::report_objectives(results)) {
    const std::optional<std::size_t> found = charts::best_point(results, objective);
    if (!found) continue;
    if (!any) table.row({"\nBest", "", "baseline", "at"});
    any = true;
    const charts::VariableDisplay display = charts::display_of(results, objective.variable);
    auto value = [&](std::size_t point) {
      return charts::value_text(results, results.points[point], objective.variable, display);
    };
    table.row({"  " + results.name_of(objective.variable), value(*found), value(*reference),
               place(results, results.points[*found])});
  }
  return table.text();
}

/// A table of the points of a search that no other one beats in all objectives, if it has several.
std::string front(const store::StudyResults& results) {
  const std::vector<store::Objective> objectives = charts::report_objectives(results);
  const std::vector<std::size_t> points = charts::pareto_front(results, objectives);
  if (objectives.size() < 2 || points.empty()) return "";
  TextTable table(std::vector<TextTable::Align>(objectives.size() + 1, TextTable::Align::left));
  std::vector<std::string> head;
  for (const store::Objective& objective : objectives) {
    head.push_back((head.empty() ? "\nFront: " : "") + results.name_of(objective.variable));
  }
  head.emplace_back("at");
  table.row(head);
  for (std::size_t i = 0; i < std::min(points.size(), max_front_shown); ++i) {
    const store::ResultPoint& point = results.points[points[i]];
    std::vector<std::string> row;
    for (const store::Objective& objective : objectives) {
      row.push_back((row.empty() ? "  " : "") + charts::value_text(results, point, objective.variable,
                                                                   charts::display_of(results, objective.variable)));
    }
    row.push_back(place(results, point));
    table.row(row);
  }
  if (points.size() <= max_front_shown) return table.text();
  return table.text() + fmt::format("  and {} more, in the report\n", points.size() - max_front_shown);
}

std::string speed(const SweepOutcome& outcome) {
  const std::size_t ran = outcome.done + outcome.failed.size();
  if (ran == 0) return "";
  constexpr double shortest = 0.05;  // below it a rate says nothing, and the time is shown as 0.0 s
  std::string text = fmt::format("\n{:.1f} s on this host", outcome.wall_s);
  if (outcome.wall_s >= shortest) text += fmt::format(", {:.1f} points per second", double(ran) / outcome.wall_s);
  const std::int64_t ops = outcome.op_hits + outcome.op_misses;
  if (ops > 0) text += fmt::format("; {} of {} op durations were known", outcome.op_hits, ops);
  return text + "\n";
}

std::string what_next(const SweepSummary& summary) {
  const SweepOutcome& outcome = summary.outcome;
  const std::string folder = base::host::shell_line({summary.paths.folder.string()});
  std::string text = fmt::format("\n{:<10}{}\n", "Results", summary.paths.database.string());
  text += fmt::format("{:<10}podsim report {}\n", "Report", folder);
  const bool again = summary.search == nullptr ? !outcome.failed.empty() : summary.search->stalled().has_value();
  const char* rest = outcome.stopped ? "is left" : "failed once more";
  if (outcome.stopped || again) text += fmt::format("{:<10}the same command runs what {}\n", "Go on", rest);
  if (summary.search != nullptr && again) {
    text += fmt::format("{:<10}the search ends at point {}, because what it chooses next depends on it\n", "",
                        *summary.search->stalled());
  }
  return text;
}

}  // namespace

std::string summary_text(const SweepSummary& summary) {
  const store::StudyResults results = store::read_study_results(summary.paths.database);
  const std::string search = summary.search == nullptr ? "" : summary.search->summary();
  return summary.study.title + "\n" + search + counts(summary) + failures(summary.outcome.failed) +
         none_eligible(results) + best(results) + (summary.search == nullptr ? "" : front(results)) +
         speed(summary.outcome) + what_next(summary);
}

std::string summary_json(const SweepSummary& summary) {
  const SweepOutcome& outcome = summary.outcome;
  Json json = {{"schema_version", 1},
               {"command", "sweep"},
               {"study", summary.study.name},
               {"points", summary.points},
               {"done", outcome.done},
               {"failed", outcome.failed.size()},
               {"skipped", summary.skipped},
               {"interrupted", outcome.stopped},
               {"database", summary.paths.database.string()},
               {"lines", summary.paths.lines.string()},
               {"op_cache", {{"hits", outcome.op_hits}, {"misses", outcome.op_misses}}},
               {"warnings", summary.warnings},
               {"wall_s", outcome.wall_s}};
  if (summary.search != nullptr) {
    const plan::StudySearch& search = *summary.study.search;
    json["search"] = {{"method", plan::to_string(search.method)},
                      {"seed", search.seed},
                      {"combinations", summary.search->combinations()},
                      {"cannot_run", summary.search->refused()},
                      {"refused_before", summary.refused}};
  }
  return base::text::json_text(json, 2) + "\n";
}

std::string points_text(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done) {
  base::text::TextTable table(
      {base::text::TextTable::Align::right, base::text::TextTable::Align::left, base::text::TextTable::Align::left});
  std::size_t done_before = 0;
  for (const PreparedPoint* point : points) {
    const bool is_done = done.contains(point->id);
    done_before += is_done ? 1 : 0;
    table.row({std::to_string(point->point.position), is_done ? "done" : "to do", point_command(*point)});
  }
  return table.text() +
         fmt::format("{}, {} done\n", base::text::counted(std::int64_t(points.size()), "point"), done_before);
}

std::string points_json(const std::vector<const PreparedPoint*>& points, const std::set<std::string>& done) {
  Json list = Json::array();
  for (const PreparedPoint* point : points) {
    list.push_back({{"id", point->id},
                    {"position", point->point.position},
                    {"done", done.contains(point->id)},
                    {"arguments", point->point.arguments}});
  }
  return base::text::json_text(Json{{"schema_version", 1}, {"command", "sweep"}, {"points", list}}, 2) + "\n";
}

}  // namespace podsim::studies::sweep
