// SPDX-License-Identifier: Apache-2.0
#include "report/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/percent.h"

namespace podsim::report {
namespace {

constexpr double pitch = 48, chip = 20, margin = 40;
constexpr double lane = 4;  // offset from the line between two chips, so that the two directions are side by side

struct Point {
  double x = 0, y = 0;
};

// From idle to full: light grey, yellow, orange, red, dark red.
std::string color(double utilisation) {
  constexpr std::array<std::array<int, 3>, 5> stops{
      {{224, 224, 224}, {250, 210, 100}, {243, 146, 55}, {214, 60, 46}, {122, 15, 30}}};
  const double place = std::clamp(utilisation, 0.0, 1.0) * double(stops.size() - 1);
  const auto below = std::min(std::size_t(place), stops.size() - 2);
  const double part = place - double(below);
  const auto mix = [&](std::size_t i) {
    return int(std::lround(double(stops[below][i]) * (1 - part) + double(stops[below + 1][i]) * part));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2));
}

int height(const noc::Topology& topology) { return topology.dimensions() > 1 ? topology.size(1) : 1; }

// The centre of a chip; planes of further dimensions are in a row.
Point place(const noc::Topology& topology, noc::NodeId node) {
  const noc::Coordinates at = topology.coordinates(node);
  const int plane = node / (topology.size(0) * height(topology));
  return {margin + (plane * (topology.size(0) + 1) + at[0]) * pitch,
          margin + (topology.dimensions() > 1 ? at[1] : 0) * pitch};
}

std::string line(Point from, Point to, const LinkFigures& use, const std::string& title) {
  return fmt::format(
      R"(<line x1="{:.0f}" y1="{:.0f}" x2="{:.0f}" y2="{:.0f}" stroke="{}" stroke-width="5"{}><title>{}</title></line>)"
      "\n",
      from.x, from.y, to.x, to.y, use.dead ? "#3355cc" : color(use.utilisation),
      use.dead ? R"( stroke-dasharray="3 3")" : "", title);
}

std::string draw(const noc::Topology& topology, const LinkFigures& use) {
  const noc::Link link = *topology.link(use.link);
  const Point from = place(topology, link.from), to = place(topology, link.to);
  const std::string title =
      fmt::format("{}: {}", link_name(topology, use.link),
                  use.dead ? "dead" : fmt::format("{}, {}", base::text::percent(use.utilisation), use.amount));
  // The direction out of the chip: along x, along y, or slanted for links that leave the plane.
  const double direction = link.direction;
  const Point unit = link.dimension == 0   ? Point{direction, 0}
                     : link.dimension == 1 ? Point{0, direction}
                                           : Point{direction * 0.7, direction * 0.7};
  const Point side{-unit.y * lane, unit.x * lane};
  const Point begin{from.x + unit.x * chip / 2 + side.x, from.y + unit.y * chip / 2 + side.y};
  const bool neighbours = link.dimension < 2 && std::abs(to.x - from.x) + std::abs(to.y - from.y) <= pitch + 1 &&
                          (to.x - from.x) * direction + (to.y - from.y) * direction > 0;
  const double length = neighbours ? pitch - chip : (pitch - chip) * 0.45;
  return line(begin, {begin.x + unit.x * length, begin.y + unit.y * length}, use, title);
}

std::string legend(double y) {
  std::string text;
  for (int i = 0; i <= 10; ++i) {
    text += fmt::format("<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"14\" height=\"10\" fill=\"{}\"/>\n",
                        margin - chip / 2 + i * 14, y, color(i / 10.0));
  }
  return text + fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">0 to 100 % of a link's time</text>\n",
                            margin - chip / 2 + 11 * 14 + 8, y + 9);
}

}  // namespace

std::string link_name(const noc::Topology& topology, noc::LinkId id) {
  const noc::Link link = *topology.link(id);
  return topology.name(link.from) + noc::dimension_name(link.dimension) + (link.direction > 0 ? "+" : "-");
}

std::string link_csv(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view unit) {
  std::string text = fmt::format("from,to,dimension,direction,{},utilisation,retries,state\n", unit);
  for (const LinkFigures& use : links) {
    const auto link = topology.link(use.link);
    if (!link) continue;
    text += fmt::format("\"{}\",\"{}\",{},{},{},{:.6f},{},{}\n", topology.name(link->from), topology.name(link->to),
                        noc::dimension_name(link->dimension), link->direction > 0 ? "+" : "-", use.amount,
                        use.utilisation, use.retries, use.dead ? "dead" : "alive");
  }
  return text;
}

std::string link_svg(const noc::Topology& topology, std::span<const LinkFigures> links, std::string_view title) {
  const int planes = topology.nodes() / (topology.size(0) * height(topology));
  const double width = std::max(2 * margin + (planes * (topology.size(0) + 1) - 2) * pitch, 420.0);
  const double bottom = 2 * margin + (height(topology) - 1) * pitch;
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, bottom + 50);
  for (const LinkFigures& use : links) {
    if (topology.link(use.link)) text += draw(topology, use);
  }
  for (noc::NodeId node = 0; node < topology.nodes(); ++node) {
    const Point at = place(topology, node);
    text += fmt::format(
        "<rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"3\" fill=\"#5a6b7b\">"
        "<title>{}</title></rect>\n",
        at.x - chip / 2, at.y - chip / 2, chip, chip, topology.name(node));
  }
  text += legend(bottom);
  text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", margin - chip / 2, bottom + 30, title);
  return text + "</svg>\n";
}

}  // namespace podsim::report
