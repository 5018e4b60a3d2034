// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace podsim::app::commands {

/// Popularity by rank: how many times as often as the mean row the row of a rank is looked up.
struct PopularityCurve {
  struct Point {
    double rank, popularity;  ///< rank as a share of all rows
  };
  std::string label;
  std::vector<Point> points;  ///< at equal distances of the logarithm of the rank, down to rows looked up at all
};

PopularityCurve popularity_curve(std::string label, std::span<const double> counts);

/// The curves with both scales logarithmic, as a standalone SVG file.
std::string popularity_svg(const std::vector<PopularityCurve>& curves);

}  // namespace podsim::app::commands
