// SPDX-License-Identifier: Apache-2.0
// Part of studies/charts/study_sections.h.
#include <fmt/format.h>

#include <algorithm>

#include "report/html/html_text.h"
#include "studies/charts/pareto_svg.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_chart_svg.h"
#include "studies/charts/study_display.h"
#include "studies/charts/study_sections.h"
#include "studies/charts/tornado_svg.h"

namespace podsim::studies::charts {
namespace {

std::size_t count_done(const store::StudyResults& results) {
  std::size_t count = 0;
  for (const store::ResultPoint& point : results.points) count += point.done ? 1 : 0;
  return count;
}

/// Empty element for the controls, which study.js fills in; it finds the element by its id.
std::string tools(std::string_view id) { return fmt::format("<div class=\"tools\" id=\"{}\"></div>\n", id); }

/// The drawing, which study.js replaces, with its legend and caption.
std::string drawing(std::string_view id, const std::string& charts, const std::string& legend,
                    std::string_view caption) {
  return fmt::format(
      "<figure id=\"{}\"><div class=\"legend-place\">{}</div><div class=\"chart-place\">{}</div>"
      "<figcaption>{}</figcaption></figure>\n",
      id, legend, charts, report::html::html_escaped(caption));
}

std::string objective_text(const store::StudyResults& results, const store::Objective& objective) {
  return fmt::format("{} {}", objective.direction == store::Direction::minimise ? "least" : "most",
                     results.name_of(objective.variable));
}

std::string swings_html(const store::StudyResults& results, std::size_t reference, std::size_t metric, bool first) {
  const std::vector<Swing> swings = sensitivity(results, reference, metric);
  const bool any = std::ranges::any_of(swings, [](const Swing& swing) { return !swing.missing(); });
  std::string text = fmt::format("<div data-metric=\"{}\"{}>", metric, first ? "" : " hidden");
  if (any) {
    text += report::html::responsive_chart(
        [&](double width) { return tornado_svg(results, swings, reference, metric, width); });
  }
  std::string missing;
  for (const Swing& swing : swings) {
    if (swing.missing()) missing += (missing.empty() ? "" : ", ") + swing_name(results, swing);
  }
  if (!missing.empty()) {
    text += fmt::format("<p class=\"note\">No point moves {} alone from the baseline, or none of them was done.</p>",
                        report::html::html_escaped(missing));
  }
  return text + "</div>\n";
}

}  // namespace

std::string chart_html(const store::StudyResults& results) {
  if (count_done(results) == 0 || results.metrics.empty() || results.axes.empty()) return "";
  const StudyChart chart = study_chart(results, {});
  const std::string charts = report::html::responsive_chart(
      [&](double width) { return study_chart_svg(results, chart, width, MarkKind::linked); });
  const std::vector<report::html::LegendEntry> entries = family_legend(results, chart);
  const std::string fixed = fixed_text(results, chart);
  return tools("chart-tools") + drawing("axes-chart", charts,
                                        entries.empty() ? "" : report::html::chart_legend(entries),
                                        fmt::format("{}The ring is the baseline; a mark leads to its point.",
                                                    fixed.empty() ? "" : "At " + fixed + ". "));
}

std::string front_html(const store::StudyResults& results) {
  const std::vector<store::Objective> objectives = front_objectives(results);
  if (objectives.size() < 2 || count_done(results) < 2) return "";
  const std::vector<std::size_t> front = pareto_front(results, objectives);
  if (front.empty()) return "";
  const std::string charts =
      report::html::responsive_chart([&](double width) { return pareto_svg(results, objectives, front, width); });
  std::string names;
  for (const store::Objective& objective : objectives) {
    names += (names.empty() ? "" : ", ") + objective_text(results, objective);
  }
  return tools("front-tools") + drawing("front-chart", charts, "",
                                        fmt::format("The objectives are {}: {} of {} points are beaten by none.", names,
                                                    front.size(), count_done(results)));
}

std::string sensitivity_html(const store::StudyResults& results) {
  const std::optional<std::size_t> reference = reference_point(results);
  if (!reference || results.metrics.empty() || sensitivity(results, *reference, 0).empty()) return "";
  std::size_t first = 0;
  for (const store::Objective& objective : report_objectives(results)) {
    if (objective.variable.kind != store::Variable::Kind::metric) continue;
    first = objective.variable.index;
    break;
  }
  std::string text =
      "<p>What a metric becomes when one axis alone goes to its least (lighter bar) and to its greatest value, and all "
      "others stay at the baseline's. An axis of names has no least: its bars are where the metric is least and "
      "greatest.</p>\n" +
      tools("sensitivity-tools");
  for (std::size_t metric = 0; metric < results.metrics.size(); ++metric) {
    text += swings_html(results, *reference, metric, metric == first);
  }
  return text;
}

}  // namespace podsim::studies::charts
