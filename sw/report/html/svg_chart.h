// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/report/html/chart_scale.h"

/// Pieces of charts as SVG within a page: text stays text, colours come from the page's style sheet by class, so that
/// they follow light and dark. Lengths are in the drawing's own pixels, y down.
///
/// Colours: fill-1 ... fill-8 and line-1 ... line-8 are categories that can be told apart by people who see few
/// colours; heat-0 ... heat-9 go from the page's background to full; fill-0 and line-0 are the quiet colour of all
/// others. `category_class` chooses one.
namespace podsim::sw {

inline constexpr int chart_categories = 8;
inline constexpr int heat_levels = 10;

/// "fill-3"; categories beyond the palette are quiet.
std::string category_fill(int category);
std::string category_line(int category);
/// "heat-9" of a share of one.
std::string heat_class(double share);

/// The rectangle that values are drawn in; axes stand around it.
struct PlotArea {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct ChartAxis {
  std::string title;  ///< with its unit
  ChartScale scale;
  std::function<std::string(double)> label;  ///< of a tick
  int most_ticks = 6;
};

enum class TextAnchor { start, middle, end };

/// A length with two decimals at most.
std::string svg_number(double value);
std::string svg_text(double x, double y, std::string_view text, TextAnchor anchor = TextAnchor::start,
                     std::string_view css_class = "");
std::string svg_rect(double x, double y, double width, double height, std::string_view css_class,
                     std::string_view more_attributes = "");
std::string svg_circle(double x, double y, double radius, std::string_view css_class,
                       std::string_view more_attributes = "");
std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class);
struct SvgPoint {
  double x = 0, y = 0;
};
/// Straight lines from point to point.
std::string svg_path(const std::vector<SvgPoint>& points, std::string_view css_class);

/// ` data-tip="..."`: what the page shows when the element is pointed at, tapped, or reached by the arrow keys; lines
/// end in '\n', the first is set in bold.
std::string tip_attribute(std::string_view text);

/// Grid lines, ticks and titles: x below the area, y left of it. Widths of labels are estimated, since the font is the
/// reader's; ticks whose labels would touch are left out.
std::string svg_axes(const PlotArea& area, const ChartAxis& x, const ChartAxis& y);
std::string svg_x_axis(const PlotArea& area, const ChartAxis& axis);
std::string svg_y_axis(const PlotArea& area, const ChartAxis& axis);

/// The whole drawing; `label` is what a screen reader says of it.
std::string svg_chart(double width, double height, std::string_view label, std::string_view body);

/// A chart drawn twice, for phones and for desks; the style sheet shows one of them. `draw` gets the width of the
/// drawing, 360 or 1000, and returns svg_chart.
std::string responsive_chart(const std::function<std::string(double width)>& draw);
bool is_narrow(double width);

struct LegendEntry {
  std::string label;
  std::string css_class;  ///< of the swatch: "fill-2"
};
/// Beside or below a chart, in lines as they fit.
std::string chart_legend(const std::vector<LegendEntry>& entries);
/// From nothing to full, between two labels.
std::string heat_legend(std::string_view low, std::string_view high);

/// A chart with what is said below it: `<figure>`.
std::string html_chart(std::string_view chart, std::string_view caption_html);

}  // namespace podsim::sw
