// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/spmd/reshard/halo.h"

namespace podsim::hlo::spmd::reshard {

/// Elements that move from shards to other shards: one collective-permute. All partitions send the same number.
struct HaloTransfer {
  std::int64_t size = 0;
  /// For each position, the position whose elements it gets, -1 if none. No source serves two positions.
  std::vector<std::int64_t> sources;
  /// For each position, the first element of its shard that it sends, 0 if it sends none.
  std::vector<std::int64_t> sent_from;
};

/// The transfers that assemble the windows over a split dimension. All partitions receive pieces of the same length,
/// since they run one program.
///
/// neighbours: transfer k brings every position [first, first + size) of the shard `distances[k]` positions above it,
/// so that shard and halos form a contiguous range that contains the window. This suits windows that are at similar
/// offsets from their shards. Distance 0 is the own shard.
/// rounds: transfers bring each position, in turn, a piece of every shard that its window reaches into, wherever that
/// shard is. This suits windows whose step differs from the shards'. The number of transfers is at most the number of
/// shards that a window reaches into times the number of windows that need a shard; it does not depend on the number
/// of shards.
/// gather: every partition receives all shards.
struct HaloPlan {
  enum class Kind { neighbours, rounds, gather };
  Kind kind = Kind::gather;
  std::vector<HaloTransfer> transfers;
  std::vector<std::int64_t> distances;  ///< of each transfer of a neighbours plan, ascending
  std::int64_t elements = 0;            ///< the most elements that any partition receives
};

/// The plan that moves the fewest elements, for a dimension of `size` elements in `shards` shards. A plan with too many
/// transfers is not considered, unless it is gather; rounds are preferred to neighbours with the same number of
/// elements if they need less than half the collectives.
HaloPlan plan_halo(std::int64_t size, std::int64_t shards, const ShardWindow& window);

}  // namespace podsim::hlo::spmd::reshard
