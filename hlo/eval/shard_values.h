// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "hlo/graph.h"
#include "hlo/value.h"

/// The two ends of a region in which every partition has a value of its own, as a shard_map writes it: before it a
/// value is whole on every partition, in it each has its shard.
namespace podsim::hlo::eval {

/// SPMDFullToShardShape: the shard of `partition`, of this shape. A dimension of equal size in both is not divided,
/// whatever the sharding says. Throws std::logic_error if the sharding does not give such shards.
Literal shard_of(const Literal& whole, const Shape& shard, const Sharding* sharding, std::int64_t partition);

/// SPMDShardToFullShape: the whole of this shape from the shards of partitions 0, 1, ... in order. Where several hold
/// the same part, that of the first is taken.
Literal whole_of(std::span<const Literal* const> shards, const Shape& whole, const Sharding* sharding);

}  // namespace podsim::hlo::eval
