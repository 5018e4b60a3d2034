// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sw/report/html/svg_chart.h"
#include "workloads/study/study_display.h"

/// Scales and axes of a study's charts.
namespace podsim::workloads {

/// Along x: a tick at every value of an axis, round values of anything else.
struct ChartFrame {
  double width = 0, height = 0;
  sw::PlotArea area;
  sw::ChartScale x, y;
  std::string axes;  ///< SVG: grid lines, ticks and titles

  sw::SvgPoint place(double x_value, double y_value) const { return {x.place(x_value), y.place(y_value)}; }
};

/// `xs` and `ys` are all that is drawn, in the units of the displays.
ChartFrame chart_frame(double width, const VariableDisplay& x, const VariableDisplay& y, const std::vector<double>& xs,
                       const std::vector<double>& ys);

}  // namespace podsim::workloads
