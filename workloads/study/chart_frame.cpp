// SPDX-License-Identifier: Apache-2.0
#include "workloads/study/chart_frame.h"

#include <algorithm>

#include "base/utf8.h"

namespace podsim::workloads {
namespace {

constexpr double letter = 6.6, text_height = 14;  // of the charts' 12 px font
constexpr double inset = 14;                      // of the first and last value along x
constexpr double near = 0.7;                      // least over greatest from which a scale need not begin at zero
constexpr double far = 30;                        // greatest over least from which it is logarithmic

double text_width(std::string_view text) { return letter * double(base::utf8_characters(text).size()); }

sw::ChartScale y_scale(const std::vector<double>& values, double bottom, double top, int ticks) {
  if (values.empty()) return sw::ChartScale::linear(0, 1, bottom, top);
  const auto [least, greatest] = std::ranges::minmax(values);
  if (least > 0 && greatest >= far * least) {
    return sw::ChartScale::logarithmic(least / 1.25, greatest * 1.25, bottom, top);
  }
  const bool from_zero = least >= 0 && least <= near * greatest;
  return sw::ChartScale::linear(from_zero ? 0 : least, greatest, bottom, top).rounded(ticks);
}

sw::ChartScale x_scale(const VariableDisplay& display, const std::vector<double>& values, double left, double right) {
  if (display.categorical) {
    return sw::ChartScale::linear(-0.5, double(display.ticks.size()) - 0.5, left, right);
  }
  if (values.empty()) return sw::ChartScale::linear(0, 1, left, right);
  const auto [least, greatest] = std::ranges::minmax(values);
  return display.logarithmic && least > 0 ? sw::ChartScale::logarithmic(least, greatest, left + inset, right - inset)
                                          : sw::ChartScale::linear(least, greatest, left + inset, right - inset);
}

/// Every value that is within the scale; labels that would touch the one before are left out.
std::string value_axis(const sw::PlotArea& area, const sw::ChartScale& scale, const VariableDisplay& display) {
  std::string text;
  double free_from = -1e9;
  for (const DisplayTick& tick : display.ticks) {
    const double at = scale.place(tick.place);
    if (at < area.left - 0.01 || at > area.right + 0.01) continue;
    text += sw::svg_line(at, area.top, at, area.bottom + 4, "grid");
    const double half = text_width(tick.label) / 2;
    if (at - half < free_from) continue;
    text += sw::svg_text(at, area.bottom + text_height + 4, tick.label, sw::TextAnchor::middle);
    free_from = at + half + letter;
  }
  return text + sw::svg_text((area.left + area.right) / 2, area.bottom + 2.4 * text_height + 4, display.title(),
                             sw::TextAnchor::middle, "axis-title");
}

}  // namespace

ChartFrame chart_frame(double width, const VariableDisplay& x, const VariableDisplay& y, const std::vector<double>& xs,
                       const std::vector<double>& ys) {
  const bool narrow = sw::is_narrow(width);
  const double height = narrow ? 300 : 400;
  const int ticks = narrow ? 4 : 6;
  const double top = 2.2 * text_height, bottom = height - 3.2 * text_height;
  const sw::ChartScale up = y_scale(ys, bottom, top, ticks);
  double label = 0;
  for (const double value : up.ticks(ticks)) label = std::max(label, text_width(figure_text(value)));
  const sw::PlotArea area{label + 12, top, width - 12, bottom};
  const sw::ChartScale along = x_scale(x, xs, area.left, area.right);
  auto figure = [](double value) { return figure_text(value); };
  std::string axes =
      x.ticks.empty() ? sw::svg_x_axis(area, {x.title(), along, figure, ticks}) : value_axis(area, along, x);
  axes += sw::svg_y_axis(area, {y.title(), up, figure, ticks});
  axes += sw::svg_line(area.left, area.bottom, area.right, area.bottom, "axis");
  return {width, height, area, along, up, axes};
}

}  // namespace podsim::workloads
