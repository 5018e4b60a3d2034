// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sw/graph/shape.h"

namespace podsim::sw {

/// How an array is cut into tiles of 8 x 128 elements in HBM (KernelArray): `planes` of row_tiles x lane_tiles tiles,
/// row of tiles by row of tiles. Dimensions beyond the two most minor ones count planes, the most major outermost.
/// A vector is 128 elements a row, eight rows a tile; a scalar is a vector of one element.
struct ArrayTiles {
  std::int64_t planes = 0;
  std::int64_t row_tiles = 0;   ///< along the second most minor dimension, 8 elements each; of a vector: 1024 each
  std::int64_t lane_tiles = 0;  ///< along the most minor dimension, 128 elements each; of a vector: 1
  std::int64_t tile_words = 0;  ///< 1024, or 512 where two rows share a word

  std::int64_t words() const { return planes * row_tiles * lane_tiles * tile_words; }
};

/// std::logic_error for element types that kernels do not have: other than f32, s32 and bf16.
ArrayTiles array_tiles(const Shape& shape);

}  // namespace podsim::sw
