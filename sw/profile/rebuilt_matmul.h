// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// What is known of a fusion: its arrays, and XLA's counts of one occurrence.
struct FusionFacts {
  std::vector<Shape> results, operands;
  double flops = 0;
  std::optional<double> bytes;
};

/// Bytes of operands, in their order, that the fusion reads: those of the arrays, or where XLA's count is well below
/// them, less of the largest operands. What a fusion writes in place is its largest operand, read as far as written.
struct FusionTraffic {
  std::vector<base::Bytes> read;
  base::Bytes written;
  bool in_place = false;  ///< the largest result is an operand with a part of it replaced
};
FusionTraffic fusion_traffic(const FusionFacts& facts);

/// A fusion around a contraction; nothing when its FLOPs leave room for none.
std::optional<Module> rebuild_matmul_fusion(const FusionFacts& facts);

}  // namespace podsim::sw
