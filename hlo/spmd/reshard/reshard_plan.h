// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/spmd/mesh/axis_sharding.h"

/// Plans the steps that reshard a value.
namespace podsim::hlo::spmd::reshard {

/// For each dimension of an array, the sub-axes that it is split over.
using DimensionSplit = std::vector<mesh::SubAxes>;

struct ReshardStep {
  enum class Kind : std::uint8_t {
    slice,           ///< splits dimensions further: every partition keeps part of its shard
    reduce_scatter,  ///< combines addends along `sub_axes` and splits `dimension` over them
    all_reduce,      ///< combines addends along `sub_axes`
    all_to_all,      ///< splits `to` over `sub_axes` instead of `dimension`
    permute,         ///< splits dimensions into the same number of shards over other sub-axes
    all_gather,      ///< `dimension` is no longer split over `sub_axes`
  };
  Kind kind = Kind::slice;
  int dimension = -1, to = -1;
  mesh::SubAxes sub_axes;
  DimensionSplit before, after;
};

/// The steps that send the fewest bytes among the four orders that are tried. Neither sharding may be manual, and no
/// dimension of `from` may be split over `unreduced` sub-axes.
std::vector<ReshardStep> plan_reshard(const mesh::Mesh& mesh, const hlo::Shape& shape, const mesh::AxisSharding& from,
                                      const mesh::SubAxes& unreduced, const mesh::AxisSharding& to);

/// Bytes that a partition sends in a step with ring algorithms: (n-1)/n of the larger array in a reduce-scatter,
/// all-gather or all-to-all among n, twice that in an all-reduce, its shard in a permute, none in a slice.
double step_bytes(const mesh::Mesh& mesh, const hlo::Shape& shape, const ReshardStep& step);

}  // namespace podsim::hlo::spmd::reshard
