// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace podsim::sw {

/// A field of values as squares, rows down. Cells of equal value are one mark with one tip, so that a torus of
/// thousands of links on which all rows do the same takes a few hundred bytes.
struct HeatGrid {
  int columns = 0, rows = 0;
  std::vector<double> values = {};  ///< row by row; negative: no cell there
  double most = 1;                  ///< what is drawn as full
  int row_gap_every = 0;            ///< a line between so many rows (planes of a third dimension); 0: none
  std::function<std::string(double low, double high, int cells)> tip = {};  ///< of a mark whose values lie within
};

struct GridPicture {
  std::string svg;  ///< to be placed, from 0,0
  double width = 0, height = 0;
};

/// With cells of a size, in pixels. Of more than `most_marks` distinct values those of a heat level share a mark.
GridPicture heat_grid(const HeatGrid& grid, double cell, std::size_t most_marks = 64);

}  // namespace podsim::sw
