// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_page.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text/counted.h"
#include "report/html/html_page.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_page_data.h"
#include "studies/charts/study_sections.h"

namespace podsim::studies::charts {
namespace {

/// The number of distinct positions of axes that vary together.
std::size_t count_of(const store::StudyResults& results, const std::vector<std::size_t>& group) {
  std::set<std::vector<std::string>> places;
  for (const store::ResultPoint& point : results.points) {
    std::vector<std::string> place;
    for (const std::size_t axis : group) place.push_back(point.axes[axis].text);
    places.insert(std::move(place));
  }
  return places.size();
}

std::string subtitle(const store::StudyResults& results) {
  std::string text;
  for (const std::vector<std::size_t>& group : moving_groups(results)) {
    std::string names;
    for (const std::size_t axis : group) names += (names.empty() ? "" : " with ") + results.axes[axis].name;
    text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", count_of(results, group), names);
  }
  return fmt::format("{}: {}", base::text::counted(std::int64_t(results.points.size()), "point"),
                     text.empty() ? "one of each axis" : text);
}

}  // namespace

std::string study_page(const store::StudyResults& results) {
  report::html::HtmlPage page;
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
  return report::html::html_page(page);
}

}  // namespace podsim::studies::charts
