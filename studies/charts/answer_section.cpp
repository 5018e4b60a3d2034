// SPDX-License-Identifier: Apache-2.0
// Part of studies/charts/study_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html/html_text.h"
#include "report/html/si_text.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"
#include "studies/charts/study_sections.h"

namespace podsim::studies::charts {
namespace {

/// The gain of the best value over the baseline in words: "4.01 times less than the baseline's 116 ms".
std::string gain_text(double best, double baseline, store::Direction direction, const std::string& baseline_text) {
  const bool less = direction == store::Direction::minimise;
  const double ratio = less ? baseline / best : best / baseline;
  if (ratio >= 1.5) {
    return fmt::format("{:.3g} times {}the baseline's {}", ratio, less ? "less than " : "", baseline_text);
  }
  return fmt::format("{:.3g} % {} than the baseline's {}", 100 * std::abs(best / baseline - 1), less ? "less" : "more",
                     baseline_text);
}

std::string objective_name(const store::Objective& objective) {
  return objective.direction == store::Direction::minimise ? "Least" : "Most";
}

std::string figure(std::string_view name, std::string_view value, std::string_view unit, std::string_view detail) {
  return fmt::format("<div><dt>{}</dt><dd>{} <small>{}</small></dd><dd class=\"detail\">{}</dd></div>\n",
                     report::html::html_escaped(name), report::html::html_escaped(value),
                     report::html::html_escaped(unit), report::html::html_escaped(detail));
}

std::string best_figure(const store::StudyResults& results, const store::Objective& objective) {
  const std::optional<std::size_t> best = best_point(results, objective);
  if (!best) return "";
  const VariableDisplay display = display_of(results, objective.variable);
  const double value = *results.number(results.points[*best], objective.variable) * display.factor;
  return figure(fmt::format("{} {}", objective_name(objective), display.name), figure_text(value), display.unit,
                point_name(results, *best));
}

std::string sweep_figures(const store::StudyResults& results) {
  const auto done = std::ranges::count_if(results.points, &store::ResultPoint::done);
  const std::size_t failed = results.points.size() - std::size_t(done);
  std::string text = figure("Points", report::html::count_text(done), "done",
                            failed == 0 ? "none failed" : fmt::format("{} failed", failed));
  const store::HostTotals& host = results.host;
  constexpr double shortest = 0.05;  // seconds; a rate over less says nothing
  if (host.wall_s >= shortest) {
    text += figure("Speed", figure_text(double(host.points) / host.wall_s), "points/s",
                   fmt::format("of one worker; {} of work in all", report::html::si_text(host.wall_s, "s", 3)));
  }
  if (host.op_hits + host.op_misses > 0) {
    text += figure("Op durations from the cache",
                   fmt::format("{:.1f}", 100.0 * double(host.op_hits) / double(host.op_hits + host.op_misses)), "%",
                   fmt::format("{} of {}", report::html::count_text(host.op_hits),
                               report::html::count_text(host.op_hits + host.op_misses)));
  }
  return text;
}

}  // namespace

std::string answer_text(const store::StudyResults& results, const store::Objective& objective) {
  const std::optional<std::size_t> best = best_point(results, objective), reference = reference_point(results);
  if (!best || !reference) return "";
  const VariableDisplay display = display_of(results, objective.variable);
  auto text_of = [&](std::size_t point) {
    return value_text(results, results.points[point], objective.variable, display);
  };
  const std::string name = fmt::format("{} {}: {}", objective_name(objective), display.name, text_of(*best));
  if (*best == *reference) return name + ", at the baseline.";
  const std::optional<double> start = results.number(results.points[*reference], objective.variable);
  const double value = *results.number(results.points[*best], objective.variable);
  const bool comparable = start && *start > 0 && value > 0;
  const std::string gain =
      comparable ? gain_text(value, *start, objective.direction, text_of(*reference)) + ", " : std::string();
  return fmt::format("{}, {}at {}.", name, gain, point_name(results, *best));
}

std::string answer_html(const store::StudyResults& results) {
  std::string text;
  if (!results.question.empty())
    text += fmt::format("<p class=\"question\">{}</p>\n", report::html::html_escaped(results.question));
  std::string figures;
  for (const store::Objective& objective : report_objectives(results)) {
    const std::string answer = answer_text(results, objective);
    if (!answer.empty()) text += fmt::format("<p class=\"answer\">{}</p>\n", report::html::html_escaped(answer));
    figures += best_figure(results, objective);
  }
  const bool none =
      std::ranges::none_of(results.points, [&](const store::ResultPoint& p) { return results.may_be_best(p); });
  if (none && std::ranges::any_of(results.points, &store::ResultPoint::done)) {
    text += "<p class=\"note\">No point that was done satisfies the constraints on metrics.</p>\n";
  }
  if (!results.search.empty()) {
    text += fmt::format("<p class=\"note\">{}</p>\n", report::html::html_escaped(results.search));
  }
  if (const std::optional<std::size_t> reference = reference_point(results)) {
    text += fmt::format("<p class=\"note\">The baseline is {}.</p>\n",
                        report::html::html_escaped(point_name(results, *reference)));
  }
  if (results.baseline && !results.points[*results.baseline].done) {
    text += fmt::format("<p class=\"note\">The study's baseline ({}) failed; {}.</p>\n",
                        report::html::html_escaped(point_name(results, *results.baseline)),
                        reference_point(results) ? "the first point that was done stands in for it"
                                                 : "no other point was done that could stand in for it");
  }
  return text + "<dl class=\"figures\">\n" + figures + sweep_figures(results) + "</dl>\n";
}

}  // namespace podsim::studies::charts
