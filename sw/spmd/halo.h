// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/spmd/local_program.h"

namespace podsim::sw {

/// The elements of a cut dimension that a shard of the result needs: for partition position i the window
/// [first + i * step, first + i * step + size) of indices of the whole array, which may reach beyond both ends.
struct ShardWindow {
  std::int64_t first = 0, step = 0, size = 0;
};

/// A value whose dimension d is the window of each partition: made of this shard and of what neighbours send
/// (collective-permutes of just the elements that some partition lacks, by distance), `fill` beyond the ends of the
/// array. Where a window spans more shards than is worth it the dimension is gathered instead.
/// The result is an id in the local program, of the local shape but for dimension d, which has window.size elements.
InstructionId exchange_halo(LocalProgram& program, const LocalValue& value, int dimension, const ShardWindow& window,
                            InstructionId fill);

/// Elements along the dimension that the partition which receives most gets from others: the closed form that reports
/// and tests use.
std::int64_t halo_elements(std::int64_t size, std::int64_t shards, const ShardWindow& window);

}  // namespace podsim::sw
