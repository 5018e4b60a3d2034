// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/study_chart_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "studies/charts/chart_frame.h"
#include "studies/charts/study_analysis.h"
#include "studies/charts/study_display.h"

namespace podsim::studies::charts {
namespace {

ChartFrame frame_of(const store::StudyResults& results, const StudyChart& chart, double width) {
  std::vector<double> xs, ys;
  for (const ChartSeries& series : chart.series) {
    for (const ChartMark& mark : series.marks) {
      xs.push_back(mark.x);
      ys.push_back(mark.y);
    }
  }
  return chart_frame(width, display_of(results, chart.x), display_of(results, chart.y), xs, ys);
}

/// Palette colour of a series; the colours repeat with dashed lines after the end of the palette.
int category_of(std::size_t series) { return int(series % std::size_t(report::html::chart_categories)); }
bool is_dashed(std::size_t series) { return series >= std::size_t(report::html::chart_categories); }

std::string curve(const ChartSeries& series, const ChartFrame& frame, std::size_t index) {
  std::vector<report::html::SvgPoint> points;
  for (const ChartMark& mark : series.marks) points.push_back(frame.place(mark.x, mark.y));
  return report::html::svg_path(points, fmt::format("curve {}{}", report::html::category_line(category_of(index)),
                                                    is_dashed(index) ? " dashed" : ""));
}

}  // namespace

std::string study_chart_svg(const store::StudyResults& results, const StudyChart& chart, double width, MarkKind kind) {
  const ChartFrame frame = frame_of(results, chart, width);
  const std::optional<std::size_t> reference = reference_point(results);
  std::vector<store::Variable> said{chart.y, chart.x};
  if (chart.family) said.push_back(*chart.family);
  std::string curves, marks, ring;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const ChartSeries& series = chart.series[i];
    if (series.line) curves += curve(series, frame, i);
    std::vector<PlottedPoint> placed;
    for (const ChartMark& mark : series.marks) {
      placed.push_back({mark.point, frame.place(mark.x, mark.y)});
      if (mark.point == reference) ring = reference_ring(placed.back().at);
    }
    marks += point_marks(results, placed, report::html::category_fill(category_of(i)), kind, said);
  }
  const std::string label = fmt::format("{} against {}", results.name_of(chart.y), results.name_of(chart.x));
  return report::html::svg_chart(frame.width, frame.height, label, frame.axes + curves + ring + marks);
}

std::string fixed_text(const store::StudyResults& results, const StudyChart& chart) {
  std::string text;
  for (const auto& [axis, value] : chart.fixed) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", results.axes[axis].name, axis_text({value, {}}));
  }
  return text;
}

std::vector<report::html::LegendEntry> family_legend(const store::StudyResults& results, const StudyChart& chart) {
  std::vector<report::html::LegendEntry> entries;
  if (!chart.family) return entries;
  for (std::size_t i = 0; i < chart.series.size(); ++i) {
    const bool dashed = is_dashed(i) && chart.series[i].line;
    entries.push_back({fmt::format("{} {}{}", results.name_of(*chart.family), axis_text({chart.series[i].label, {}}),
                                   dashed ? " (dashed)" : ""),
                       report::html::category_fill(category_of(i))});
  }
  return entries;
}

}  // namespace podsim::studies::charts
