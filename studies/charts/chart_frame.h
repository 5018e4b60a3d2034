// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/html/svg_chart.h"
#include "studies/charts/study_display.h"

/// Scales and axes of a study's charts.
namespace podsim::studies::charts {

/// Plot area, scales and axes of one chart. The x axis has a tick at every value of a study axis, and at round values
/// of any other variable.
struct ChartFrame {
  double width = 0, height = 0;
  report::html::PlotArea area;
  report::html::ChartScale x, y;
  std::string axes;  ///< SVG: grid lines, ticks and titles

  report::html::SvgPoint place(double x_value, double y_value) const { return {x.place(x_value), y.place(y_value)}; }
};

/// Frame for marks at `xs` and `ys`, all coordinates of the chart in the units of the displays. The y scale starts at
/// zero unless the values are close to each other, and is logarithmic where they span a ratio of 30 or more.
ChartFrame chart_frame(double width, const VariableDisplay& x, const VariableDisplay& y, const std::vector<double>& xs,
                       const std::vector<double>& ys);

}  // namespace podsim::studies::charts
