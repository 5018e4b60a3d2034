// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/tile_split.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace podsim::hlo::spmd::mesh {
namespace {

/// Positions of a list of dimensions, those of one dimension together, in the order of their first appearance.
std::vector<std::size_t> grouped(const std::vector<int>& dimensions) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (std::ranges::find(positions, i) != positions.end()) continue;
    for (std::size_t j = i; j < dimensions.size(); ++j) {
      if (dimensions[j] == dimensions[i]) positions.push_back(j);
    }
  }
  return positions;
}

}  // namespace

std::optional<TileSplit> tile_split(const Mesh& mesh, const hlo::Shape& array, const SubAxes& sub_axes) {
  hlo::Shape laid_out = array;
  laid_out.minor_to_major = hlo::min_padded_order(array);
  std::optional<std::vector<hlo::PlaceDigit>> digits = hlo::place_digits(laid_out);
  if (!digits) return std::nullopt;
  TileSplit split{{}, sub_axes, *digits, std::move(*digits)};
  std::size_t digit = 0;
  for (const SubAxis sub_axis : sub_axes) {
    while (digit + 1 < split.shard.size() && split.shard[digit].size == 1) ++digit;
    std::int64_t& left = split.shard[digit].size;
    if (digit + 1 == split.shard.size() || left % mesh.size(sub_axis) != 0) return std::nullopt;
    left /= mesh.size(sub_axis);
    split.dimensions.push_back(split.shard[digit].dimension);
  }
  const std::vector<std::size_t> positions = grouped(split.dimensions);
  const auto size_at = [&](std::size_t i) { return mesh.size(sub_axes[i]); };
  for (std::size_t i = 0; i < positions.size(); ++i) {
    if (size_at(i) != size_at(positions[i])) return split;
  }
  const std::vector<int> by_place = split.dimensions;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    split.dimensions[i] = by_place[positions[i]];
    split.in_memory[positions[i]] = sub_axes[i];
  }
  return split;
}

}  // namespace podsim::hlo::spmd::mesh
