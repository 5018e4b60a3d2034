// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sw/graph/shape.h"
#include "sw/graph/sharding.h"
#include "sw/spmd/mesh.h"

namespace podsim::sw {

/// Which sub-axes of the mesh cut each dimension of an array. Sub-axes that cut nothing hold copies. Every sub-axis
/// appears at most once.
///
/// A dimension of D elements cut n ways has shards of ceil(D / n) elements: shard i holds [i ceil(D/n), (i+1)
/// ceil(D/n)). What lies beyond D is undefined; whatever lets it into a result masks it first.
struct AxisSharding {
  std::vector<SubAxes> dimensions;  ///< one for each dimension of the array
  /// The program cares for itself: every partition has a value of its own, in the shape as it is written. `dimensions`
  /// are empty lists then.
  bool manual = false;

  bool operator==(const AxisSharding&) const = default;

  bool is_replicated() const;  ///< nothing is cut, nor manual
  /// Every sub-axis that cuts a dimension, in rising order.
  SubAxes used() const;
  bool uses(SubAxis sub_axis) const;
};

/// One array's sharding, or those of a tuple's arrays in order, nested ones flattened.
using ValueSharding = std::vector<AxisSharding>;

/// The arrays (and tokens) of a tuple in order, nested ones flattened; of another shape itself. They live as long as
/// it.
std::vector<const Shape*> leaf_shapes(const Shape& shape);

AxisSharding replicated(int rank);
AxisSharding manual(int rank);
/// Replicated, for every array of a shape.
ValueSharding replicated(const Shape& shape);

/// In how many shards dimension d is cut.
std::int64_t shards(const Mesh& mesh, const AxisSharding& sharding, int dimension);
/// The shape of one partition's part.
Shape local_shape(const Mesh& mesh, const Shape& shape, const AxisSharding& sharding);
/// Whether every cut dimension divides.
bool is_even(const Mesh& mesh, const Shape& shape, const AxisSharding& sharding);
/// The range [first, limit) of dimension d that a partition holds, without what lies beyond the array.
std::pair<std::int64_t, std::int64_t> held_range(const Mesh& mesh, const Shape& shape, const AxisSharding& sharding,
                                                 int dimension, std::int64_t partition);

/// HLO's form: tiles and an iota list over the mesh; {replicated} where nothing is cut, {manual}.
Sharding to_hlo(const Mesh& mesh, const AxisSharding& sharding);
Sharding to_hlo(const Mesh& mesh, const Shape& shape, const ValueSharding& sharding);
/// The other way round. Nothing where the device list is no arrangement of the mesh's sub-axes. Maximal is taken as
/// replicated: every partition computes what one would have.
/// Subgroups that the program treats by itself are manual where they are everybody, else nothing.
std::optional<AxisSharding> from_hlo(const Mesh& mesh, const Sharding& sharding, int rank);
/// Of every array of a shape; a sharding that is no tuple holds for all elements of one.
std::optional<ValueSharding> from_hlo(const Mesh& mesh, const Sharding& sharding, const Shape& shape);

/// "[x, -, y+z]": a dash for a dimension that is whole; "replicated", "manual".
std::string to_string(const Mesh& mesh, const AxisSharding& sharding);
/// From a list such as a study has: {"x", "", "y+z"}: names of axes or parts of them ("x[1:3]"), '+' joins, empty or
/// "-" for whole; shorter lists leave the last dimensions whole. InputError (without place) naming what is wrong, with
/// the nearest axis.
AxisSharding parse_axes(const Mesh& mesh, const std::vector<std::string>& dimensions, int rank);

}  // namespace podsim::sw
