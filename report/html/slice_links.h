// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/html/run_files.h"

namespace podsim::report::html {

/// A directed link in a step, from links.csv.
struct SliceLink {
  std::vector<int> from, to;
  int dimension = 0;  ///< "x" is 0
  int sign = 1;
  std::string direction;  ///< "x+"
  double bytes = 0, utilisation = 0;

  /// True if it connects one end of the grid with the other.
  bool goes_around() const {
    const auto d = std::size_t(dimension);
    return d >= from.size() || d >= to.size() || to[d] - from[d] != sign;
  }
};

/// The links of a slice, laid out with the first dimension across and all others down.
struct SliceLinks {
  std::vector<int> sizes;
  std::vector<SliceLink> links;
  double most = 0;      ///< bytes of the busiest link
  double capacity = 0;  ///< bytes that a link could carry in the step

  int columns() const { return sizes[0]; }
  int rows() const {
    int rows = 1;
    for (std::size_t d = 1; d < sizes.size(); ++d) rows *= sizes[d];
    return rows;
  }
  int row_of(const std::vector<int>& node) const {
    int row = 0, stride = 1;
    for (std::size_t d = 1; d < sizes.size() && d < node.size(); ++d) {
      row += node[d] * stride;
      stride *= sizes[d];
    }
    return row;
  }
};

/// Reads links.csv. Links outside of the run's slice are left out.
SliceLinks read_links(const RunFiles& files);

}  // namespace podsim::report::html
