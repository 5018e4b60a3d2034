// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "studies/optimise/gaussian_process.h"

namespace podsim::studies::optimise {

/// Costs of a point, one per objective; less is better.
using Costs = std::vector<double>;

/// True if `one` is as good as `other` in every objective and better in one.
bool dominates(const Costs& one, const Costs& other);

/// Mean of max(0, limit - cost) over a normally distributed cost (Jones, Schonlau and Welch, Journal of Global
/// Optimization 13, 1998, equation 15). 0 for a limit of minus infinity.
double expected_improvement(double limit, const Prediction& cost);

/// The space below a reference point that some points leave to better ones, in disjoint boxes whose last side has no
/// lower end: the grid of the points' coordinates in all objectives but the last, and for each of its cells the least
/// last cost that a point reaches there.
class HypervolumeFront {
 public:
  /// Points that are not below `reference` in every objective count for nothing. One objective or more.
  HypervolumeFront(const std::vector<Costs>& points, Costs reference);

  /// Volume that the points dominate below the reference (Zitzler and Thiele, PPSN 1998). For one objective the length
  /// from the best to the reference.
  double volume() const;

  /// Mean of the volume that a further point would add, its costs independent and normally distributed: the sum over
  /// boxes of the product over objectives of EI(upper end) - EI(lower end). For one objective it is the expected
  /// improvement of the best point.
  double expected_gain(const std::vector<Prediction>& costs) const;
  /// Volume that a point of these costs would add.
  double gain(const Costs& costs) const;

 private:
  /// Indices into edges_, which a cell lies behind, in all objectives but the last; and the end of its last side.
  struct Cell {
    std::vector<std::size_t> lower;
    double height = 0;
  };

  std::vector<std::vector<double>> edges_;  ///< ascending, from minus infinity to the reference
  std::vector<Cell> cells_;
  Costs reference_;
};

}  // namespace podsim::studies::optimise
