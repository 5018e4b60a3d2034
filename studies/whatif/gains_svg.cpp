// SPDX-License-Identifier: Apache-2.0
// Part of studies/whatif/gains.h.
#include <fmt/format.h>

#include <cmath>

#include "report/html/svg_chart.h"
#include "studies/charts/chart_file.h"
#include "studies/charts/text_size.h"
#include "studies/whatif/gain_rows.h"
#include "studies/whatif/gains.h"

namespace podsim::studies::whatif {
namespace {

constexpr double file_width = 760, name_width = 210, label_room = 56, bar_height = 12, row_height = 34;

struct Drawn {
  const Gain* gain;
  const char* css_class;
};

}  // namespace

std::string gains_svg(const Gains& gains) {
  const std::vector<GainRow> rows = rows_of(gains);
  double least = 1, most = 1;
  for (const Gain& gain : gains.of) {
    if (!gain.gain) continue;
    least = std::min(least, *gain.gain);
    most = std::max(most, *gain.gain);
  }
  const auto scale = report::html::ChartScale::linear(least, most, charts::file_margin + name_width + label_room,
                                                      file_width - charts::file_margin - label_room);
  const charts::FileLegend legend =
      charts::file_legend({{"twice of it", "fill-1"}, {"half of it", "fill-6"}, {"with it", "fill-3"}},
                          charts::file_margin + charts::file_title_size, file_width);
  double top = charts::file_margin + charts::file_title_size + legend.height + charts::file_line_height;
  const double first = top, from = scale.place(1);
  std::string body = legend.svg;
  for (const GainRow& of : rows) {
    if (of.best() == 0) continue;
    body += report::html::svg_text(charts::file_margin, top + bar_height, of.subject);
    double at = top;
    for (const Drawn& drawn : {Drawn{of.twice, "fill-1"}, Drawn{of.half, "fill-6"}, Drawn{of.choice, "fill-3"}}) {
      if (drawn.gain == nullptr || !drawn.gain->gain) continue;
      const double gain = *drawn.gain->gain, to = scale.place(gain);
      body += report::html::svg_rect(std::min(from, to), at, std::abs(to - from), bar_height, drawn.css_class);
      body += report::html::svg_text(to < from ? to - 5 : to + 5, at + bar_height - 2, fmt::format("{:.3f}", gain),
                                     to < from ? report::html::TextAnchor::end : report::html::TextAnchor::start);
      at += bar_height + 2;
    }
    top += row_height;
  }
  body += report::html::svg_line(from, first - 4, from, top, "guide");
  const std::string title = gains.figures.value("samples_per_s", 0.0) > 0 ? "Samples per second" : "Steps per second";
  return charts::chart_file(file_width, top + charts::file_margin, title + " over those of " + gains.command, body);
}

}  // namespace podsim::studies::whatif
