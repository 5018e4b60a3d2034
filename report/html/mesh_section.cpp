// SPDX-License-Identifier: Apache-2.0
// Part of report/html/run_sections.h.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/counted.h"
#include "report/html/heat_grid.h"
#include "report/html/html_table.h"
#include "report/html/html_text.h"
#include "report/html/run_sections.h"
#include "report/html/si_text.h"
#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

using Json = nlohmann::ordered_json;

constexpr int max_columns = 4096;  ///< of chips, and cores of a chip; far more than a slice has

struct Axis {
  std::string name, place;
  int size = 1;
};

std::vector<Axis> axes_of(const RunFiles& files) {
  std::vector<Axis> axes;
  for (const Json& axis : files.stats().value("mesh", Json::array())) {
    axes.push_back({axis.value("name", ""), axis.value("place", ""), axis.value("size", 1)});
  }
  return axes;
}

/// Every core of the slice, shaded by its position along an axis; the cores of a chip are next to each other.
HeatGrid field(const RunFiles& files, const Axis& axis) {
  const CsvTable& mesh = *files.mesh;
  int cores = 1, columns = 1;
  const std::string slice = files.stats().value("slice", std::string("1"));
  columns = std::max(1, std::atoi(slice.c_str()));
  columns = std::min(columns, max_columns);
  for (std::size_t row = 0; row < mesh.rows(); ++row) {
    cores = std::max(cores, std::min(mesh.integer(row, "core"), max_columns) + 1);
  }
  HeatGrid grid{.columns = columns * cores, .rows = 0, .values = {}, .most = double(std::max(1, axis.size - 1))};
  for (std::size_t row = 0; row < mesh.rows(); ++row) {
    const bool empty = mesh.text(row, "partition").empty();
    grid.values.push_back(empty ? -1 : mesh.number(row, axis.name));
  }
  grid.rows = int(grid.values.size()) / grid.columns;
  grid.values.resize(std::size_t(grid.rows * grid.columns));
  grid.tip = [name = axis.name](double low, double high, int count) {
    return low == high ? fmt::format("{} = {}\n{}", name, low, base::text::counted(count, "core"))
                       : fmt::format("{} = {} to {}\n{}", name, low, high, base::text::counted(count, "core"));
  };
  return grid;
}

std::string picture(const RunFiles& files, const std::vector<Axis>& axes, double width) {
  const bool narrow = is_narrow(width);
  const int beside = narrow ? 1 : std::clamp(int(axes.size()), 1, 2);
  const double space = 28, head = 22, room = (width - space * (beside - 1)) / beside;
  std::string body;
  double top = 0, below = 0;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const HeatGrid grid = field(files, axes[i]);
    const GridPicture drawn = heat_grid(grid, std::min(14.0, room / grid.columns), 512);
    const auto column = int(i) % beside;
    if (column == 0 && i > 0) top = below + 18;
    const double left = column * (room + space);
    const std::string place = axes[i].place.empty() ? "" : ", along " + axes[i].place;
    body += svg_text(left, top + 12,
                     fmt::format("{}: {}{}", axes[i].name, base::text::counted(axes[i].size, "position"), place),
                     TextAnchor::start, "axis-title");
    body +=
        fmt::format("<g transform=\"translate({} {})\">{}</g>", svg_number(left), svg_number(top + head), drawn.svg);
    below = std::max(below, top + head + drawn.height);
  }
  return svg_chart(width, below + 2, "Where the axes of the mesh lie on the slice", body);
}

std::string by_axis(const RunFiles& files) {
  HtmlTable table{.id = "axis-table",
                  .caption = "Collectives by the axes of the mesh that they join; payloads of one core",
                  .columns = {{"axes"},
                              {"collective"},
                              {"count", true},
                              {"bytes a step", true},
                              {"time", true},
                              {"exposed", true},
                              {"overlapped", true}},
                  .sortable = true};
  for (const Json& row : files.stats().value("collectives_by_axis", Json::array())) {
    const auto time = [&](const char* key) {
      return number_cell(row.value(key, 0.0), si_text(row.value(key, 0.0), "s"));
    };
    table.rows.push_back({text_cell(row.value("axes", "")), text_cell(row.value("kind", "")),
                          number_cell(row.value("count", 0.0), count_text(row.value("count", std::int64_t(0)))),
                          number_cell(row.value("bytes_per_step", 0.0), si_text(row.value("bytes_per_step", 0.0), "B")),
                          time("time_s"), time("exposed_s"), time("overlapped_s")});
  }
  return table.rows.empty() ? "<p>No collectives.</p>" : html_table(table);
}

}  // namespace

std::string mesh_html(const RunFiles& files) {
  if (!files.stats().contains("mesh")) return "";
  std::vector<Axis> axes = axes_of(files);
  std::erase_if(axes, [](const Axis& axis) { return axis.size <= 1; });
  const Json placement = files.stats().value("placement", Json::object());
  std::string text = fmt::format("<p>The program is cut over the mesh <code>{}</code>; the sharding is {}. {}</p>\n",
                                 html_escaped(placement.value("text", std::string())),
                                 html_escaped(files.stats().value("sharding", std::string("not named"))),
                                 placement.value("chosen", true) ? "Where the axes lie was chosen by the time that the "
                                                                   "collectives would take by formula."
                                                                 : "Where the axes lie was given.");
  if (files.mesh && !axes.empty()) {
    text += html_chart(responsive_chart([&](double width) { return picture(files, axes, width); }),
                       "Every cell is a core, x to the right, a chip’s cores side by side; darker (in a dark page, "
                       "lighter) is further along the axis.");
  }
  return text + by_axis(files);
}

}  // namespace podsim::report::html
