// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/ir/graph.h"

namespace podsim::sw::profile {

/// The known properties of a fusion: its arrays, and XLA's counts for one occurrence.
struct FusionFacts {
  std::vector<ir::Shape> results, operands;
  double flops = 0;
  std::optional<double> bytes;
};

/// Bytes that the fusion reads of each operand, in order: those of the arrays, or less for the largest operands if
/// XLA's count is well below the sum. If the fusion writes in place, its largest operand is read only as far as it is
/// written.
struct FusionTraffic {
  std::vector<base::Bytes> read;
  base::Bytes written;
  bool in_place = false;  ///< the largest result is an operand of which a part is replaced
};
FusionTraffic fusion_traffic(const FusionFacts& facts);

/// Rebuilds a fusion around a contraction. Returns std::nullopt if its FLOPs are too few for any.
std::optional<ir::Module> rebuild_matmul_fusion(const FusionFacts& facts);

}  // namespace podsim::sw::profile
