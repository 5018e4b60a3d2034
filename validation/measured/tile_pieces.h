// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hlo/shape.h"

namespace podsim::validation::measured {

/// Elements of a tile along each dimension of `array`. `bounds` are in physical order, major to minor, the last two in
/// layout tiles of 8 x 128; its size is the array's rank.
std::vector<std::int64_t> tile_extents(const hlo::Shape& array, const std::vector<std::int64_t>& bounds);

/// What the tiles of an array are in memory, added up over all of them.
struct TilePieces {
  std::int64_t count = 0;  ///< contiguous pieces
  base::Bytes bytes;       ///< words of 32 bits of which a tile has a part are moved whole
  bool operator==(const TilePieces&) const = default;
};

/// Divides `array` into tiles of `extents` elements along each dimension. Words of 128 lanes are consecutive within a
/// layout tile, layout tiles along the lanes, then along the sublanes. A tile that begins or ends within layout tiles
/// has a piece for each of them along the lanes; one that ends within another dimension has its pieces for every
/// element of the more major ones.
TilePieces tile_pieces(const hlo::Shape& array, const std::vector<std::int64_t>& extents);

}  // namespace podsim::validation::measured
