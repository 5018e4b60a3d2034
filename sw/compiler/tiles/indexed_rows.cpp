// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/indexed_rows.h"

#include <algorithm>

#include "hlo/array_tile.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr std::int64_t word_bytes = 4;

struct Pieces {
  std::int64_t count = 1, bytes = 0;
};

/// Pieces within the two most minor dimensions of a slice.
Pieces of_plane(const hlo::Shape& array, const std::vector<std::int64_t>& sizes) {
  const std::int64_t bits = hlo::element_types()[std::size_t(array.element_type)].bits;
  const int lane = array.minor_dimension(0), sublane = array.minor_dimension(1);
  const std::int64_t lane_tiles = base::divide_round_up(sizes[lane], hlo::tile_lanes);
  const std::int64_t height = array.dimensions[sublane];
  const std::int64_t sublane_tiles = base::divide_round_up(sizes[sublane], hlo::tile_sublanes);
  const std::int64_t tile_bytes = hlo::tile_lanes * hlo::tile_sublanes * bits / 8;
  if (sizes[sublane] != height && sizes[sublane] % hlo::tile_sublanes != 0) {
    const std::int64_t packed = std::max<std::int64_t>(1, 8 * word_bytes / std::max<std::int64_t>(1, bits));
    const std::int64_t rows = base::divide_round_up(std::min(sizes[sublane], hlo::tile_sublanes), packed);
    return {lane_tiles * sublane_tiles, rows * hlo::tile_lanes * std::max(bits / 8, word_bytes)};
  }
  if (sizes[lane] != array.dimensions[lane]) return {sublane_tiles, lane_tiles * tile_bytes};
  return {1, sublane_tiles * lane_tiles * tile_bytes};
}

Pieces of_slice(const hlo::Shape& array, const std::vector<std::int64_t>& sizes, base::Bytes burst) {
  if (sizes == array.dimensions) return {1, hlo::padded_bytes(array).value()};
  if (array.rank() == 1)
    return {1,
            base::round_up(hlo::logical_bytes(hlo::make_shape(array.element_type, {sizes[0]})).value(), burst.value())};
  Pieces pieces = of_plane(array, sizes);
  for (int i = 2; i < array.rank(); ++i) pieces.count *= sizes[array.minor_dimension(i)];
  return pieces;
}

}  // namespace

IndexedRows indexed_rows(const hlo::Shape& array, const std::vector<std::int64_t>& sizes, std::int64_t count,
                         base::Bytes burst) {
  const Pieces pieces = of_slice(array, sizes, burst);
  return {count, count * pieces.count, base::Bytes(pieces.bytes), hlo::padded_bytes(array),
          hlo::byte_width(array.element_type) < word_bytes};
}

}  // namespace podsim::sw::compiler::tiles
