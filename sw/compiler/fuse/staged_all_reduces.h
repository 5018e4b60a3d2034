// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/graph.h"

namespace podsim::sw::compiler::fuse {

/// Makes two stages of all-reduces whose second stage can join other all-reduces: a sum over groups that are unions of
/// the groups of others becomes a sum across those, then a sum within them, in collectives that the combiner
/// (collective_combiner.h) makes one with the others. With sharded updates the gradients of small tensors are summed
/// over all cores, and shards of the large ones over some; the small sums then take no latency of their own along the
/// second. Done for all all-reduces of the same groups, type and combiner that together have no more bytes than those
/// that they join, so that the bytes of no collective more than double. Sums are in another order.
hlo::Module stage_all_reduces(hlo::Module module);

}  // namespace podsim::sw::compiler::fuse
