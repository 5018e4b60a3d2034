// SPDX-License-Identifier: Apache-2.0
#include "report/html/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/utf8.h"
#include "report/html/html_text.h"

namespace podsim::report::html {
namespace {

constexpr double narrow_width = 360, wide_width = 1000;
constexpr double letter = 6.6, line = 14;  // width of a letter and height of a line in the charts' 12 px font
constexpr double tick = 4;

double text_width(std::string_view text) { return letter * double(base::text::utf8_characters(text).size()); }

int palette_place(int category) { return category >= 0 && category < chart_categories ? category + 1 : 0; }

std::string class_attribute(std::string_view css_class) {
  return css_class.empty() ? "" : fmt::format(" class=\"{}\"", css_class);
}

}  // namespace

std::string category_fill(int category) { return fmt::format("fill-{}", palette_place(category)); }
std::string category_line(int category) { return fmt::format("line-{}", palette_place(category)); }

std::string heat_class(double share) {
  return fmt::format("heat-{}", std::clamp(int(std::ceil(share * (heat_levels - 1))), 0, heat_levels - 1));
}

std::string svg_number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string svg_text(double x, double y, std::string_view text, TextAnchor anchor, std::string_view css_class) {
  static constexpr std::array anchors{"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>", svg_number(x), svg_number(y),
                     anchors[std::size_t(anchor)], class_attribute(css_class), html_escaped(text));
}

std::string svg_rect(double x, double y, double width, double height, std::string_view css_class,
                     std::string_view more_attributes) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{}{}/>", svg_number(x), svg_number(y),
                     svg_number(std::max(0.0, width)), svg_number(std::max(0.0, height)), class_attribute(css_class),
                     more_attributes);
}

std::string svg_circle(double x, double y, double radius, std::string_view css_class,
                       std::string_view more_attributes) {
  return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}{}/>", svg_number(x), svg_number(y), svg_number(radius),
                     class_attribute(css_class), more_attributes);
}

std::string svg_line(double x1, double y1, double x2, double y2, std::string_view css_class) {
  return fmt::format("<path d=\"M{} {}L{} {}\"{}/>", svg_number(x1), svg_number(y1), svg_number(x2), svg_number(y2),
                     class_attribute(css_class));
}

std::string svg_path(const std::vector<SvgPoint>& points, std::string_view css_class) {
  std::string places;
  for (const SvgPoint& point : points) {
    places += fmt::format("{}{} {}", places.empty() ? 'M' : 'L', svg_number(point.x), svg_number(point.y));
  }
  return fmt::format("<path d=\"{}\"{}/>", places, class_attribute(css_class));
}

std::string tip_attribute(std::string_view text) { return fmt::format(" data-tip=\"{}\"", html_escaped(text)); }

std::string svg_x_axis(const PlotArea& area, const ChartAxis& axis) {
  std::string text;
  double free_from = -1e9;
  for (const double value : axis.scale.ticks(axis.max_ticks)) {
    const double at = axis.scale.place(value);
    text += svg_line(at, area.top, at, area.bottom + tick, "grid");
    const std::string label = axis.label(value);
    const double half = text_width(label) / 2;
    if (at - half < free_from) continue;
    text += svg_text(at, area.bottom + line + tick, label, TextAnchor::middle);
    free_from = at + half + letter;
  }
  return text + svg_text((area.left + area.right) / 2, area.bottom + 2.4 * line + tick, axis.title, TextAnchor::middle,
                         "axis-title");
}

std::string svg_y_axis(const PlotArea& area, const ChartAxis& axis) {
  std::string text;
  double free_below = 1e9;
  for (const double value : axis.scale.ticks(axis.max_ticks)) {
    const double at = axis.scale.place(value);
    text += svg_line(area.left - tick, at, area.right, at, "grid");
    if (at > free_below) continue;
    text += svg_text(area.left - tick - 3, at + 4, axis.label(value), TextAnchor::end);
    free_below = at - line;
  }
  return text + svg_text(area.left - tick - 3, area.top - line, axis.title, TextAnchor::start, "axis-title y-title");
}

std::string svg_axes(const PlotArea& area, const ChartAxis& x, const ChartAxis& y) {
  return svg_x_axis(area, x) + svg_y_axis(area, y) + svg_line(area.left, area.bottom, area.right, area.bottom, "axis");
}

std::string svg_chart(double width, double height, std::string_view label, std::string_view body) {
  return fmt::format("<svg class=\"chart\" viewBox=\"0 0 {0} {1}\" role=\"img\" aria-label=\"{2}\">{3}</svg>",
                     svg_number(width), svg_number(height), html_escaped(label), body);
}

std::string responsive_chart(const std::function<std::string(double width)>& draw) {
  return fmt::format("<div class=\"on-phone\">{}</div><div class=\"on-desk\">{}</div>", draw(narrow_width),
                     draw(wide_width));
}

bool is_narrow(double width) { return width < (narrow_width + wide_width) / 2; }

std::string chart_legend(const std::vector<LegendEntry>& entries) {
  std::string items;
  for (const LegendEntry& entry : entries) {
    items += fmt::format("<li><svg class=\"swatch\" viewBox=\"0 0 10 10\" aria-hidden=\"true\">{}</svg>{}</li>",
                         svg_rect(0, 0, 10, 10, entry.css_class), html_escaped(entry.label));
  }
  return "<ul class=\"legend\">" + items + "</ul>";
}

std::string heat_legend(std::string_view low, std::string_view high) {
  constexpr double step = 16, height = 10;
  std::string levels;
  for (int level = 0; level < heat_levels; ++level) {
    levels += svg_rect(level * step, 0, step, height, fmt::format("heat-{}", level));
  }
  return fmt::format("<p class=\"heat-legend\">{} <svg viewBox=\"0 0 {} {}\" aria-hidden=\"true\">{}</svg> {}</p>",
                     html_escaped(low), svg_number(step * heat_levels), svg_number(height), levels, html_escaped(high));
}

std::string html_chart(std::string_view chart, std::string_view caption_html) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", chart, caption_html);
}

}  // namespace podsim::report::html
