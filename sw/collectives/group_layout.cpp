// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/group_layout.h"

#include <algorithm>
#include <optional>

namespace podsim::sw::collectives {
namespace {

using Ranks = CollectiveGroups::Ranks;

/// The size and stride along a dimension of coordinates, in ascending order, that are at a constant distance; nothing
/// for others.
std::optional<LogicalDimension> along(int dimension, const std::vector<std::int32_t>& coordinates,
                                      const noc::Topology& slice) {
  LogicalDimension result{.physical = dimension, .size = std::int32_t(coordinates.size())};
  if (result.size == 1) return result;
  result.stride = coordinates[1] - coordinates[0];
  std::int32_t expected = coordinates[0];
  for (std::int32_t coordinate : coordinates) {
    if (coordinate != expected) return std::nullopt;
    expected += result.stride;
  }
  result.closed = slice.wraps(dimension) && result.stride * result.size == slice.size(dimension);
  return result;
}

/// The coordinates of chips along a dimension, each once and in ascending order.
std::vector<std::int32_t> coordinates_along(int dimension, const std::vector<noc::Coordinates>& chip_positions,
                                            std::int32_t size) {
  std::vector<bool> taken(std::size_t(size), false);
  for (const noc::Coordinates& index : chip_positions) taken[std::size_t(index[std::size_t(dimension)])] = true;
  std::vector<std::int32_t> result;
  for (std::int32_t coordinate = 0; coordinate < size; ++coordinate) {
    if (taken[std::size_t(coordinate)]) result.push_back(coordinate);
  }
  return result;
}

/// Chips of the smallest box around some.
std::int32_t chips_around(const std::vector<std::int32_t>& chips, const noc::Topology& slice) {
  noc::Coordinates least = slice.coordinates(chips[0]), most = least;
  for (const std::int32_t chip : chips) {
    const noc::Coordinates at = slice.coordinates(chip);
    for (std::size_t d = 0; d < at.size(); ++d) {
      least[d] = std::min(least[d], at[d]);
      most[d] = std::max(most[d], at[d]);
    }
  }
  std::int32_t box = 1;
  for (std::size_t d = 0; d < least.size(); ++d) box *= most[d] - least[d] + 1;
  return box;
}

/// The dimensions of a box of chips at constant strides; nothing for chips that do not form one.
std::optional<std::vector<LogicalDimension>> box(const std::vector<std::int32_t>& chips, const noc::Topology& slice) {
  std::vector<LogicalDimension> result;
  std::vector<noc::Coordinates> chip_positions;
  for (std::int32_t chip : chips) chip_positions.push_back(slice.coordinates(chip));
  std::size_t positions = 1;
  for (int d = 0; d < slice.dimensions(); ++d) {
    const std::vector<std::int32_t> coordinates = coordinates_along(d, chip_positions, slice.size(d));
    auto dimension = along(d, coordinates, slice);
    if (!dimension) return std::nullopt;
    positions *= coordinates.size();
    if (dimension->size > 1) result.push_back(*dimension);
  }
  return positions == chips.size() ? std::optional(result) : std::nullopt;
}

}  // namespace

std::string to_string(const LogicalDimension& dimension) {
  return dimension.physical < 0 ? "group" : noc::dimension_name(dimension.physical);
}

noc::Coordinates GroupLayout::position(std::int32_t index) const {
  noc::Coordinates result{};
  for (std::size_t d = 0; d < dimensions.size(); ++d) {
    result[d] = index % dimensions[d].size;
    index /= dimensions[d].size;
  }
  return result;
}

std::int32_t GroupLayout::index(const noc::Coordinates& position) const {
  std::int32_t result = 0;
  for (std::size_t d = dimensions.size(); d-- > 0;) result = result * dimensions[d].size + position[d];
  return result;
}

GroupLayout lay_out(const Ranks& ranks, const noc::Topology& slice, int cores_per_chip) {
  GroupLayout layout;
  layout.members = ranks;
  std::ranges::sort(layout.members);
  std::vector<std::int32_t> chips;
  bool same_core = true;
  for (std::int32_t member : layout.members) {
    if (chips.empty() || chips.back() != member / cores_per_chip) chips.push_back(member / cores_per_chip);
    same_core &= member % cores_per_chip == layout.members[0] % cores_per_chip;
  }
  const bool complete = ranks.size() == chips.size() * std::size_t(cores_per_chip);
  if (complete) layout.cores = cores_per_chip;
  layout.box = chips_around(chips, slice);
  auto dimensions = complete || same_core ? box(chips, slice) : std::nullopt;
  if (dimensions) {
    layout.dimensions = *dimensions;
  } else {
    layout.dimensions = {{.size = layout.positions()}};
  }
  return layout;
}

}  // namespace podsim::sw::collectives
