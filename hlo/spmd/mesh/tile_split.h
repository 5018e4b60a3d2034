// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "hlo/spmd/mesh/mesh.h"
#include "hlo/tile_order.h"

namespace podsim::hlo::spmd::mesh {

/// A split of an array into shards that follow each other in memory, tile by tile: f32[4096,1024] over 8192 partitions
/// has shards of half a tile, [4,128], numbered by row of tiles, column of tiles and half.
struct TileSplit {
  std::vector<int> dimensions;         ///< by sub-axis, as they were given: the dimension that it splits
  SubAxes in_memory;                   ///< the sub-axes in the order in which they number the shards
  std::vector<hlo::PlaceDigit> whole;  ///< of the array
  std::vector<hlo::PlaceDigit> shard;  ///< of a shard: the same digits, with fewer values
};

/// The split over all of `sub_axes`, for the order of dimensions that pads the array least. Nothing if tiles are
/// padded, or if a digit of the memory locations (tile_order.h) is not used up by whole sub-axes before the next one is
/// split, or if lanes would have to be split. A dimension is split over sub-axes that follow each other, if their sizes
/// allow it, so that what is split along this dimension alone is exchanged among neighbours.
std::optional<TileSplit> tile_split(const Mesh& mesh, const hlo::Shape& array, const SubAxes& sub_axes);

}  // namespace podsim::hlo::spmd::mesh
