// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spmd/factor_cut.h"

/// The ops of partition_special. Each returns nothing where the dimensions that it knows about are not to be cut.
namespace podsim::sw {

/// Along its dimension every partition counts from its offset on.
std::vector<LocalValue> partition_iota(LocalProgram& program, const OpToPartition& op);

/// Every partition draws its shard. Of those that hold the same shard, one's counts: the others have zeros, and the sum
/// is everybody's.
std::vector<LocalValue> partition_rng(LocalProgram& program, const OpToPartition& op);

/// Batch norms as their sums over batch and places, which are all-reduced: mean = sum x / n, variance = sum x^2 / n -
/// mean^2, as XLA's expansion of a training one has it; of a gradient sum dy and sum dy (x - mean) / sqrt(variance +
/// epsilon).
std::vector<LocalValue> partition_batch_norm(LocalProgram& program, const OpToPartition& op);

/// A reduce-window whose window is as long as the dimension and ends (begins) at each element, which makes prefix
/// (suffix) sums: those of a shard, combined with the totals of the shards before (behind) it.
std::vector<LocalValue> partition_cumulative(LocalProgram& program, const OpToPartition& op);

}  // namespace podsim::sw
