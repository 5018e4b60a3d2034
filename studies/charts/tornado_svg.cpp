// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/tornado_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/utf8.h"
#include "report/html/svg_chart.h"
#include "studies/charts/chart_marks.h"
#include "studies/charts/study_display.h"
#include "studies/charts/text_size.h"

namespace podsim::studies::charts {
namespace {

constexpr double bar_height = 13, row_height = 60;
constexpr std::size_t max_letters = 28;  ///< of the axis values in a label

/// One end of a swing.
struct Bar {
  std::size_t point = 0;
  double value = 0;
  std::string label;
};

std::string change_text(double value, double start) {
  if (start == 0) return "";
  const double change = value / start - 1;
  if (change >= 9) return fmt::format(" ({:.3g} times)", value / start);
  return fmt::format(" ({}{:.3g} %)", change < 0 ? "\u2212" : "+", std::abs(100 * change));
}

/// The values of axes that move together, as many as there is room for: "4x4, two-colour".
std::string values_text(const store::StudyResults& results, const Swing& swing, std::size_t point) {
  std::string text;
  for (const std::size_t axis : swing.axes) {
    const std::string value = axis_text(results.points[point].axes[axis]);
    if (!text.empty() && base::text::utf8_characters(text + value).size() > max_letters) return text + ", \u2026";
    text += (text.empty() ? "" : ", ") + value;
  }
  return text;
}

std::vector<Bar> bars_of(const store::StudyResults& results, const Swing& swing, std::size_t reference,
                         std::size_t metric, double start) {
  std::vector<Bar> bars;
  for (const auto& [point, value] :
       {std::pair(*swing.least, swing.min_value), std::pair(*swing.greatest, swing.greatest_value)}) {
    Bar bar{point, value, values_text(results, swing, point)};
    if (point != reference) bar.label += change_text(*results.points[point].metrics[metric], start);
    bars.push_back(std::move(bar));
  }
  return bars;
}

/// Scale from the least to the greatest value, with room on both sides for the labels of the bars that end there.
report::html::ChartScale scale_of(const std::vector<std::vector<Bar>>& rows, double start, double width) {
  double least = start, greatest = start, left = 8, right = 8;
  for (const std::vector<Bar>& bars : rows) {
    for (const Bar& bar : bars) {
      least = std::min(least, bar.value);
      greatest = std::max(greatest, bar.value);
      double& room = bar.value < start ? left : right;
      room = std::max(room, text_width(bar.label) + 10);
    }
  }
  const double most = 0.8 * width;  // of all labels; longer ones get less room than they need
  const double squeeze = std::min(1.0, most / (left + right));
  return report::html::ChartScale::linear(least, greatest, left * squeeze, width - right * squeeze);
}

std::string bar_svg(const store::StudyResults& results, const Bar& bar, const report::html::ChartScale& scale,
                    double from, double top, std::string_view css_class, const std::string& metric_text) {
  const double to = scale.place(bar.value);
  std::string text = report::html::svg_rect(
      std::min(from, to), top, std::abs(to - from), bar_height, fmt::format("pick {}", css_class),
      fmt::format(" data-point=\"{}\"{}", bar.point,
                  report::html::tip_attribute(fmt::format("{}\n{}", point_name(results, bar.point), metric_text))));
  const bool left = to < from;
  text += report::html::svg_text(left ? to - 5 : to + 5, top + bar_height - 2, bar.label,
                                 left ? report::html::TextAnchor::end : report::html::TextAnchor::start);
  return text;
}

}  // namespace

std::string swing_name(const store::StudyResults& results, const Swing& swing) {
  std::string name;
  for (const std::size_t axis : swing.axes) name += (name.empty() ? "" : ", ") + results.axes[axis].name;
  return swing.axes.size() > 1 ? name + " together" : name;
}

std::string tornado_svg(const store::StudyResults& results, const std::vector<Swing>& swings, std::size_t reference,
                        std::size_t metric, double width) {
  std::vector<std::vector<Bar>> rows;
  std::vector<const Swing*> drawn;
  const double start = results.points[reference].metrics[metric].value_or(0);
  for (const Swing& swing : swings) {
    if (swing.missing()) continue;
    rows.push_back(bars_of(results, swing, reference, metric, start));
    drawn.push_back(&swing);
  }
  if (rows.empty()) return "";
  const report::html::ChartScale scale = scale_of(rows, start, width);
  const double from = scale.place(start), height = row_height * double(rows.size()) + 2 * text_height;
  const store::Variable variable{store::Variable::Kind::metric, metric};
  const VariableDisplay display = display_of(results, variable);
  std::string text;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const double top = row_height * double(row);
    text += report::html::svg_text(0, top + text_height, swing_name(results, *drawn[row]),
                                   report::html::TextAnchor::start, "strong");
    for (std::size_t end = 0; end < rows[row].size(); ++end) {
      const Bar& bar = rows[row][end];
      const std::string said =
          fmt::format("{} {}", display.name, value_text(results, results.points[bar.point], variable, display));
      text += bar_svg(results, bar, scale, from, top + text_height + 6 + double(end) * (bar_height + 2),
                      end == 0 ? "fill-6" : "fill-1", said);
    }
  }
  text += report::html::svg_line(from, text_height + 4, from, height - text_height, "guide");
  const std::string base = value_text(results, results.points[reference], variable, display);
  const bool near_right = from > 0.7 * width, near_left = from < 0.3 * width;
  text += report::html::svg_text(from, height - 2, "baseline " + base,
                                 near_right  ? report::html::TextAnchor::end
                                 : near_left ? report::html::TextAnchor::start
                                             : report::html::TextAnchor::middle,
                                 "axis-title");
  return report::html::svg_chart(width, height, fmt::format("Sensitivity of {}", display.name), text);
}

}  // namespace podsim::studies::charts
