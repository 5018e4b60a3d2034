// SPDX-License-Identifier: Apache-2.0
// Part of studies/charts/study_chart_svg.h.
#include <fmt/format.h>

#include "studies/charts/study_chart_svg.h"
#include "studies/charts/text_size.h"
#include "sw/report/html/html_text.h"

namespace podsim::studies::charts {
namespace {

constexpr double image_width = 760, image_margin = 16, line_height = 18, title_size = 15;

/// The colours of report pages, so that an image follows its reader's light or dark setting too.
constexpr std::string_view style = R"(
svg { --ground: #ffffff; --ink: #1d1e22; --quiet: #5c5f67; --faint: #8b8e95; --grid: #ebe9e4; --c0: #a4a7ac;
  --c1: #0072b2; --c2: #d55e00; --c3: #009e73; --c4: #c9689d; --c5: #dd9500; --c6: #4fa9de; --c7: #8a8200; --c8: #6a4b9c; }
@media (prefers-color-scheme: dark) {
  svg { --ground: #15161a; --ink: #e8e7e3; --quiet: #a9abb2; --faint: #7f828a; --grid: #2a2c33; --c0: #6d7178;
    --c1: #4ba6e0; --c2: #f08348; --c3: #2fbf95; --c4: #e297c0; --c5: #f0b33a; --c6: #93d1f7; --c7: #c6bd48;
    --c8: #ab8dda; } }
text { font: 12px Inter, "Helvetica Neue", "Segoe UI", Roboto, Helvetica, Arial, sans-serif; fill: var(--quiet); }
.axis-title { fill: var(--ink); } .title { fill: var(--ink); font-size: 15px; font-weight: 600; }
path { fill: none; } .grid { stroke: var(--grid); } .axis { stroke: var(--faint); } .ground { fill: var(--ground); }
.curve { stroke-width: 1.75; } .dashed { stroke-dasharray: 6 4; } .mark { stroke: var(--ground); stroke-width: .75; }
.ring { fill: none; stroke: var(--ink); stroke-width: 1.5; }
.dots { stroke-width: 6; stroke-linecap: round; }
)";

std::string palette() {
  std::string text;
  for (int i = 0; i <= sw::report::html::chart_categories; ++i) {
    text += fmt::format(".fill-{0} {{ fill: var(--c{0}); }} .line-{0} {{ stroke: var(--c{0}); }}\n", i);
  }
  return text;
}

struct Legend {
  std::string svg;
  double height = 0;
};

/// The legend in as many lines as it needs.
Legend legend_lines(const std::vector<sw::report::html::LegendEntry>& entries, double top) {
  Legend legend;
  double x = image_margin;
  for (const sw::report::html::LegendEntry& entry : entries) {
    const double needed = 16 + text_width(entry.label) + 14;
    if (legend.height == 0 || x + needed > image_width - image_margin) {
      legend.height += line_height;
      x = image_margin;
    }
    const double bottom = top + legend.height;
    legend.svg += sw::report::html::svg_rect(x, bottom - 9, 10, 10, entry.css_class) +
                  sw::report::html::svg_text(x + 16, bottom, entry.label);
    x += needed;
  }
  return legend;
}

/// Height of a drawing: the last of the four numbers of its viewBox.
double view_height(std::string_view chart) {
  constexpr std::string_view attribute = "viewBox=\"";
  const std::size_t begin = chart.find(attribute) + attribute.size();
  const std::string_view box = chart.substr(begin, chart.find('"', begin) - begin);
  return std::stod(std::string(box.substr(box.rfind(' ') + 1)));
}

/// Turns `chart`, a whole drawing from `svg_chart`, into an inner drawing at the offset `top`.
std::string nested(std::string_view chart, double top, double height) {
  const std::size_t end = chart.find('>');
  return fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"0 0 {2} {3}\" overflow=\"visible\">{4}",
      image_margin / 2, top, image_width - image_margin, height, chart.substr(end + 1));
}

}  // namespace

std::string study_chart_file(const store::StudyResults& results, const StudyChart& chart) {
  const std::string drawing = study_chart_svg(results, chart, image_width - image_margin, MarkKind::plain);
  const Legend legend = legend_lines(family_legend(results, chart), image_margin + title_size);
  const std::string fixed = fixed_text(results, chart);
  const double chart_top = image_margin + title_size + legend.height + line_height;
  const double chart_height = view_height(drawing);
  const double height = chart_top + chart_height + (fixed.empty() ? 0 : line_height) + image_margin / 2;
  std::string body = "<rect class=\"ground\" width=\"100%\" height=\"100%\"/>";
  body += sw::report::html::svg_text(image_margin, image_margin + title_size / 2, results.title,
                                     sw::report::html::TextAnchor::start, "title") +
          legend.svg;
  body += nested(drawing, chart_top, chart_height);
  if (!fixed.empty()) body += sw::report::html::svg_text(image_margin, height - image_margin, "at " + fixed);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">"
      "<title>{2}</title><style>{3}{4}</style>\n{5}</svg>\n",
      image_width, height, sw::report::html::html_escaped(results.title), style, palette(), body);
}

}  // namespace podsim::studies::charts
