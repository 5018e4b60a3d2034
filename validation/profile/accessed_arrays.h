// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/graph.h"

namespace podsim::validation::profile {

/// The known properties of a fusion: its arrays, and XLA's counts for one occurrence.
struct FusionFacts {
  std::vector<hlo::Shape> results, operands;
  double flops = 0;
  std::optional<double> bytes;
};

/// The arrays of a fusion as far as it reads and writes them. Where XLA's count of bytes is well below the sum of the
/// arrays, these readings are tried in order:
///
///   update in place   a result has the shape of an operand, of which one part is replaced: the row of a loop's buffer.
///                     Only the part is written; the operand is not read. XLA counts the part twice.
///   slices            the largest operands are read in part
///
/// A part is one index of the slowest dimension if that gives XLA's count, else the share of the array that does.
struct AccessedArrays {
  std::vector<hlo::Shape> results;
  std::vector<hlo::Shape> operands;  ///< without those that are updated in place
  /// For each operand, its shape as a factor of a contraction, whose window may leave out some of it; std::nullopt if
  /// the fusion reads a part of unknown shape.
  std::vector<std::optional<hlo::Shape>> factors;
};
AccessedArrays accessed_arrays(const FusionFacts& facts);

}  // namespace podsim::validation::profile
