// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/mesh/axis_sharding.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hlo/spmd/mesh/device_order.h"

namespace podsim::hlo::spmd::mesh {
namespace {

void collect_leaves(const hlo::Shape& shape, std::vector<const hlo::Shape*>& leaves) {
  if (!shape.is_tuple()) return leaves.push_back(&shape);
  for (const hlo::Shape& element : shape.tuple_shapes) collect_leaves(element, leaves);
}

std::int64_t shard_size(const Mesh& mesh, const hlo::Shape& shape, const AxisSharding& sharding, int dimension) {
  const std::int64_t parts = shards(mesh, sharding, dimension);
  return (shape.dimensions[std::size_t(dimension)] + parts - 1) / parts;
}

/// Appends the sub-axes that make up a digit, which are neighbours in the mesh. Returns false if the digit begins or
/// ends inside a sub-axis.
bool append_sub_axes(const Mesh& mesh, const Digit& digit, SubAxes& sub_axes) {
  std::int64_t high = digit.size * digit.stride;
  for (const SubAxis candidate : mesh.all()) {
    if (high == digit.stride) break;
    if (mesh.stride(candidate) * mesh.size(candidate) != high || mesh.stride(candidate) < digit.stride) continue;
    sub_axes.push_back(candidate);
    high = mesh.stride(candidate);
  }
  return high == digit.stride;
}

/// The devices of the manual subgroups.
std::int64_t manual_devices(const hlo::Sharding& sharding) {
  std::int64_t devices = 1;
  for (std::size_t i = 0; i < sharding.subgroups.size(); ++i) {
    const bool is_manual = sharding.subgroups[i] == hlo::Sharding::Subgroup::manual;
    if (is_manual) devices *= sharding.tiles[std::size_t(sharding.rank()) + i];
  }
  return devices;
}

std::optional<AxisSharding> from_tiles(const Mesh& mesh, const hlo::Sharding& sharding) {
  const std::optional<TileDigits> digits = tile_digits(sharding);
  if (!digits) return std::nullopt;
  AxisSharding result;
  for (const Digits& dimension : digits->dimensions) {
    SubAxes& sub_axes = result.dimensions.emplace_back();
    for (const Digit& digit : dimension) {
      if (!append_sub_axes(mesh, digit, sub_axes)) return std::nullopt;
    }
  }
  return result;
}

}  // namespace

bool AxisSharding::is_replicated() const {
  return !manual && std::ranges::all_of(dimensions, [](const SubAxes& sub_axes) { return sub_axes.empty(); });
}

SubAxes AxisSharding::used() const {
  SubAxes result;
  for (const SubAxes& sub_axes : dimensions) result.insert(result.end(), sub_axes.begin(), sub_axes.end());
  std::ranges::sort(result);
  return result;
}

bool AxisSharding::uses(SubAxis sub_axis) const {
  return std::ranges::any_of(dimensions, [sub_axis](const SubAxes& sub_axes) {
    return std::ranges::find(sub_axes, sub_axis) != sub_axes.end();
  });
}

std::vector<const hlo::Shape*> leaf_shapes(const hlo::Shape& shape) {
  std::vector<const hlo::Shape*> leaves;
  collect_leaves(shape, leaves);
  return leaves;
}

AxisSharding replicated(int rank) { return {std::vector<SubAxes>(std::size_t(rank)), false}; }

AxisSharding manual(int rank) { return {std::vector<SubAxes>(std::size_t(rank)), true}; }

ValueSharding replicated(const hlo::Shape& shape) {
  ValueSharding result;
  for (const hlo::Shape* leaf : leaf_shapes(shape)) result.push_back(replicated(leaf->rank()));
  return result;
}

std::int64_t shards(const Mesh& mesh, const AxisSharding& sharding, int dimension) {
  return mesh.size(sharding.dimensions[std::size_t(dimension)]);
}

hlo::Shape local_shape(const Mesh& mesh, const hlo::Shape& shape, const AxisSharding& sharding) {
  hlo::Shape local = shape;
  for (int d = 0; d < shape.rank(); ++d) local.dimensions[std::size_t(d)] = shard_size(mesh, shape, sharding, d);
  return local;
}

bool is_even(const Mesh& mesh, const hlo::Shape& shape, const AxisSharding& sharding) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimensions[std::size_t(d)] % shards(mesh, sharding, d) != 0) return false;
  }
  return true;
}

std::pair<std::int64_t, std::int64_t> held_range(const Mesh& mesh, const hlo::Shape& shape,
                                                 const AxisSharding& sharding, int dimension, std::int64_t partition) {
  const std::int64_t size = shape.dimensions[std::size_t(dimension)];
  const std::int64_t step = shard_size(mesh, shape, sharding, dimension);
  const std::int64_t first = mesh.position(partition, sharding.dimensions[std::size_t(dimension)]) * step;
  return {std::min(first, size), std::min(first + step, size)};
}

hlo::Sharding to_hlo(const Mesh& mesh, const AxisSharding& sharding) {
  hlo::Sharding result;
  if (sharding.manual) result.kind = hlo::Sharding::Kind::manual;
  if (sharding.manual || sharding.is_replicated()) return result;
  result.kind = hlo::Sharding::Kind::tiled;
  Digits digits;
  const auto append = [&](SubAxis sub_axis) { digits.push_back({mesh.size(sub_axis), mesh.stride(sub_axis)}); };
  for (const SubAxes& sub_axes : sharding.dimensions) {
    result.tiles.push_back(mesh.size(sub_axes));
    std::ranges::for_each(sub_axes, append);
  }
  std::int64_t copies = 1;
  for (const SubAxis sub_axis : mesh.all()) {
    if (sharding.uses(sub_axis)) continue;
    copies *= mesh.size(sub_axis);
    append(sub_axis);
  }
  if (copies > 1) {
    result.tiles.push_back(copies);
    result.subgroups.push_back(hlo::Sharding::Subgroup::replicated);
  }
  digits = joined(digits);
  Digits sorted = digits;
  std::ranges::sort(sorted, std::ranges::greater(), &Digit::stride);
  for (const Digit& digit : sorted) result.iota.push_back(digit.size);
  if (sorted == digits) return result;
  for (const Digit& digit : digits) {
    result.permutation.push_back(int(std::ranges::find(sorted, digit) - sorted.begin()));
  }
  return result;
}

hlo::Sharding to_hlo(const Mesh& mesh, const hlo::Shape& shape, const ValueSharding& sharding) {
  if (!shape.is_tuple()) return to_hlo(mesh, sharding.front());
  hlo::Sharding result;
  result.kind = hlo::Sharding::Kind::tuple;
  for (const AxisSharding& element : sharding) result.elements.push_back(to_hlo(mesh, element));
  if (sharding.empty()) result.elements.emplace_back();
  return result;
}

std::optional<AxisSharding> from_hlo(const Mesh& mesh, const hlo::Sharding& sharding, int rank) {
  switch (sharding.kind) {
    case hlo::Sharding::Kind::replicated:
    case hlo::Sharding::Kind::maximal:
      return replicated(rank);
    case hlo::Sharding::Kind::manual:
      return manual(rank);
    case hlo::Sharding::Kind::unknown:
    case hlo::Sharding::Kind::tuple:
      return std::nullopt;
    case hlo::Sharding::Kind::tiled:
      break;
  }
  if (sharding.rank() != rank) return std::nullopt;
  const auto devices = [](const auto& tiles) {
    return std::accumulate(tiles.begin(), tiles.end(), std::int64_t{1}, std::multiplies{});
  };
  if (devices(sharding.tiles) != mesh.partitions()) return std::nullopt;
  const bool is_manual = mesh.partitions() > 1 && manual_devices(sharding) == mesh.partitions();
  return is_manual ? std::optional(manual(rank)) : from_tiles(mesh, sharding);
}

SubAxes manual_sub_axes(const Mesh& mesh, const hlo::Sharding& sharding) {
  SubAxes result;
  if (sharding.kind != hlo::Sharding::Kind::tiled || manual_devices(sharding) == mesh.partitions()) return result;
  const std::optional<TileDigits> digits = tile_digits(without_subgroups(sharding));
  if (!digits) return result;
  for (std::size_t i = 0; i < sharding.subgroups.size(); ++i) {
    if (sharding.subgroups[i] != hlo::Sharding::Subgroup::manual) continue;
    for (const Digit& digit : digits->dimensions[std::size_t(sharding.rank()) + i]) {
      if (!append_sub_axes(mesh, digit, result)) return {};
    }
  }
  return result;
}

std::optional<ValueSharding> from_hlo(const Mesh& mesh, const hlo::Sharding& sharding, const hlo::Shape& shape) {
  const std::vector<const hlo::Shape*> leaves = leaf_shapes(shape);
  const bool each = shape.is_tuple() && sharding.kind == hlo::Sharding::Kind::tuple;
  if (each && !leaves.empty() && sharding.elements.size() != leaves.size()) return std::nullopt;
  ValueSharding result;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    std::optional<AxisSharding> leaf = from_hlo(mesh, each ? sharding.elements[i] : sharding, leaves[i]->rank());
    if (!leaf) return std::nullopt;
    result.push_back(*std::move(leaf));
  }
  return result;
}

std::string to_string(const Mesh& mesh, const AxisSharding& sharding) {
  if (sharding.manual) return "manual";
  if (sharding.is_replicated()) return "replicated";
  std::vector<std::string> parts;
  for (const SubAxes& sub_axes : sharding.dimensions) {
    parts.push_back(sub_axes.empty() ? "-" : mesh.to_string(sub_axes, "+"));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

}  // namespace podsim::hlo::spmd::mesh
