// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text/percent.h"
#include "report/html/heat_grid.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/slice_links.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

constexpr double max_cell = 12;   // largest cell of a grid
constexpr double min_pitch = 40;  // smallest distance of chips at which links are drawn as lines

std::string use_text(const SliceLinks& slice, double bytes) {
  return fmt::format("{}, {} of the link’s capacity", si_text(bytes, "B"),
                     base::text::percent(slice.capacity > 0 ? bytes / slice.capacity : 0, 2));
}

/// Chips, and a line for every directed link next to that of the other direction. Wrap links are stubs.
std::string drawn_links(const SliceLinks& slice, double width) {
  const double pitch = std::min(96.0, width / (slice.columns() + 0.9)), chip = pitch * 0.42, lane = 3.5;
  const bool around = std::ranges::any_of(slice.links, [](const SliceLink& link) { return link.goes_around(); });
  const double margin = chip / 2 + (around ? (pitch - chip) * 0.45 : 1);
  const auto place = [&](const std::vector<int>& node) {
    return SvgPoint{margin + pitch * node.front(), margin + pitch * slice.row_of(node)};
  };
  std::string body;
  for (const SliceLink& link : slice.links) {
    const SvgPoint from = place(link.from);
    const SvgPoint along{link.dimension == 0 ? double(link.sign) : 0, link.dimension == 0 ? 0 : double(link.sign)};
    const SvgPoint begin{from.x + along.x * chip / 2 - along.y * lane, from.y + along.y * chip / 2 + along.x * lane};
    const double length = link.goes_around() ? (pitch - chip) * 0.42 : pitch - chip;
    const double across = 5;
    const SvgPoint end{begin.x + along.x * length, begin.y + along.y * length};
    const double left = std::min(begin.x, end.x) - (link.dimension == 0 ? 0 : across / 2);
    const double top = std::min(begin.y, end.y) - (link.dimension == 0 ? across / 2 : 0);
    body +=
        svg_rect(left, top, std::max(std::abs(end.x - begin.x), across), std::max(std::abs(end.y - begin.y), across),
                 heat_class(slice.most > 0 ? link.bytes / slice.most : 0) + " link",
                 tip_attribute(fmt::format("({}) {}{}\n{}", fmt::join(link.from, ","), link.direction,
                                           link.goes_around() ? ", around" : "", use_text(slice, link.bytes))));
  }
  for (int row = 0; row < slice.rows(); ++row) {
    for (int column = 0; column < slice.columns(); ++column) {
      const SvgPoint at{margin + pitch * column, margin + pitch * row};
      body += svg_rect(at.x - chip / 2, at.y - chip / 2, chip, chip, "chip", " rx=\"4\"");
      if (chip > 24) body += svg_text(at.x, at.y + 4, fmt::format("{},{}", column, row), TextAnchor::middle);
    }
  }
  return svg_chart(width, margin * 2 + pitch * (slice.rows() - 1), "Bytes of every link of the slice in a step", body);
}

/// "41.97 GB", or "1.2 MB to 3 MB".
std::string range_text(const HeatGrid& grid) {
  double low = -1, high = 0;
  for (const double value : grid.values) {
    if (value < 0) continue;
    low = low < 0 ? value : std::min(low, value);
    high = std::max(high, value);
  }
  return low == high ? si_text(high, "B") : fmt::format("{} to {}", si_text(low, "B"), si_text(high, "B"));
}

/// A grid for each direction: a cell shows the bytes that the chip sent in that direction.
std::string direction_fields(const SliceLinks& slice, double width) {
  std::vector<std::string> directions;
  for (const SliceLink& link : slice.links) {
    if (std::ranges::find(directions, link.direction) == directions.end()) directions.push_back(link.direction);
  }
  std::ranges::sort(directions);
  const double head = 22, space = 24;
  const int beside = is_narrow(width) && slice.columns() > 40 ? 1 : 2;
  const double room = (width - space * (beside - 1)) / beside;
  const double cell = std::min(max_cell, room / slice.columns());
  std::string body;
  double top = 0, below = 0;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    HeatGrid grid{.columns = slice.columns(), .rows = slice.rows(), .values = {}, .most = slice.most};
    grid.values.assign(std::size_t(grid.columns) * std::size_t(grid.rows), -1);
    if (slice.sizes.size() > 2) grid.row_gap_every = slice.sizes[1];
    for (const SliceLink& link : slice.links) {
      if (link.direction != directions[i]) continue;
      grid.values[std::size_t(slice.row_of(link.from) * grid.columns + link.from.front())] = link.bytes;
    }
    grid.tip = [&](double low, double high, int cells) {
      const std::string range = low == high ? "each " : fmt::format("{} to ", si_text(low, "B"));
      return fmt::format("{} {} links {}\n{}{}", cells, directions[i], cells == 1 ? "carries" : "carry", range,
                         use_text(slice, high));
    };
    const GridPicture picture = heat_grid(grid, cell);
    const auto column = int(i) % beside;
    if (column == 0 && i > 0) top = below + 18;
    const double left = column * (room + space);
    body += svg_text(left, top + 12, fmt::format("{}: {} a chip", directions[i], range_text(grid)), TextAnchor::start,
                     "axis-title");
    body +=
        fmt::format("<g transform=\"translate({} {})\">{}</g>", svg_number(left), svg_number(top + head), picture.svg);
    below = std::max(below, top + head + picture.height);
  }
  return svg_chart(width, below + 2, "Bytes of every link of the slice in a step, by direction", body);
}

std::string by_direction(const SliceLinks& slice) {
  struct Sum {
    int links = 0, idle = 0;
    double bytes = 0, most = 0;
  };
  std::map<std::string, Sum> sums;
  for (const SliceLink& link : slice.links) {
    Sum& sum = sums[link.direction];
    ++sum.links;
    sum.idle += link.bytes == 0 ? 1 : 0;
    sum.bytes += link.bytes;
    sum.most = std::max(sum.most, link.bytes);
  }
  HtmlTable table{.caption = "Links of a step by direction",
                  .columns = {{"direction"},
                              {"links", true},
                              {"idle", true},
                              {"all bytes", true},
                              {"mean of a link", true},
                              {"busiest link", true},
                              {"of its capacity", true}}};
  for (const auto& [direction, sum] : sums) {
    const double share = slice.capacity > 0 ? sum.most / slice.capacity : 0, mean = sum.bytes / sum.links;
    table.rows.push_back({text_cell(direction), number_cell(sum.links, count_text(sum.links)),
                          number_cell(sum.idle, count_text(sum.idle)), number_cell(sum.bytes, si_text(sum.bytes, "B")),
                          number_cell(mean, si_text(mean, "B")), number_cell(sum.most, si_text(sum.most, "B")),
                          number_cell(share, base::text::percent(share, 2))});
  }
  return html_table(table);
}

}  // namespace

std::string link_html(const RunFiles& files) {
  const SliceLinks slice = read_links(files);
  if (slice.links.empty()) return "<p>The slice is one chip without links.</p>";
  if (slice.most == 0) return "<p>No link carried anything in the step.</p>" + by_direction(slice);
  const auto draw = [&](double width) {
    const bool lines = slice.sizes.size() <= 2 && width / (slice.columns() + 0.9) >= min_pitch;
    return lines ? drawn_links(slice, width) : direction_fields(slice, width);
  };
  const bool folded = files.stats().value("simulated_chips", 0) < files.stats().value("chips", 0);
  std::string caption = "Bytes that each directed link carried in the last step; x to the right, y down.";
  if (folded) caption += " Links of chips that stand for others are written out.";
  return heat_legend("nothing", use_text(slice, slice.most)) + html_chart(responsive_chart(draw), caption) +
         by_direction(slice);
}

}  // namespace podsim::report::html
