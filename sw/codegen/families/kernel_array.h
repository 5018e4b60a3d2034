// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "hlo/shape.h"

namespace podsim::sw::codegen::families {

/// The layout tiles of an array in HBM (KernelArray), 8 x 128 elements each: `planes` planes of row_tiles x lane_tiles
/// tiles, row of tiles by row of tiles. Dimensions other than the two most minor ones count planes, the most major
/// outermost. A vector has 128 elements per row and eight rows per tile; a scalar is a vector of one element.
struct ArrayTiles {
  std::int64_t planes = 0;
  std::int64_t row_tiles = 0;   ///< along the second most minor dimension, 8 elements each; 1024 each for a vector
  std::int64_t lane_tiles = 0;  ///< along the most minor dimension, 128 elements each; 1 for a vector
  std::int64_t tile_words = 0;  ///< 1024, or 512 if two rows share a word

  std::int64_t words() const { return planes * row_tiles * lane_tiles * tile_words; }
};

/// Throws std::logic_error for element types that kernels do not support, which are all except f32, s32,
/// u32 and bf16.
ArrayTiles array_tiles(const hlo::Shape& shape);

}  // namespace podsim::sw::codegen::families
