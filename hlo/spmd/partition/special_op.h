// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/partition/factor_split.h"

/// Ops that need the position of a shard, or sums over shards. Except for partition_rng, each returns an empty list if
/// the dimensions that it handles are not split.
namespace podsim::hlo::spmd::partition {

/// Every partition counts from its offset along the iota's dimension.
std::vector<reshard::LocalValue> partition_iota(reshard::LocalProgram& program, const partition::OpToPartition& op);

/// Every partition draws its shard. Among partitions that hold the same shard, the first keeps its values and the
/// others have zeros; the sum over them, which is left unreduced, gives all of them the same values.
std::vector<reshard::LocalValue> partition_rng(reshard::LocalProgram& program, const partition::OpToPartition& op);

/// Batch norms written with their sums over all dimensions but the feature (transform/formulas/batch_norm.h), which are
/// all-reduced.
std::vector<reshard::LocalValue> partition_batch_norm(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op);

/// A reduce-window whose window is as long as the dimension and ends (begins) at each element, which gives prefix
/// (suffix) sums. Each partition combines the sums of its shard with the totals of the shards before (after) it.
std::vector<reshard::LocalValue> partition_cumulative(reshard::LocalProgram& program,
                                                      const partition::OpToPartition& op);

}  // namespace podsim::hlo::spmd::partition
