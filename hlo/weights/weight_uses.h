// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::weights {

/// What a program does with an entry parameter of at least two dimensions.
struct WeightUse {
  bool multiplied = false;  ///< an operand of a dot or convolution, or a table that a gather looks up
  bool looked_up = false;   ///< a table that a gather looks up
  /// By dimension: a product sums over it. A look-up is a product with rows of one 1, which sums over the rows; what is
  /// multiplied elsewhere has the sums of these products alone.
  std::vector<bool> summed;
};

/// The uses of entry parameters by their numbers, also behind moves, conversions, and in loops and branches.
std::vector<WeightUse> weight_uses(const Module& module, std::span<const std::int64_t> parameters);

}  // namespace podsim::hlo::weights
