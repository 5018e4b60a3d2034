// SPDX-License-Identifier: Apache-2.0
// Part of report/profile_report.h.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/html/html_text.h"
#include "report/profile_report.h"

namespace podsim::report {
namespace {

constexpr double side = 520, plot_margin = 60, legend_width = 190;
constexpr double min_radius = 1.5, max_radius = 14;
constexpr std::array<std::string_view, 8> colors{"#1f5fa8", "#c8502a", "#3a8a3f", "#8a4fa3",
                                                 "#b3902b", "#2a9d9d", "#a33a5f", "#666666"};

/// The decades, in seconds, that contain all times.
struct Range {
  int low = -6, high = -5;
  double place(double seconds) const {
    return side * (std::log10(std::max(seconds, 1e-12)) - low) / double(high - low);
  }
};

Range range_of(const ProfileReport& report) {
  double least = 1e9, most = 0;
  for (const validation::profile::ComparedOp& op : report.ops) {
    if (!op.modelled_s || op.measured_s <= 0 || *op.modelled_s <= 0) continue;
    least = std::min({least, op.measured_s, *op.modelled_s});
    most = std::max({most, op.measured_s, *op.modelled_s});
  }
  if (most <= 0) return {};
  return {int(std::floor(std::log10(least))),
          std::max(int(std::ceil(std::log10(most))), int(std::floor(std::log10(least))) + 1)};
}

std::string decade(int exponent) {
  const int micro = exponent + 6;
  if (micro >= 6) return fmt::format("{} s", std::pow(10, micro - 6));
  return micro >= 3 ? fmt::format("{} ms", std::pow(10, micro - 3)) : fmt::format("{} us", std::pow(10, micro));
}

std::string axes(const Range& range) {
  std::string text;
  for (int exponent = range.low; exponent <= range.high; ++exponent) {
    const double at = range.place(std::pow(10.0, exponent));
    text += fmt::format(
        R"(<path d="M{0:.1f} 0V{1:.0f}M0 {2:.1f}H{1:.0f}" stroke="#dddddd"/><text x="{0:.1f}" y="{3:.0f}" text-anchor="middle">{4}</text><text x="-6" y="{5:.1f}" text-anchor="end">{4}</text>)"
        "\n",
        at, side, side - at, side + 18, decade(exponent), side - at + 4);
  }
  // Lines of equal times and of a quarter more and less.
  const double quarter = side * std::log10(1.25) / double(range.high - range.low);
  text += fmt::format(
      R"(<path d="M0 {0:.0f}L{0:.0f} 0" stroke="#444444"/><path d="M0 {1:.1f}L{2:.1f} 0M{3:.1f} {0:.0f}L{0:.0f} {3:.1f}" stroke="#999999" stroke-dasharray="4 4"/>)"
      "\n",
      side, side - quarter, side - quarter, quarter);
  text += fmt::format(
      R"-(<text x="{0:.0f}" y="{1:.0f}" text-anchor="middle">measured</text><text transform="translate(-48 {0:.0f}) rotate(-90)" text-anchor="middle">modelled</text>)-"
      "\n",
      side / 2, side + 38);
  return text;
}

}  // namespace

std::string profile_svg(const ProfileReport& report) {
  const Range range = range_of(report);
  const double all = std::max(report.totals().measured_s, 1e-12);
  std::vector<std::pair<std::string, double>> categories;
  for (const auto& [name, totals] : report.by_category()) categories.emplace_back(name, totals.measured_s);
  std::ranges::stable_sort(categories, std::greater<>{}, &std::pair<std::string, double>::second);
  auto color_of = [&](const std::string& category) {
    auto found = std::ranges::find(categories, category, &std::pair<std::string, double>::first);
    return colors[std::min(std::size_t(found - categories.begin()), colors.size() - 1)];
  };
  std::string text = fmt::format(
      R"-(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="11" fill="#222222"><rect width="100%" height="100%" fill="#ffffff"/><g transform="translate({2:.0f} {3:.0f})" stroke-width="1">)-"
      "\n",
      side + 2 * plot_margin + legend_width, side + 2 * plot_margin, plot_margin + 10, plot_margin / 2);
  text += axes(range);
  for (const validation::profile::ComparedOp& op : report.ops) {
    if (!op.modelled_s || op.measured_s <= 0 || *op.modelled_s <= 0) continue;
    const double share = double(op.occurrences) * op.measured_s / all;
    text += fmt::format(
        R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:.1f}" fill="{}" fill-opacity="0.45"><title>{}: {:.1f} us measured, {:.1f} us modelled</title></circle>)"
        "\n",
        range.place(op.measured_s), side - range.place(*op.modelled_s),
        std::clamp(max_radius * std::sqrt(10 * share), min_radius, max_radius), color_of(op.category),
        html::html_escaped(op.name), op.measured_s * 1e6, *op.modelled_s * 1e6);
  }
  for (std::size_t i = 0; i < std::min(categories.size(), colors.size()); ++i) {
    const bool rest = i + 1 == colors.size() && categories.size() > colors.size();
    text +=
        fmt::format(R"(<circle cx="{0:.0f}" cy="{1:.0f}" r="5" fill="{2}"/><text x="{3:.0f}" y="{4:.0f}">{5}</text>)"
                    "\n",
                    side + 24, 10 + 18 * double(i), colors[i], side + 36, 14 + 18 * double(i),
                    rest ? "others" : html::html_escaped(categories[i].first));
  }
  return text + "</g></svg>\n";
}

}  // namespace podsim::report
