// SPDX-License-Identifier: Apache-2.0
#include "noc/whole_part.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <vector>

namespace podsim::noc {
namespace {

/// Calls visit(sizes) for each box whose sizes are powers of two within the slice.
template <class Visit>
void for_each_size(const Topology& slice, int dimension, Coordinates& sizes, const Visit& visit) {
  if (dimension == slice.dimensions()) return visit(sizes);
  for (std::int64_t size = 1; size <= slice.size(dimension); size *= 2) {
    sizes[std::size_t(dimension)] = Coordinates::value_type(size);
    for_each_size(slice, dimension + 1, sizes, visit);
  }
}

bool contains(const Coordinates& first, const Coordinates& sizes, int dimensions, const Coordinates& chip) {
  for (std::size_t d = 0; d < std::size_t(dimensions); ++d) {
    if (chip[d] < first[d] || chip[d] >= first[d] + sizes[d]) return false;
  }
  return true;
}

/// Where a box of these sizes first lies on the slice without a dead chip; std::nullopt: nowhere.
std::optional<Coordinates> first_whole(const Topology& slice, const Coordinates& sizes,
                                       const std::vector<Coordinates>& dead) {
  for (NodeId chip = 0; chip < slice.nodes(); ++chip) {
    const Coordinates first = slice.coordinates(chip);
    bool whole = true;
    for (int d = 0; whole && d < slice.dimensions(); ++d) {
      whole = first[std::size_t(d)] + sizes[std::size_t(d)] <= slice.size(d);
    }
    for (std::size_t i = 0; whole && i < dead.size(); ++i) {
      whole = !contains(first, sizes, slice.dimensions(), dead[i]);
    }
    if (whole) return first;
  }
  return std::nullopt;
}

}  // namespace

SlicePart whole_part(const Topology& slice, std::span<const NodeId> dead) {
  std::vector<Coordinates> at;
  for (const NodeId chip : dead) at.push_back(slice.coordinates(chip));
  SlicePart best{.dimensions = slice.dimensions()};
  std::int64_t most = 0;
  Coordinates sizes{};
  for_each_size(slice, 0, sizes, [&](const Coordinates& tried) {
    std::int64_t chips = 1;
    for (int d = 0; d < slice.dimensions(); ++d) chips *= tried[std::size_t(d)];
    if (chips <= most) return;
    const std::optional<Coordinates> first = first_whole(slice, tried, at);
    if (!first) return;
    best.first = *first;
    best.sizes = tried;
    most = chips;
  });
  return best;
}

std::string to_string(const SlicePart& part) {
  if (part.sizes[0] == 0) return "no chip";
  const auto dimensions = std::size_t(part.dimensions);
  return fmt::format("{} chips from ({}) on", fmt::join(part.sizes.begin(), part.sizes.begin() + dimensions, "x"),
                     fmt::join(part.first.begin(), part.first.begin() + dimensions, ","));
}

}  // namespace podsim::noc
