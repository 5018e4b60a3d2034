// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spmd/local_program.h"

namespace podsim::sw {

/// `value` in another sharding, nothing left to reduce. The cheapest sequence of: a slice of what every partition has
/// (replicated to cut), all-gather (cut to replicated), all-to-all (cut dimension to another), collective-permute (the
/// same cuts in another order), reduce-scatter (unreduced to cut) and all-reduce (unreduced to replicated). Slices come
/// first and gathers last, so that as little as possible moves. Uneven dimensions whose shards do not fall on each
/// other are made whole on the way. Throws std::logic_error when one of the two is manual and the other is cut.
LocalValue reshard(LocalProgram& program, const LocalValue& value, const AxisSharding& target);

/// Whether a value is one scalar broadcast, which is written in any sharding without a collective.
bool is_same_everywhere(const GraphBuilder& builder, const LocalValue& value);

/// Bytes that a partition sends for it, by the counts of ring algorithms ((n-1)/n of the larger array); what choices
/// between shardings are made on.
double reshard_bytes(const Mesh& mesh, const Shape& shape, const AxisSharding& from, const SubAxes& unreduced,
                     const AxisSharding& to);

}  // namespace podsim::sw
