// SPDX-License-Identifier: Apache-2.0
#include "workloads/study/study_page.h"

#include <fmt/format.h>

#include "sw/report/html/html_page.h"
#include "workloads/study/study_page_data.h"
#include "workloads/study/study_sections.h"

namespace podsim::workloads {
namespace {

std::string subtitle(const StudyResults& results) {
  std::string text;
  for (const ResultAxis& axis : results.axes) {
    if (axis.values.size() < 2) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", axis.values.size(), axis.name);
  }
  return fmt::format("{} points: {}", results.points.size(), text.empty() ? "one of each axis" : text);
}

}  // namespace

std::string study_page(const StudyResults& results) {
  sw::HtmlPage page;
  page.title = results.title.empty() ? results.name : results.title;
  page.kicker = "A study";
  page.subtitle = subtitle(results);
  page.sections = {
      {"answer", "Answer", answer_html(results)},     {"chart", "Axes and metrics", chart_html(results)},
      {"front", "Pareto front", front_html(results)}, {"sensitivity", "Sensitivity", sensitivity_html(results)},
      {"points", "Points", points_html(results)},     {"failures", "Failed points", failures_html(results)},
      {"machine", "Machine", machine_html(results)},  {"assumptions", "Assumptions in use", assumptions_html(results)},
      {"sweep", "The sweep", sweep_html(results)},
  };
  page.data = {{"study-data", study_page_data(results)}};
  page.scripts = {"study_chart.js", "study.js"};
  page.footer = results.program;
  return sw::html_page(page);
}

}  // namespace podsim::workloads
