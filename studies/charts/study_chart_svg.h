// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/html/svg_chart.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_chart.h"

/// A study's chart as SVG, drawn with the elements and colours of report pages (report/html/svg_chart.h). The page's
/// script study_chart.js redraws it by the same rules when a reader selects something else.
namespace podsim::studies::charts {

/// Draws the marks, joined by lines where ChartSeries::line is set; the reference point is ringed. The scale of y
/// starts at zero unless the values are within 30 % of the greatest, and is logarithmic where they span a ratio of 30
/// or more.
std::string study_chart_svg(const store::StudyResults& results, const StudyChart& chart, double width, MarkKind marks);

/// The values at which the chart holds axes: "slice 4x4, batch_per_core 128"; empty if it has all points.
std::string fixed_text(const store::StudyResults& results, const StudyChart& chart);

/// The family's values and their colours; empty without a family.
std::vector<report::html::LegendEntry> family_legend(const store::StudyResults& results, const StudyChart& chart);

/// The chart as a standalone file, for pages of documentation: title, legend, the values of fixed axes, and colours
/// that follow the reader's light or dark setting.
std::string study_chart_file(const store::StudyResults& results, const StudyChart& chart);

}  // namespace podsim::studies::charts
