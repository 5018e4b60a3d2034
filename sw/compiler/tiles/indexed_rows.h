// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/units.h"
#include "hlo/shape.h"
#include "hw/memory_levels.h"

namespace podsim::sw::compiler::tiles {

/// Slices of one array at positions given by an array of indices: the reads of a gather, and the reads and writes of a
/// scatter. The core looks up each index and issues a DMA for each contiguous piece of its slice.
struct IndexedRows {
  std::int64_t slices = 0;  ///< indices looked up
  std::int64_t pieces = 0;  ///< contiguous pieces of all slices
  base::Bytes piece;
  base::Bytes span;           ///< size of the array that contains the pieces
  bool shares_words = false;  ///< elements of less than 32 bits, of which several rows share words
  int level = 0;              ///< the memory of the array (hw/memory_levels.h)

  auto operator<=>(const IndexedRows&) const = default;
  base::Bytes bytes() const { return pieces * piece; }
  hw::LevelBytes at_level() const {
    hw::LevelBytes bytes_at;
    bytes_at[level] = bytes();
    return bytes_at;
  }
};

/// Returns `count` slices of `sizes` of `array` in its tiled layout. The smallest piece is one sublane of a layout
/// tile, 128 words of 32 bits: a row of a table [rows, 1024] has eight pieces; narrow types pack several rows into one
/// piece. Slices that cover all sublanes of a tile are contiguous over the tile, and slices that cover the array are
/// one piece. A piece of a one-dimensional array is a multiple of the memory's `burst`.
IndexedRows indexed_rows(const hlo::Shape& array, const std::vector<std::int64_t>& sizes, std::int64_t count,
                         base::Bytes burst);

}  // namespace podsim::sw::compiler::tiles
