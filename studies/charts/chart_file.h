// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/html/svg_chart.h"

/// Charts as standalone SVG files, with the colours of report pages, which follow the reader's light or dark setting.
namespace podsim::studies::charts {

inline constexpr double file_margin = 16, file_line_height = 18, file_title_size = 15;  ///< px

/// The whole file: `body` under its title, of this size in px.
std::string chart_file(double width, double height, std::string_view title, std::string_view body);

/// `chart`, a whole drawing from `svg_chart`, at a position in a file.
std::string nested_chart(std::string_view chart, double left, double top, double width, double height);

struct FileLegend {
  std::string svg;
  double height = 0;
};

/// A legend below `top`, in as many lines as `width` needs.
FileLegend file_legend(const std::vector<report::html::LegendEntry>& entries, double top, double width);

}  // namespace podsim::studies::charts
