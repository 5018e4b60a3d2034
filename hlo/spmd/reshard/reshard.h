// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hlo/spmd/reshard/local_program.h"

namespace podsim::hlo::spmd::reshard {

/// Reshards `value`, and reduces it if it is unreduced. Writes the cheapest of several sequences of these steps: slice
/// (replicated to split), all-gather (split to replicated), all-to-all (split from one dimension to another),
/// collective-permute (the same split over other sub-axes), reduce-scatter (unreduced to split) and all-reduce
/// (unreduced to replicated). Slices come first and gathers last, so that as little as possible moves. An uneven
/// dimension is gathered whole in between if its old and new shards do not nest. Throws std::logic_error if `value` is
/// manual and `target` is not, or if `target` is manual and `value` is split.
LocalValue reshard(LocalProgram& program, const LocalValue& value, const mesh::AxisSharding& target);

/// True if a value is a broadcast scalar, which can be written in any sharding without a collective.
bool is_same_everywhere(const build::GraphBuilder& builder, const LocalValue& value);

/// Bytes that a partition sends for a reshard, the sum of step_bytes over its steps. Choices between shardings are
/// based on it.
double reshard_bytes(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& from,
                     const mesh::SubAxes& unreduced, const mesh::AxisSharding& to);

}  // namespace podsim::hlo::spmd::reshard
