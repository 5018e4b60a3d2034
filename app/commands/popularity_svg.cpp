// SPDX-License-Identifier: Apache-2.0
#include "app/commands/popularity_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string_view>

namespace podsim::app::commands {
namespace {

constexpr double width = 560, height = 400, margin = 70, legend_width = 190;
constexpr std::array<std::string_view, 4> colors{"#1f5fa8", "#c8502a", "#7fb2e5", "#f0a98f"};

/// Decades that contain all values.
struct Decades {
  int low = 0, high = 1;
  void include(double value) {
    low = std::min(low, int(std::floor(std::log10(value))));
    high = std::max(high, int(std::ceil(std::log10(value))));
  }
  double place(double value, double length) const { return length * (std::log10(value) - low) / double(high - low); }
};

std::string grid(const Decades& x, const Decades& y) {
  std::string text;
  for (int decade = x.low; decade <= x.high; ++decade) {
    const double at = x.place(std::pow(10.0, decade), width);
    text += fmt::format(R"(<path d="M{0:.1f} 0V{1:.0f}" stroke="#dddddd"/>)"
                        R"(<text x="{0:.1f}" y="{2:.0f}" text-anchor="middle">{3:g} %</text>)"
                        "\n",
                        at, height, height + 18, 100 * std::pow(10.0, decade));
  }
  for (int decade = y.low; decade <= y.high; ++decade) {
    const double at = height - y.place(std::pow(10.0, decade), height);
    text += fmt::format(R"(<path d="M0 {0:.1f}H{1:.0f}" stroke="#dddddd"/>)"
                        R"(<text x="-6" y="{2:.1f}" text-anchor="end">{3:g}</text>)"
                        "\n",
                        at, width, at + 4, std::pow(10.0, decade));
  }
  return text;
}

}  // namespace

PopularityCurve popularity_curve(std::string label, std::span<const double> counts) {
  constexpr double points = 240;
  std::vector<double> sorted(counts.begin(), counts.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  const double rows = double(sorted.size());
  const double mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / rows;
  PopularityCurve curve{std::move(label), {}};
  std::size_t before = 0;
  for (double i = 0; i <= points; ++i) {
    const auto rank = std::size_t(std::llround(std::pow(rows, i / points)));
    if (rank == before || sorted[rank - 1] <= 0) continue;
    before = rank;
    curve.points.push_back({double(rank) / rows, sorted[rank - 1] / mean});
  }
  return curve;
}

std::string popularity_svg(const std::vector<PopularityCurve>& curves) {
  Decades x{-1, 0}, y{0, 1};
  for (const PopularityCurve& curve : curves) {
    for (const PopularityCurve::Point& point : curve.points) {
      x.include(point.rank);
      y.include(point.popularity);
    }
  }
  std::string body = grid(x, y);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string_view color = colors[i % colors.size()];
    std::string path;
    for (const PopularityCurve::Point& point : curves[i].points) {
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? 'M' : 'L', x.place(point.rank, width),
                          height - y.place(point.popularity, height));
    }
    const double line = 12 + 20 * double(i);
    body += fmt::format(R"(<path d="{0}" fill="none" stroke="{1}" stroke-width="2"/>)"
                        R"(<path d="M{2:.0f} {3:.0f}h20" stroke="{1}" stroke-width="2"/>)"
                        R"(<text x="{4:.0f}" y="{5:.0f}">{6}</text>)"
                        "\n",
                        path, color, width + 16, line, width + 42, line + 4, curves[i].label);
  }
  body += fmt::format(R"(<text x="{:.0f}" y="{:.0f}" text-anchor="middle">rank, in rows of the table</text>)"
                      R"(<text transform='translate(-48 {:.0f}) rotate(-90)' text-anchor='middle'>)"
                      "look-ups of a row / mean of all rows</text>\n",
                      width / 2, height + 42, height / 2);
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="{0:.0f} -20 {1:.0f} {2:.0f}" )"
                     R"(width="{1:.0f}" height="{2:.0f}" font-family="sans-serif" font-size="12">)"
                     R"(<title>Popularity of rows by rank</title>)"
                     R"(<rect x="{0:.0f}" y="-20" width="{1:.0f}" height="{2:.0f}" fill="#ffffff"/>)"
                     "\n{3}</svg>\n",
                     -margin, width + margin + legend_width, height + 80, body);
}

}  // namespace podsim::app::commands
