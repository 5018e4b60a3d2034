// SPDX-License-Identifier: Apache-2.0
// Part of report/run/mesh_report.h.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "base/text/csv_field.h"
#include "base/text/text_table.h"
#include "report/run/mesh_report.h"

namespace podsim::report::run {
namespace {

/// Positions of a partition along the axes with more than one position: "3.17".
std::string positions(const hlo::spmd::mesh::Mesh& mesh, std::int64_t partition) {
  std::string text;
  for (int axis = 0; axis < int(mesh.axes().size()); ++axis) {
    if (mesh.axes()[std::size_t(axis)].size == 1) continue;
    text += (text.empty() ? "" : ".") + std::to_string(mesh.position(partition, mesh.sub_axes(axis)));
  }
  return text.empty() ? "0" : text;
}

std::string axis_names(const hlo::spmd::mesh::Mesh& mesh) {
  std::string text;
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh.axes()) {
    if (axis.size > 1) text += (text.empty() ? "" : ".") + axis.name;
  }
  return text.empty() ? "one partition" : text;
}

/// The numbers below `size`. If there are many, a single -1 replaces those in the middle.
std::vector<std::int32_t> shown(std::int32_t size) {
  constexpr std::int32_t most = 8, first = 4;
  std::vector<std::int32_t> result;
  for (std::int32_t i = 0; i < size; ++i) {
    if (size <= most || i < first || i == size - 1) result.push_back(i);
    if (size > most && i == first) result.push_back(-1);
  }
  return result;
}

/// "Y" for 1; as the slice's notation, in capitals.
std::string dimension_letter(int dimension) {
  std::string name = noc::dimension_name(dimension);
  for (char& c : name) c = char(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

/// "Y down", "Y and Z down", "Y, Z and W down".
std::string downwards(const noc::Topology& slice) {
  std::string text;
  for (int d = 1; d < slice.dimensions(); ++d) {
    text += (d == 1 ? "" : d + 1 == slice.dimensions() ? " and " : ", ") + dimension_letter(d);
  }
  return text.empty() ? "" : ", " + text + " down";
}

/// Layout of the slice in the picture: the first dimension across, all others down.
struct Picture {
  explicit Picture(const sw::placement::MeshPlacement& of)
      : placement(of), columns(of.slice().size(0)), rows(of.slice().nodes() / columns), partitions(of.partitions()) {}

  noc::NodeId chip(std::int32_t column, std::int32_t row) const { return noc::NodeId(row * columns + column); }

  /// The position of a row along all dimensions but the first: "Y3", "Y3 Z1".
  std::string row_name(std::int32_t row) const {
    const noc::Coordinates position = placement.slice().coordinates(chip(0, row));
    std::string text;
    for (int d = 1; d < placement.slice().dimensions(); ++d) {
      text += fmt::format("{}{}{}", text.empty() ? "" : " ", dimension_letter(d), position[d]);
    }
    return text;
  }

  std::int64_t partition(std::int32_t column, std::int32_t row, int core) const {
    return partitions[std::size_t(chip(column, row) * placement.cores_per_chip() + core)];
  }

  const sw::placement::MeshPlacement& placement;
  std::int32_t columns, rows;
  std::vector<std::int64_t> partitions;
};

std::string chip_text(const Picture& picture, std::int32_t column, std::int32_t row) {
  if (column < 0 || row < 0) return "..";
  std::string text;
  for (int core = 0; core < picture.placement.cores_per_chip(); ++core) {
    const std::int64_t partition = picture.partition(column, row, core);
    text += (core == 0 ? "" : " ") + (partition < 0 ? "-" : positions(picture.placement.mesh(), partition));
  }
  return text;
}

/// The hue shows the position along the first axis, the lightness that along the second.
std::string colour(const hlo::spmd::mesh::Mesh& mesh, std::int64_t partition) {
  if (partition < 0) return "#dddddd";
  const auto share = [&](int axis) {
    if (axis >= int(mesh.axes().size())) return 0.0;
    return double(mesh.position(partition, mesh.sub_axes(axis))) / double(mesh.axes()[std::size_t(axis)].size);
  };
  return fmt::format("hsl({:.0f},60%,{:.0f}%)", 330 * share(0), 88 - 46 * share(1));
}

}  // namespace

std::string mesh_text(const sw::placement::MeshPlacement& placement) {
  const Picture picture(placement);
  const std::vector<std::int32_t> columns = shown(picture.columns);
  base::text::TextTable table(
      std::vector<base::text::TextTable::Align>(columns.size() + 1, base::text::TextTable::Align::left));
  std::vector<std::string> head{""};
  for (const std::int32_t column : columns) head.push_back(column < 0 ? "" : fmt::format("X{}", column));
  table.row(head);
  for (const std::int32_t row : shown(picture.rows)) {
    std::vector<std::string> cells{row < 0 ? "" : "  " + picture.row_name(row)};
    for (const std::int32_t column : columns) cells.push_back(chip_text(picture, column, row));
    table.row(cells);
  }
  return fmt::format("\nthe mesh {} on the slice: positions {} of the cores of every chip\n",
                     sw::placement::to_string(placement), axis_names(placement.mesh())) +
         table.text();
}

std::string mesh_csv(const sw::placement::MeshPlacement& placement) {
  const hlo::spmd::mesh::Mesh& mesh = placement.mesh();
  std::string text = "chip,core,partition";
  for (const hlo::spmd::mesh::MeshAxis& axis : mesh.axes()) text += "," + base::text::csv_field(axis.name);
  text += "\n";
  const std::vector<std::int64_t> partitions = placement.partitions();
  for (std::size_t core = 0; core < partitions.size(); ++core) {
    const std::size_t chip = core / std::size_t(placement.cores_per_chip());
    text += fmt::format("\"{}\",{},", placement.slice().name(noc::NodeId(chip)),
                        core % std::size_t(placement.cores_per_chip()));
    if (partitions[core] >= 0) text += std::to_string(partitions[core]);
    for (int axis = 0; axis < int(mesh.axes().size()); ++axis) {
      text += ",";
      if (partitions[core] >= 0) text += std::to_string(mesh.position(partitions[core], mesh.sub_axes(axis)));
    }
    text += "\n";
  }
  return text;
}

std::string mesh_svg(const sw::placement::MeshPlacement& placement) {
  const Picture picture(placement);
  constexpr int margin = 40, head = 56, widest = 1280;
  const int cores = placement.cores_per_chip();
  const int cell = std::clamp(widest / std::max(picture.columns, 1), 8, 96), part = cell / cores;
  const int width = 2 * margin + picture.columns * cell, height = head + margin + picture.rows * cell;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<text x=\"{2}\" y=\"20\" font-size=\"14\">{3}</text>\n"
      "<text x=\"{2}\" y=\"38\">{4} chips, X to the right{5}; a field is a core, numbers are positions "
      "{6}</text>\n",
      std::max(width, 560), height, margin, sw::placement::to_string(placement), noc::to_string(placement.slice()),
      downwards(placement.slice()), axis_names(placement.mesh()));
  for (std::int32_t row = 0; row < picture.rows; ++row) {
    for (std::int32_t column = 0; column < picture.columns; ++column) {
      for (int core = 0; core < cores; ++core) {
        const std::int64_t partition = picture.partition(column, row, core);
        const int x = margin + column * cell + core * part, y = head + row * cell;
        const std::string label = partition < 0 ? "-" : positions(placement.mesh(), partition);
        svg += fmt::format(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>chip {} core "
            "{}: {}</title></rect>\n",
            x, y, part, cell - 1, colour(placement.mesh(), partition),
            placement.slice().name(picture.chip(column, row)), core, label);
        if (int(label.size()) * 7 > part) continue;
        svg += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n", x + part / 2, y + cell / 2 + 4,
                           label);
      }
      svg += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"white\"/>\n",
                         margin + column * cell, head + row * cell, cell, cell);
    }
  }
  return svg + "</svg>\n";
}

}  // namespace podsim::report::run
