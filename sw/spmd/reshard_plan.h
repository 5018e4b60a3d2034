// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/spmd/axis_sharding.h"

/// How a value gets from one sharding to another: the steps, before any of them is written.
namespace podsim::sw {

/// For each dimension of an array the sub-axes that cut it.
using DimensionCuts = std::vector<SubAxes>;

struct ReshardStep {
  enum class Kind : std::uint8_t {
    slice,           ///< dimensions are cut further: every partition keeps its part of what it has
    reduce_scatter,  ///< `dimension` is cut further by `sub_axes`, along which addends are combined
    all_reduce,      ///< addends along `sub_axes` are combined
    all_to_all,      ///< `sub_axes` cut `to` instead of `dimension`
    permute,         ///< other sub-axes cut dimensions into as many shards
    all_gather,      ///< `sub_axes` no longer cut `dimension`
  };
  Kind kind = Kind::slice;
  int dimension = -1, to = -1;
  SubAxes sub_axes;
  DimensionCuts before, after;
};

/// The steps that take the fewest bytes among the orders that are tried. Neither sharding is manual; `unreduced`
/// sub-axes cut nothing in `from`.
std::vector<ReshardStep> plan_reshard(const Mesh& mesh, const Shape& shape, const AxisSharding& from,
                                      const SubAxes& unreduced, const AxisSharding& to);

/// Bytes that a partition sends in a step by ring algorithms: (n-1)/n of the larger array in a reduce-scatter,
/// all-gather or all-to-all among n, twice that in an all-reduce, its shard in a permute.
double step_bytes(const Mesh& mesh, const Shape& shape, const ReshardStep& step);

}  // namespace podsim::sw
