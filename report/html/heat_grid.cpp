// SPDX-License-Identifier: Apache-2.0
#include "report/html/heat_grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "report/html/svg_chart.h"

namespace podsim::report::html {
namespace {

constexpr double gap = 6;  // between planes
constexpr double min_cell_with_lines = 6;

/// Cells of one colour and tooltip.
struct HeatMark {
  double low = 0, high = 0;
  int cells = 0;
  std::string path;
};

/// A rectangle of cells.
struct Block {
  double key = 0;
  int left = 0, right = 0, top = 0, bottom = 0;
};

/// Divides the grid into rectangles of equal keys: runs along the rows, joined if they are below one another.
std::vector<Block> blocks(const HeatGrid& grid, const std::function<double(double)>& key) {
  std::vector<Block> done, open;
  for (int row = 0; row < grid.rows; ++row) {
    const double* cells = grid.values.data() + std::size_t(row) * std::size_t(grid.columns);
    const bool new_plane = grid.row_gap_every > 0 && row % grid.row_gap_every == 0;
    std::vector<Block> runs;
    for (int column = 0; column < grid.columns;) {
      int end = column + 1;
      while (end < grid.columns && key(cells[end]) == key(cells[column])) ++end;
      if (cells[column] >= 0) runs.push_back({key(cells[column]), column, end, row, row + 1});
      column = end;
    }
    for (const Block& block : open) {
      const auto below = std::ranges::find_if(runs, [&](const Block& run) {
        return !new_plane && run.key == block.key && run.left == block.left && run.right == block.right;
      });
      if (below == runs.end()) {
        done.push_back(block);
      } else {
        below->top = block.top;
      }
    }
    open = std::move(runs);
  }
  done.insert(done.end(), open.begin(), open.end());
  return done;
}

/// Lines between the cells.
std::string lattice(const HeatGrid& grid, double cell, const GridPicture& picture,
                    const std::function<double(int)>& top) {
  std::string path;
  for (int column = 1; column < grid.columns; ++column) {
    path += fmt::format("M{} 0V{}", svg_number(cell * column), svg_number(picture.height));
  }
  for (int row = 1; row < grid.rows; ++row) {
    path += fmt::format("M0 {}H{}", svg_number(top(row)), svg_number(picture.width));
  }
  return fmt::format("<path class=\"lattice\" d=\"{}\"/>", path);
}

}  // namespace

GridPicture heat_grid(const HeatGrid& grid, double cell, std::size_t max_marks) {
  const auto share = [&](double value) { return grid.most > 0 ? value / grid.most : 0; };
  const std::set<double> distinct(grid.values.begin(), grid.values.end());
  const bool by_level = distinct.size() > max_marks;
  const auto key = [&](double value) {
    return value < 0 ? -1.0 : by_level ? double(heat_class(share(value)).back() - '0') : value;
  };
  const auto top = [&](int row) {
    return cell * row + (grid.row_gap_every > 0 ? gap * double(row / grid.row_gap_every) : 0);
  };
  std::map<double, HeatMark> marks;
  for (const double value : grid.values) {
    if (value < 0) continue;
    HeatMark& mark = marks.try_emplace(key(value), HeatMark{value, value, 0, ""}).first->second;
    mark.low = std::min(mark.low, value);
    mark.high = std::max(mark.high, value);
    ++mark.cells;
  }
  for (const Block& block : blocks(grid, key)) {
    const std::string width = svg_number(cell * (block.right - block.left));
    marks.at(block.key).path +=
        fmt::format("M{} {}h{}v{}h-{}z", svg_number(cell * block.left), svg_number(top(block.top)), width,
                    svg_number(cell * (block.bottom - block.top)), width);
  }
  GridPicture picture{"", cell * grid.columns, grid.rows > 0 ? top(grid.rows - 1) + cell : 0};
  for (const auto& [value, mark] : marks) {
    picture.svg += fmt::format("<path class=\"{}\" d=\"{}\"{}/>", heat_class(share(mark.high)), mark.path,
                               tip_attribute(grid.tip(mark.low, mark.high, mark.cells)));
  }
  if (cell >= min_cell_with_lines) picture.svg += lattice(grid, cell, picture, top);
  return picture;
}

}  // namespace podsim::report::html
