// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spmd/halo.h"

namespace podsim::sw {

/// Elements of one shard on their way to another: one collective-permute. All partitions send equally many.
struct HaloTransfer {
  std::int64_t size = 0;
  /// Of each position: whose elements it gets, -1 for nobody's. No source serves two positions.
  std::vector<std::int64_t> sources;
  /// Of each position: where in its shard begins what it sends, 0 if it sends nothing.
  std::vector<std::int64_t> sent_from;
};

/// How windows over a cut dimension come about. What a partition gets is as long for all, since they run one program.
///
/// neighbours: transfer k brings [first, first + size) of the shard `distances[k]` further up to every position, so
/// that shard and halos join to a contiguous range, of which the window is a part: where windows lie alike relative to
/// their shards. Distance 0 is the own shard. rounds: transfers bring each position, in turn, a piece of every shard
/// that its window reaches into, wherever that is: where the windows' step is another than the shards'. The number of
/// transfers is that of the shards which a window reaches into times that of the windows which need a shard, not that
/// of the shards. gather: everybody gets everything.
struct HaloPlan {
  enum class Kind { neighbours, rounds, gather };
  Kind kind = Kind::gather;
  std::vector<HaloTransfer> transfers;
  std::vector<std::int64_t> distances;  ///< neighbours: of each transfer, rising
  std::int64_t elements = 0;            ///< what the partition that receives most gets
};

/// The plan of fewest elements, of `size` elements in `shards` shards.
HaloPlan plan_halo(std::int64_t size, std::int64_t shards, const ShardWindow& window);

}  // namespace podsim::sw
