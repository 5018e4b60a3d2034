// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/chart_frame.h"

#include <algorithm>

#include "studies/charts/text_size.h"

namespace podsim::studies::charts {
namespace {

constexpr double inset = 14;  // px between the plot area's edges and the first and last x
constexpr double near = 0.7;  // least / greatest above which a scale need not start at zero
constexpr double far = 30;    // greatest / least from which a scale is logarithmic

report::html::ChartScale y_scale(const std::vector<double>& values, double bottom, double top, int ticks) {
  if (values.empty()) return report::html::ChartScale::linear(0, 1, bottom, top);
  const auto [least, greatest] = std::ranges::minmax(values);
  if (least > 0 && greatest >= far * least) {
    return report::html::ChartScale::logarithmic(least / 1.25, greatest * 1.25, bottom, top);
  }
  const bool from_zero = least >= 0 && least <= near * greatest;
  return report::html::ChartScale::linear(from_zero ? 0 : least, greatest, bottom, top).rounded(ticks);
}

report::html::ChartScale x_scale(const VariableDisplay& display, const std::vector<double>& values, double left,
                                 double right) {
  if (display.categorical) {
    return report::html::ChartScale::linear(-0.5, double(display.ticks.size()) - 0.5, left, right);
  }
  if (values.empty()) return report::html::ChartScale::linear(0, 1, left, right);
  const auto [least, greatest] = std::ranges::minmax(values);
  return display.logarithmic && least > 0
             ? report::html::ChartScale::logarithmic(least, greatest, left + inset, right - inset)
             : report::html::ChartScale::linear(least, greatest, left + inset, right - inset);
}

/// A grid line at every tick within the scale; a label that would touch the previous one is left out.
std::string value_axis(const report::html::PlotArea& area, const report::html::ChartScale& scale,
                       const VariableDisplay& display) {
  std::string text;
  double free_from = -1e9;
  for (const DisplayTick& tick : display.ticks) {
    const double at = scale.place(tick.place);
    if (at < area.left - 0.01 || at > area.right + 0.01) continue;
    text += report::html::svg_line(at, area.top, at, area.bottom + 4, "grid");
    const double half = text_width(tick.label) / 2;
    if (at - half < free_from) continue;
    text += report::html::svg_text(at, area.bottom + text_height + 4, tick.label, report::html::TextAnchor::middle);
    free_from = at + half + letter_width;
  }
  return text + report::html::svg_text((area.left + area.right) / 2, area.bottom + 2.4 * text_height + 4,
                                       display.title(), report::html::TextAnchor::middle, "axis-title");
}

}  // namespace

ChartFrame chart_frame(double width, const VariableDisplay& x, const VariableDisplay& y, const std::vector<double>& xs,
                       const std::vector<double>& ys) {
  const bool narrow = report::html::is_narrow(width);
  const double height = narrow ? 300 : 400;
  const int ticks = narrow ? 4 : 6;
  const double top = 2.2 * text_height, bottom = height - 3.2 * text_height;
  const report::html::ChartScale up = y_scale(ys, bottom, top, ticks);
  double label = 0;
  for (const double value : up.ticks(ticks)) label = std::max(label, text_width(figure_text(value)));
  const report::html::PlotArea area{label + 12, top, width - 12, bottom};
  const report::html::ChartScale along = x_scale(x, xs, area.left, area.right);
  auto figure = [](double value) { return figure_text(value); };
  std::string axes =
      x.ticks.empty() ? report::html::svg_x_axis(area, {x.title(), along, figure, ticks}) : value_axis(area, along, x);
  axes += report::html::svg_y_axis(area, {y.title(), up, figure, ticks});
  axes += report::html::svg_line(area.left, area.bottom, area.right, area.bottom, "axis");
  return {width, height, area, along, up, axes};
}

}  // namespace podsim::studies::charts
