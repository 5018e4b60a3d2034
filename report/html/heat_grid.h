// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace podsim::report::html {

/// A grid of values drawn as coloured squares, with rows from top to bottom. Cells of equal value are one SVG element
/// with one tooltip, so that a torus of thousands of links takes a few hundred bytes if all its rows are the same.
struct HeatGrid {
  int columns = 0, rows = 0;
  std::vector<double> values = {};  ///< row by row; negative: no cell there
  double most = 1;                  ///< value with the fullest colour
  int row_gap_every = 0;            ///< rows between gaps, which separate planes of a third dimension; 0: no gaps
  std::function<std::string(double low, double high, int cells)> tip = {};  ///< tooltip of cells with values in a range
};

struct GridPicture {
  std::string svg;  ///< elements, with the origin at 0,0
  double width = 0, height = 0;
};

/// Draws a grid with cells of `cell` pixels. If there are more than `max_marks` distinct values, values of the same
/// heat level share an element.
GridPicture heat_grid(const HeatGrid& grid, double cell, std::size_t max_marks = 64);

}  // namespace podsim::report::html
