// SPDX-License-Identifier: Apache-2.0
#include "studies/charts/chart_file.h"

#include <fmt/format.h>

#include "report/html/html_text.h"
#include "studies/charts/text_size.h"

namespace podsim::studies::charts {
namespace {

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
  for (int i = 0; i <= report::html::chart_categories; ++i) {
    text += fmt::format(".fill-{0} {{ fill: var(--c{0}); }} .line-{0} {{ stroke: var(--c{0}); }}\n", i);
  }
  return text;
}

}  // namespace

std::string chart_file(double width, double height, std::string_view title, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">"
      "<title>{2}</title><style>{3}{4}</style>\n<rect class=\"ground\" width=\"100%\" height=\"100%\"/>{5}{6}</svg>\n",
      width, height, report::html::html_escaped(std::string(title)), style, palette(),
      report::html::svg_text(file_margin, file_margin + file_title_size / 2, title, report::html::TextAnchor::start,
                             "title"),
      body);
}

std::string nested_chart(std::string_view chart, double left, double top, double width, double height) {
  const std::size_t end = chart.find('>');
  return fmt::format(
      "<svg x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" viewBox=\"0 0 {2} {3}\" overflow=\"visible\">{4}", left,
      top, width, height, chart.substr(end + 1));
}

FileLegend file_legend(const std::vector<report::html::LegendEntry>& entries, double top, double width) {
  FileLegend legend;
  double x = file_margin;
  for (const report::html::LegendEntry& entry : entries) {
    const double needed = 16 + text_width(entry.label) + 14;
    if (legend.height == 0 || x + needed > width - file_margin) {
      legend.height += file_line_height;
      x = file_margin;
    }
    const double bottom = top + legend.height;
    legend.svg += report::html::svg_rect(x, bottom - 9, 10, 10, entry.css_class) +
                  report::html::svg_text(x + 16, bottom, entry.label);
    x += needed;
  }
  return legend;
}

}  // namespace podsim::studies::charts
