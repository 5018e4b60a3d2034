// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/chart_scale.h"

/// Elements of charts as SVG within a page. Text remains text, and colours come from the page's style sheet by class,
/// so that they follow the light or dark setting. Lengths are in pixels of the drawing, with y pointing down.
///
/// Colours: fill-1 ... fill-8 and line-1 ... line-8 are categories in colours that colour-blind readers can
/// distinguish; heat-0 ... heat-9 go from the page's background to full; fill-0 and line-0 are a muted colour for all
/// others. `category_fill` and `category_line` choose one.
namespace podsim::report::html {

inline constexpr int chart_categories = 8;
inline constexpr int heat_levels = 10;

/// "fill-3"; categories beyond the palette get the muted colour.
std::string category_fill(int category);
std::string category_line(int category);
/// "heat-9", for a share of one.
std::string heat_class(double share);

/// The rectangle in which values are drawn; axes are outside of it.
struct PlotArea {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
};

struct ChartAxis {
  std::string title;  ///< with its unit
  ChartScale scale;
  std::function<std::string(double)> label;  ///< text of a tick
  int max_ticks = 6;
};

enum class TextAnchor { start, middle, end };

/// A length with at most two decimals.
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

/// ` data-tip="..."`, the tooltip that the page shows when the element is pointed at, tapped, or reached by the arrow
/// keys. Lines end in '\n'; the first is bold.
std::string tip_attribute(std::string_view text);

/// Grid lines, ticks and titles: x below the area, y to the left of it. Widths of labels are estimated, since the font
/// depends on the reader; labels that would touch are left out.
std::string svg_axes(const PlotArea& area, const ChartAxis& x, const ChartAxis& y);
std::string svg_x_axis(const PlotArea& area, const ChartAxis& axis);
std::string svg_y_axis(const PlotArea& area, const ChartAxis& axis);

/// The whole drawing; `label` is its text for screen readers.
std::string svg_chart(double width, double height, std::string_view label, std::string_view body);

/// A chart drawn twice, for phones and for desktops; the style sheet shows one of them. `draw` gets the width of the
/// drawing, 360 or 1000, and returns an svg_chart.
std::string responsive_chart(const std::function<std::string(double width)>& draw);
bool is_narrow(double width);

struct LegendEntry {
  std::string label;
  std::string css_class;  ///< of the swatch: "fill-2"
};
/// A legend for a chart, in lines that fit the width.
std::string chart_legend(const std::vector<LegendEntry>& entries);
/// The heat colours from nothing to full, between two labels.
std::string heat_legend(std::string_view low, std::string_view high);

/// A chart with its caption, as a `<figure>`.
std::string html_chart(std::string_view chart, std::string_view caption_html);

}  // namespace podsim::report::html
