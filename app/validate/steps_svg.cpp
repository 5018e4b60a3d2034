// SPDX-License-Identifier: Apache-2.0
#include "app/validate/steps_svg.h"

#include <fmt/format.h>

#include <algorithm>

#include "studies/charts/chart_file.h"
#include "studies/charts/chart_frame.h"

namespace podsim::app::validate {
namespace {

namespace charts = studies::charts;
namespace html = report::html;
using validation::measured::published::ScalingLine;
using validation::measured::published::SimulatedStep;

constexpr double chart_width = 360, gap = 24;
constexpr std::size_t columns = 3;
constexpr double milliseconds = 1e3;

struct Panel {
  std::string svg;
  double height = 0;
};

Panel panel_of(const ScalingLine& line) {
  // Zero is among the values, so that heights of points are in the ratio of their times.
  std::vector<double> chips, times{0};
  charts::VariableDisplay x, y;
  x.name = "chips";
  x.logarithmic = true;
  y.name = fmt::format("{} on tpu-{}: step", line.network, line.generation);
  y.unit = "ms";
  const auto add = [&](const SimulatedStep& step, double seconds) {
    chips.push_back(double(step.published.chips));
    times.push_back(milliseconds * seconds);
  };
  for (const SimulatedStep& step : line.published) add(step, step.published.max_s);
  for (const SimulatedStep& step : line.line) add(step, *step.step_s);
  std::vector<double> ticks = chips;
  std::ranges::sort(ticks);
  ticks.erase(std::ranges::unique(ticks).begin(), ticks.end());
  for (const double tick : ticks) x.ticks.push_back({tick, fmt::format("{}", tick)});
  const charts::ChartFrame frame = charts::chart_frame(chart_width, x, y, chips, times);
  const auto place = [&](const SimulatedStep& step, double seconds) {
    return frame.place(double(step.published.chips), milliseconds * seconds);
  };
  std::string body = frame.axes;
  std::vector<html::SvgPoint> path;
  for (const SimulatedStep& step : line.line) path.push_back(place(step, *step.step_s));
  body += html::svg_path(path, "curve line-1");
  for (const SimulatedStep& step : line.published) {
    const html::SvgPoint most = place(step, step.published.max_s), least = place(step, step.published.min_s);
    body += html::svg_line(least.x, least.y, most.x, most.y, "curve line-2");
    body += html::svg_circle(most.x, most.y, 5, "mark fill-2");
    if (least.y != most.y) body += html::svg_circle(least.x, least.y, 5, "mark fill-2");
  }
  for (const html::SvgPoint& at : path) body += html::svg_circle(at.x, at.y, 3, "mark fill-1");
  for (const SimulatedStep& step : line.published) {
    if (!step.step_s) continue;
    const auto on_line = std::ranges::find(line.line, step.published.chips,
                                           [](const SimulatedStep& other) { return other.published.chips; });
    if (on_line->step_s == step.step_s) continue;  // else another batch is on the line
    const html::SvgPoint at = place(step, *step.step_s);
    body += html::svg_circle(at.x, at.y, 3, "mark fill-1");
  }
  return {html::svg_chart(frame.width, frame.height, y.name, body), frame.height};
}

}  // namespace

std::string steps_svg(const std::vector<ScalingLine>& lines) {
  const double width = 2 * charts::file_margin + columns * chart_width + (columns - 1) * gap;
  const charts::FileLegend legend = charts::file_legend({{"published", "fill-2"}, {"simulated", "fill-1"}},
                                                        charts::file_margin + charts::file_title_size, width);
  double top = charts::file_margin + charts::file_title_size + legend.height + charts::file_line_height;
  std::string body = legend.svg;
  double row_height = 0;
  std::size_t drawn = 0;
  for (const ScalingLine& line : lines) {
    if (line.line.empty()) continue;
    const std::size_t column = drawn++ % columns;
    if (column == 0) top += row_height;
    const Panel panel = panel_of(line);
    row_height = panel.height + gap / 2;
    body += charts::nested_chart(panel.svg, charts::file_margin + double(column) * (chart_width + gap), top,
                                 chart_width, panel.height);
  }
  return charts::chart_file(width, top + row_height + charts::file_margin, "Training steps: published and simulated",
                            body);
}

}  // namespace podsim::app::validate
