// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sw/graph/graph.h"

namespace podsim::sw {

/// What cutting costs a part of a model: the instructions of one op_name, before and after.
struct CutCost {
  std::string op_name;
  /// Multiply-accumulates of its convolutions and dots as a matrix unit does them: window elements in padding and holes
  /// count, as do the elements beyond the end of an uneven dimension.
  double whole_macs = 0;
  double cut_macs = 0;           ///< of all partitions together; a layer that is not cut counts once for each
  std::int64_t halo_bytes = 0;   ///< operands of one partition's collective-permutes
  std::int64_t other_bytes = 0;  ///< of its other collectives, the larger of operands and results

  /// Work of the partitions that the whole program does not have, as a share of it: (P ceil(D / P) - D) / D of a
  /// dimension D cut P ways.
  double waste() const { return whole_macs > 0 ? cut_macs / whole_macs - 1 : 0; }
};

/// By op_name, in the order of the cut program; what has neither matrix work nor collectives is left out. Loops count
/// their trips where they are known. `cut` is partition(whole).
std::vector<CutCost> cut_costs(const Module& whole, const Module& cut);

/// Of all layers together, without a name.
CutCost total(const std::vector<CutCost>& costs);

/// A line for each: op_name, multiply-accumulates, waste, bytes.
std::string cut_costs_csv(const std::vector<CutCost>& costs);

}  // namespace podsim::sw
