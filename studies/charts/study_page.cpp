// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_page.h"

#include <fmt/format.h>

#include "studies/charts/study_page_data.h"
#include "studies/charts/study_sections.h"
#include "sw/report/html/html_page.h"

namespace podsim::studies::charts {
namespace {

std::string subtitle(const store::StudyResults& results) {
  std::string text;
  for (const store::ResultAxis& axis : results.axes) {
    if (axis.values.size() < 2) continue;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", axis.values.size(), axis.name);
  }
  return fmt::format("{} points: {}", results.points.size(), text.empty() ? "one of each axis" : text);
}

}  // namespace

std::string study_page(const store::StudyResults& results) {
  sw::report::html::HtmlPage page;
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
  return sw::report::html::html_page(page);
}

}  // namespace podsim::studies::charts
