// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/mesh/axis_sharding.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/spmd/mesh/device_order.h"

namespace podsim::sw::spmd::mesh {
namespace {

void collect_leaves(const ir::Shape& shape, std::vector<const ir::Shape*>& leaves) {
  if (!shape.is_tuple()) return leaves.push_back(&shape);
  for (const ir::Shape& element : shape.tuple_shapes) collect_leaves(element, leaves);
}

std::int64_t shard_size(const Mesh& mesh, const ir::Shape& shape, const AxisSharding& sharding, int dimension) {
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

std::optional<AxisSharding> from_tiles(const Mesh& mesh, const ir::Sharding& sharding) {
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

std::vector<const ir::Shape*> leaf_shapes(const ir::Shape& shape) {
  std::vector<const ir::Shape*> leaves;
  collect_leaves(shape, leaves);
  return leaves;
}

AxisSharding replicated(int rank) { return {std::vector<SubAxes>(std::size_t(rank)), false}; }

AxisSharding manual(int rank) { return {std::vector<SubAxes>(std::size_t(rank)), true}; }

ValueSharding replicated(const ir::Shape& shape) {
  ValueSharding result;
  for (const ir::Shape* leaf : leaf_shapes(shape)) result.push_back(replicated(leaf->rank()));
  return result;
}

std::int64_t shards(const Mesh& mesh, const AxisSharding& sharding, int dimension) {
  return mesh.size(sharding.dimensions[std::size_t(dimension)]);
}

ir::Shape local_shape(const Mesh& mesh, const ir::Shape& shape, const AxisSharding& sharding) {
  ir::Shape local = shape;
  for (int d = 0; d < shape.rank(); ++d) local.dimensions[std::size_t(d)] = shard_size(mesh, shape, sharding, d);
  return local;
}

bool is_even(const Mesh& mesh, const ir::Shape& shape, const AxisSharding& sharding) {
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.dimensions[std::size_t(d)] % shards(mesh, sharding, d) != 0) return false;
  }
  return true;
}

std::pair<std::int64_t, std::int64_t> held_range(const Mesh& mesh, const ir::Shape& shape, const AxisSharding& sharding,
                                                 int dimension, std::int64_t partition) {
  const std::int64_t size = shape.dimensions[std::size_t(dimension)];
  const std::int64_t step = shard_size(mesh, shape, sharding, dimension);
  const std::int64_t first = mesh.position(partition, sharding.dimensions[std::size_t(dimension)]) * step;
  return {std::min(first, size), std::min(first + step, size)};
}

ir::Sharding to_hlo(const Mesh& mesh, const AxisSharding& sharding) {
  ir::Sharding result;
  if (sharding.manual) result.kind = ir::Sharding::Kind::manual;
  if (sharding.manual || sharding.is_replicated()) return result;
  result.kind = ir::Sharding::Kind::tiled;
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
    result.subgroups.push_back(ir::Sharding::Subgroup::replicated);
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

ir::Sharding to_hlo(const Mesh& mesh, const ir::Shape& shape, const ValueSharding& sharding) {
  if (!shape.is_tuple()) return to_hlo(mesh, sharding.front());
  ir::Sharding result;
  result.kind = ir::Sharding::Kind::tuple;
  for (const AxisSharding& element : sharding) result.elements.push_back(to_hlo(mesh, element));
  if (sharding.empty()) result.elements.emplace_back();
  return result;
}

std::optional<AxisSharding> from_hlo(const Mesh& mesh, const ir::Sharding& sharding, int rank) {
  switch (sharding.kind) {
    case ir::Sharding::Kind::replicated:
    case ir::Sharding::Kind::maximal:
      return replicated(rank);
    case ir::Sharding::Kind::manual:
      return manual(rank);
    case ir::Sharding::Kind::unknown:
    case ir::Sharding::Kind::tuple:
      return std::nullopt;
    case ir::Sharding::Kind::tiled:
      break;
  }
  if (sharding.rank() != rank) return std::nullopt;
  std::int64_t partitions = 1, by_hand = 1;
  for (std::size_t d = 0; d < sharding.tiles.size(); ++d) {
    partitions *= sharding.tiles[d];
    const bool of_value = d < std::size_t(rank);
    if (!of_value && sharding.subgroups[d - std::size_t(rank)] == ir::Sharding::Subgroup::manual) {
      by_hand *= sharding.tiles[d];
    }
  }
  if (partitions != mesh.partitions()) return std::nullopt;
  if (by_hand == 1) return from_tiles(mesh, sharding);
  return by_hand == partitions ? std::optional(manual(rank)) : std::nullopt;
}

std::optional<ValueSharding> from_hlo(const Mesh& mesh, const ir::Sharding& sharding, const ir::Shape& shape) {
  const std::vector<const ir::Shape*> leaves = leaf_shapes(shape);
  const bool each = shape.is_tuple() && sharding.kind == ir::Sharding::Kind::tuple;
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

}  // namespace podsim::sw::spmd::mesh
