// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/group_layout.h"

#include <algorithm>
#include <optional>
#include <set>

namespace podsim::sw {
namespace {

using Ranks = CollectiveGroups::Ranks;

/// The size and stride along a dimension of coordinates that stand at a constant distance; nothing for others.
std::optional<LogicalDimension> along(int dimension, const std::set<std::int32_t>& coordinates,
                                      const noc::Topology& slice) {
  LogicalDimension result{.physical = dimension, .size = std::int32_t(coordinates.size())};
  if (result.size == 1) return result;
  result.stride = *std::next(coordinates.begin()) - *coordinates.begin();
  std::int32_t expected = *coordinates.begin();
  for (std::int32_t coordinate : coordinates) {
    if (coordinate != expected) return std::nullopt;
    expected += result.stride;
  }
  result.closed = slice.wraps(dimension) && result.stride * result.size == slice.size(dimension);
  return result;
}

/// The dimensions of a box of chips at constant strides; nothing when the chips are not one.
std::optional<std::vector<LogicalDimension>> box(const std::set<std::int32_t>& chips, const noc::Topology& slice) {
  std::vector<LogicalDimension> result;
  std::size_t positions = 1;
  for (int d = 0; d < slice.dimensions(); ++d) {
    std::set<std::int32_t> coordinates;
    for (std::int32_t chip : chips) coordinates.insert(slice.coordinates(chip)[std::size_t(d)]);
    auto dimension = along(d, coordinates, slice);
    if (!dimension) return std::nullopt;
    positions *= coordinates.size();
    if (dimension->size > 1) result.push_back(*dimension);
  }
  return positions == chips.size() ? std::optional(result) : std::nullopt;
}

}  // namespace

noc::Coordinates GroupLayout::position(std::int32_t place) const {
  noc::Coordinates result{};
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    result[d] = place % dimensions[d].size;
    place /= dimensions[d].size;
  }
  return result;
}

std::int32_t GroupLayout::place(const noc::Coordinates& position) const {
  std::int32_t result = 0;
  for (std::size_t d = dimensions.size(); d-- > 0;) result = result * dimensions[d].size + position[d];
  return result;
}

GroupLayout lay_out(const Ranks& ranks, const noc::Topology& slice, int cores_per_chip) {
  GroupLayout layout;
  layout.members = ranks;
  std::ranges::sort(layout.members);
  std::set<std::int32_t> chips, cores;
  for (std::int32_t rank : ranks) {
    chips.insert(rank / cores_per_chip);
    cores.insert(rank % cores_per_chip);
  }
  const bool complete = ranks.size() == chips.size() * std::size_t(cores_per_chip);
  if (complete) layout.cores = cores_per_chip;
  auto dimensions = complete || cores.size() == 1 ? box(chips, slice) : std::nullopt;
  if (dimensions) {
    layout.dimensions = *dimensions;
  } else {
    layout.dimensions = {{.size = layout.places()}};
  }
  return layout;
}

}  // namespace podsim::sw
