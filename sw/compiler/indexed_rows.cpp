// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/indexed_rows.h"

#include <algorithm>

#include "sw/graph/array_tile.h"

namespace podsim::sw {
namespace {

constexpr std::int64_t kWord = 4;
constexpr std::int64_t kGranule = 32;

struct Pieces {
  std::int64_t count = 1, bytes = 0;
};

/// Of the two most minor dimensions of a slice.
Pieces of_plane(const Shape& array, const std::vector<std::int64_t>& sizes) {
  const std::int64_t width = byte_width(array.element_type);
  const int lane = array.minor_dimension(0), sublane = array.minor_dimension(1);
  const std::int64_t lane_tiles = base::divide_round_up(sizes[lane], kLanes);
  const std::int64_t height = array.dimensions[sublane];
  const std::int64_t sublane_tiles = base::divide_round_up(sizes[sublane], kSublanes);
  const std::int64_t tile_bytes = kLanes * kSublanes * width;
  if (sizes[sublane] != height && sizes[sublane] % kSublanes != 0) {
    const std::int64_t packed = std::max<std::int64_t>(1, kWord / width);
    const std::int64_t rows = base::divide_round_up(std::min(sizes[sublane], kSublanes), packed);
    return {lane_tiles * sublane_tiles, rows * kLanes * std::max(width, kWord)};
  }
  if (sizes[lane] != array.dimensions[lane]) return {sublane_tiles, lane_tiles * tile_bytes};
  return {1, sublane_tiles * lane_tiles * tile_bytes};
}

Pieces of_slice(const Shape& array, const std::vector<std::int64_t>& sizes) {
  if (sizes == array.dimensions) return {1, padded_bytes(array).value()};
  if (array.rank() == 1) return {1, base::round_up(sizes[0] * byte_width(array.element_type), kGranule)};
  Pieces pieces = of_plane(array, sizes);
  for (int i = 2; i < array.rank(); ++i) pieces.count *= sizes[array.minor_dimension(i)];
  return pieces;
}

}  // namespace

IndexedRows indexed_rows(const Shape& array, const std::vector<std::int64_t>& sizes, std::int64_t count) {
  const Pieces pieces = of_slice(array, sizes);
  return {count, count * pieces.count, base::Bytes(pieces.bytes), padded_bytes(array)};
}

}  // namespace podsim::sw
