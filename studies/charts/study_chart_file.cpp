// SPDX-License-Identifier: Apache-2.0
// Part of studies/charts/study_chart_svg.h.
#include "studies/charts/chart_file.h"
#include "studies/charts/study_chart_svg.h"

namespace podsim::studies::charts {
namespace {

constexpr double image_width = 760;

/// Height of a drawing: the last of the four numbers of its viewBox.
double view_height(std::string_view chart) {
  constexpr std::string_view attribute = "viewBox=\"";
  const std::size_t begin = chart.find(attribute) + attribute.size();
  const std::string_view box = chart.substr(begin, chart.find('"', begin) - begin);
  return std::stod(std::string(box.substr(box.rfind(' ') + 1)));
}

}  // namespace

std::string study_chart_file(const store::StudyResults& results, const StudyChart& chart) {
  const std::string drawing = study_chart_svg(results, chart, image_width - file_margin, MarkKind::plain);
  const FileLegend legend = file_legend(family_legend(results, chart), file_margin + file_title_size, image_width);
  const std::string fixed = fixed_text(results, chart);
  const double chart_top = file_margin + file_title_size + legend.height + file_line_height;
  const double chart_height = view_height(drawing);
  const double height = chart_top + chart_height + (fixed.empty() ? 0 : file_line_height) + file_margin / 2;
  std::string body =
      legend.svg + nested_chart(drawing, file_margin / 2, chart_top, image_width - file_margin, chart_height);
  if (!fixed.empty()) body += report::html::svg_text(file_margin, height - file_margin, "at " + fixed);
  return chart_file(image_width, height, results.title, body);
}

}  // namespace podsim::studies::charts
