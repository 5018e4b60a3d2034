// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hlo/shape.h"

/// The order of an array's elements in memory, with its tiles.
namespace podsim::hlo {

/// One digit of an element's location in memory: `size` values, between which the index along `dimension` differs by
/// `step`.
struct PlaceDigit {
  int dimension = 0;
  std::int64_t size = 1, step = 1;
  bool operator==(const PlaceDigit&) const = default;
};

/// The digits of the memory locations of an array's elements, from the slowest to the fastest, without those of one
/// value. An array f32[4096,1024] of tiles T(8,128) has {0, 512, 8}, {1, 8, 128}, {0, 8, 1}, {1, 128, 1}: row of tiles,
/// column of tiles, row in the tile, lane. Nothing for arrays whose tiles are padded or not T(8,128), and for vectors
/// and scalars.
std::optional<std::vector<PlaceDigit>> place_digits(const Shape& shape);

/// The order of dimensions, minor to major, that pads an array least; empty, the order of the text, if none pads it
/// less. One dimension is moved to the lanes, and one to the sublanes where that pads less still; the others stay.
std::vector<int> min_padded_order(const Shape& shape);

}  // namespace podsim::hlo
