// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hlo/graph.h"

namespace podsim::hlo::spmd::partition {

/// Cost of sharding a part of a model: work and traffic of the instructions with one op_name.
struct ShardingCost {
  std::string op_name;
  /// Multiply-accumulates of its convolutions and dots as an MXU executes them: window elements in padding and holes
  /// count, and so do elements beyond the end of an uneven dimension.
  double whole_macs = 0;
  double sharded_macs = 0;       ///< in all partitions; a layer that is not split counts once for each that executes it
  double manual_macs = 0;        ///< those of whole_macs on shards that the program itself makes (shard_map)
  std::int64_t halo_bytes = 0;   ///< operands of one partition's collective-permutes
  std::int64_t other_bytes = 0;  ///< one partition's other collectives: the larger of operands and results

  /// Additional work in the partitions as a share of the whole program's: (P ceil(D / P) - D) / D for a dimension of D
  /// elements that is split into P parts.
  double waste() const { return whole_macs > 0 ? sharded_macs / whole_macs - 1 : 0; }
  /// How often the partitions do the whole program's work; 1 if the program itself says what each does.
  double copies() const { return manual_macs >= whole_macs ? 1 : 1 + waste(); }
};

/// The costs by op_name, in the order of the partitioned program. op_names with neither matrix work nor collectives are
/// left out. A loop's body counts once for each trip if the trip count is known, else once. A branch that partitions
/// choose by their number counts in those that take it. Work on shards that the program itself makes is the same in
/// both: in all partitions. `sharded` is partition(whole).
std::vector<ShardingCost> sharding_costs(const hlo::Module& whole, const hlo::Module& sharded);

/// The sum of all costs, without a name.
ShardingCost total(const std::vector<ShardingCost>& costs);

/// CSV with a line for each cost: op_name, multiply-accumulates, waste, bytes.
std::string sharding_costs_csv(const std::vector<ShardingCost>& costs);

}  // namespace podsim::hlo::spmd::partition
