// SPDX-License-Identifier: Apache-2.0
// Part of studies/charts/study_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text/counted.h"
#include "base/text/shell_word.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/si_text.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/machine_differences.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_sections.h"
#include "studies/shipped/studies.h"

namespace podsim::studies::charts {
namespace {

constexpr std::size_t max_failures = 100;  ///< that are listed one by one

report::html::TableCell badge(const std::string& evidence) {
  return {fmt::format("<span class=\"badge {0}\">{0}</span>", report::html::html_escaped(evidence)), {}};
}

std::vector<base::ConfigEntry> reference_entries(const store::StudyResults& results) {
  const std::optional<std::size_t> reference = reference_point(results);
  return reference ? machine_entries(results, results.points[*reference].machine) : std::vector<base::ConfigEntry>();
}

/// Keys with a value that differs between machines of the study.
std::set<std::string> varied_keys(const store::StudyResults& results) {
  std::set<std::string> keys;
  const std::optional<std::size_t> reference = reference_point(results);
  if (!reference) return keys;
  for (const auto& [machine, differences] : machine_differences(results, results.points[*reference].machine)) {
    for (const MachineDifference& difference : differences) keys.insert(difference.key);
  }
  return keys;
}

report::html::HtmlTable table_of(const char* id, std::vector<report::html::TableColumn> columns) {
  report::html::HtmlTable table;
  table.id = id;
  table.columns = std::move(columns);
  table.sortable = true;
  return table;
}

/// The study's name on a command line: a name for a shipped study, else a file.
std::string study_argument(const store::StudyResults& results) {
  const auto& carried = shipped::embedded_studies();
  const bool is_carried = std::ranges::any_of(carried, [&](const shipped::EmbeddedStudy& study) {
    return study.name == results.name && study.toml == results.text;
  });
  return is_carried ? results.name : results.name + ".toml";
}

/// A warning if several builds ran the points, whose numbers need not be comparable.
std::string builds_html(const store::StudyResults& results) {
  std::map<std::string, std::int64_t> builds;
  for (const store::ResultPoint& point : results.points) ++builds[point.build];
  if (builds.size() < 2) return "";
  std::string list;
  for (const auto& [build, points] : builds) {
    list += fmt::format("{}{} {}", list.empty() ? "" : ", ", points,
                        build.empty() ? "by one that did not say which" : "by " + build);
  }
  return fmt::format(
      "<p class=\"failure\">The points were run by {} builds of podsim, whose models may differ: {}. <code>podsim "
      "sweep "
      "--rerun</code> runs again what is not of its own build.</p>\n",
      builds.size(), report::html::html_escaped(list));
}

}  // namespace

std::string points_html(const store::StudyResults& results) {
  if (results.points.empty()) return "";
  const std::size_t columns = results.axes.size() + std::min<std::size_t>(3, results.metrics.size());
  return fmt::format("<div id=\"point-table\"{}>", columns > 7 ? " class=\"wide\"" : "") +
         "<p class=\"needs-script\">The table of points needs scripts; the view "
         "<code>results</code> of the database has all of it.</p></div>\n";
}

std::string failures_html(const store::StudyResults& results) {
  report::html::HtmlTable table =
      table_of("failures-table", {{"point", true}, {"configuration"}, {"exit code", true}, {"message"}});
  std::size_t left_out = 0;
  for (std::size_t i = 0; i < results.points.size(); ++i) {
    const store::ResultPoint& point = results.points[i];
    if (point.done) continue;
    if (table.rows.size() == max_failures) {
      ++left_out;
      continue;
    }
    table.rows.push_back(
        {report::html::number_cell(double(point.position), std::to_string(point.position)),
         report::html::text_cell(point_name(results, i)),
         report::html::number_cell(point.exit_code, std::to_string(point.exit_code)),
         {fmt::format("<code class=\"lines\">{}</code>", report::html::html_escaped(point.error)), {}}});
  }
  if (table.rows.empty()) return "";
  const std::string more =
      left_out == 0
          ? ""
          : fmt::format("<p class=\"note\">{} more failed; the table of points has them, with their messages.</p>\n",
                        left_out);
  return report::html::html_table(table) + more;
}

std::string machine_html(const store::StudyResults& results) {
  const std::vector<base::ConfigEntry> entries = reference_entries(results);
  if (entries.empty()) return "";
  const std::set<std::string> varied = varied_keys(results);
  report::html::HtmlTable table =
      table_of("machine-table", {{"key"}, {"value"}, {"evidence"}, {"in the study"}, {"source"}});
  table.filter_label = "Filter";
  table.choice_column = 2;
  for (const base::ConfigEntry& entry : entries) {
    table.rows.push_back({report::html::code_cell(entry.key), report::html::text_cell(entry.text),
                          badge(base::to_string(entry.evidence)),
                          report::html::text_cell(varied.contains(entry.key) ? "varies" : ""),
                          report::html::text_cell(entry.source)});
  }
  return fmt::format("<p>That of the baseline{}</p><details><summary>Show all {}</summary>",
                     varied.empty()
                         ? ", and of every other point."
                         : fmt::format("; in the study {} of its values {}. Each point says in what its machine "
                                       "differs.",
                                       varied.size(), varied.size() == 1 ? "varies" : "vary"),
                     base::text::counted(std::int64_t(entries.size()), "value")) +
         report::html::html_table(table) + "</details>\n";
}

std::string assumptions_html(const store::StudyResults& results) {
  const std::vector<base::ConfigEntry> entries = reference_entries(results);
  if (entries.empty()) return "";
  report::html::HtmlTable table = table_of("assumptions-table", {{"key"}, {"value"}, {"because"}});
  for (const base::ConfigEntry& entry : entries) {
    if (entry.evidence != base::Evidence::assumed) continue;
    table.rows.push_back({report::html::code_cell(entry.key), report::html::text_cell(entry.text),
                          report::html::text_cell(entry.source)});
  }
  if (table.rows.empty()) return "<p>None: every value is published, measured, derived or set by the study.</p>\n";
  return fmt::format(
             "<p>{} of {} values of the machine are neither published nor measured nor derived from such; what "
             "the study says rests on them.</p><details><summary>Show them</summary>",
             table.rows.size(), entries.size()) +
         report::html::html_table(table) + "</details>\n";
}

std::string sweep_html(const store::StudyResults& results) {
  const store::HostTotals& host = results.host;
  std::string text;
  if (host.points > 0) {
    text = fmt::format("<p>{} took {} of one worker's time, {} of it to compile programs.",
                       base::text::counted(host.points, "point"), report::html::si_text(host.wall_s, "s", 3),
                       report::html::si_text(host.compile_s, "s", 3));
    if (host.op_hits + host.op_misses > 0) {
      text += fmt::format(" The durations of {} ops came from the cache, {} were simulated.",
                          report::html::count_text(host.op_hits), report::html::count_text(host.op_misses));
    }
    text += "</p>\n";
  }
  text += builds_html(results);
  text += fmt::format("<pre>podsim sweep {}</pre>\n",
                      report::html::html_escaped(base::text::shell_word(study_argument(results))));
  if (!results.text.empty()) {
    text += fmt::format("<details><summary>The study's file</summary><pre>{}</pre></details>\n",
                        report::html::html_escaped(results.text));
  }
  return text;
}

}  // namespace podsim::studies::charts
