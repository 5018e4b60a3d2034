// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "hw/access_pattern.h"
#include "sw/ir/shape.h"

namespace podsim::workloads::measured {

/// Elements of a tile along each dimension of `array`. `bounds` are in physical order, major to minor, the last two in
/// layout tiles of 8 x 128; its size is the array's rank.
std::vector<std::int64_t> tile_extents(const sw::ir::Shape& array, const std::vector<std::int64_t>& bounds);

/// The contiguous pieces in memory of a tile of `extents` elements along each dimension of `array`: a tile that ends
/// within a dimension has a piece for every element of the more major ones. One piece is contiguous.
hw::AccessShape tile_pieces(const sw::ir::Shape& array, const std::vector<std::int64_t>& extents);

}  // namespace podsim::workloads::measured
