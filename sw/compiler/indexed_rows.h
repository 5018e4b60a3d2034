// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "sw/graph/shape.h"

namespace podsim::sw {

/// Slices of one array at places that come out of an array of indices: what a gather reads, and what a scatter reads
/// and writes. The core looks each index up and issues a DMA for each contiguous piece of its slice.
struct IndexedRows {
  std::int64_t slices = 0;  ///< indices looked up
  std::int64_t pieces = 0;  ///< contiguous pieces of all slices
  base::Bytes piece;
  base::Bytes span;  ///< the array among whose bytes the pieces lie

  auto operator<=>(const IndexedRows&) const = default;
  base::Bytes bytes() const { return pieces * piece; }
};

/// `count` slices of `sizes` out of `array` in its tiled layout. One sublane of a tile is the least piece, 128 words of
/// 32 bits: a row of a table [rows, 1024] lies in eight of them; narrow types pack several rows into one. Slices that
/// cover all sublanes of a tile are contiguous over the tile, slices that cover the array are one piece.
IndexedRows indexed_rows(const Shape& array, const std::vector<std::int64_t>& sizes, std::int64_t count);

}  // namespace podsim::sw
