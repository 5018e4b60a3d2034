// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/tile_pieces.h"

#include <algorithm>

#include "base/units.h"
#include "sw/ir/array_tile.h"

namespace podsim::workloads::measured {
namespace {

/// Elements along the i-th most minor dimension in one layout tile.
std::int64_t unit_of(int i) { return i == 0 ? sw::ir::tile_lanes : i == 1 ? sw::ir::tile_sublanes : 1; }

}  // namespace

std::vector<std::int64_t> tile_extents(const sw::ir::Shape& array, const std::vector<std::int64_t>& bounds) {
  std::vector<std::int64_t> extents(array.dimensions.size(), 1);
  for (int i = 0; i < array.rank(); ++i) {
    const std::int64_t bound = bounds[bounds.size() - 1 - std::size_t(i)];
    const auto d = std::size_t(array.minor_dimension(i));
    extents[d] = bound > array.dimensions[d] ? array.dimensions[d] : std::max<std::int64_t>(1, bound) * unit_of(i);
  }
  return extents;
}

hw::AccessShape tile_pieces(const sw::ir::Shape& array, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> sizes, blocks;  // in layout tiles, minor to major
  std::int64_t tiles = 1;
  for (int i = 0; i < array.rank(); ++i) {
    const auto d = std::size_t(array.minor_dimension(i));
    sizes.push_back(base::divide_round_up(array.dimensions[d], unit_of(i)));
    blocks.push_back(std::min(sizes.back(), base::divide_round_up(extents[d], unit_of(i))));
    tiles *= sizes.back();
  }
  std::int64_t piece = sw::ir::padded_bytes(array).value() / std::max<std::int64_t>(1, tiles);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (blocks[i] == sizes[i]) {
      piece *= sizes[i];
      continue;
    }
    const bool one = std::all_of(blocks.begin() + std::ptrdiff_t(i) + 1, blocks.end(), [](auto n) { return n == 1; });
    return one ? hw::AccessShape{} : hw::AccessShape::rows(base::Bytes(piece * blocks[i]), piece * sizes[i]);
  }
  return {};
}

}  // namespace podsim::workloads::measured
