// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hlo/shape.h"
#include "hlo/sharding.h"
#include "hlo/spmd/mesh/mesh.h"

namespace podsim::hlo::spmd::mesh {

/// The sub-axes of the mesh that each dimension of an array is split over. Partitions that differ only along the other
/// sub-axes hold copies. Every sub-axis appears at most once.
///
/// A dimension of D elements that is split into n parts has shards of ceil(D / n) elements: shard i holds [i ceil(D/n),
/// (i+1) ceil(D/n)). Elements beyond D are undefined; code that would let them into a result masks them first.
struct AxisSharding {
  std::vector<SubAxes> dimensions;  ///< one for each dimension of the array
  /// Every partition has a separate value of the shape that the program states, and the program itself does any
  /// communication. `dimensions` then holds an empty list per dimension.
  bool manual = false;

  bool operator==(const AxisSharding&) const = default;

  bool is_replicated() const;  ///< no dimension is split, and the sharding is not manual
  /// Sub-axes that any dimension is split over, in ascending order.
  SubAxes used() const;
  bool uses(SubAxis sub_axis) const;
};

/// The sharding of one array, or of every array of a tuple in order, nested tuples flattened.
using ValueSharding = std::vector<AxisSharding>;

/// The shapes of the arrays and HLO tokens of a tuple in order, nested tuples flattened; for any other shape, the shape
/// itself. The pointers are into `shape`.
std::vector<const hlo::Shape*> leaf_shapes(const hlo::Shape& shape);

AxisSharding replicated(int rank);
AxisSharding manual(int rank);
/// Replicated for every array of `shape`.
ValueSharding replicated(const hlo::Shape& shape);

/// Number of shards that `dimension` is split into.
std::int64_t shards(const Mesh& mesh, const AxisSharding& sharding, int dimension);
/// The shape of one shard.
hlo::Shape local_shape(const Mesh& mesh, const hlo::Shape& shape, const AxisSharding& sharding);
/// True if every split dimension divides evenly.
bool is_even(const Mesh& mesh, const hlo::Shape& shape, const AxisSharding& sharding);
/// The range [first, limit) of `dimension` that `partition` holds, without elements beyond the end of the array.
std::pair<std::int64_t, std::int64_t> held_range(const Mesh& mesh, const hlo::Shape& shape,
                                                 const AxisSharding& sharding, int dimension, std::int64_t partition);

/// HLO's form: tiles and an iota list over the mesh; {replicated} if no dimension is split; {manual}.
hlo::Sharding to_hlo(const Mesh& mesh, const AxisSharding& sharding);
hlo::Sharding to_hlo(const Mesh& mesh, const hlo::Shape& shape, const ValueSharding& sharding);
/// Converts from HLO's form; nullopt if the device list is not an arrangement of the mesh's sub-axes. A maximal
/// sharding is read as replicated: every partition computes the value that a single one would have. Manual subgroups
/// make the sharding manual if they cover all partitions. Otherwise the value is a shard that the program makes along
/// the manual sub-axes, and the sharding is the shard's over the others.
std::optional<AxisSharding> from_hlo(const Mesh& mesh, const hlo::Sharding& sharding, int rank);
/// The sub-axes of the manual subgroups of a tiled sharding that other sub-axes do not belong to; empty if there are
/// none, or if they are all of the mesh.
SubAxes manual_sub_axes(const Mesh& mesh, const hlo::Sharding& sharding);
/// As above, for every array of `shape`. If `shape` is a tuple and `sharding` is not, it applies to every element.
std::optional<ValueSharding> from_hlo(const Mesh& mesh, const hlo::Sharding& sharding, const hlo::Shape& shape);

/// "[x, -, y+z]", with a dash for a dimension that is not split; "replicated"; "manual".
std::string to_string(const Mesh& mesh, const AxisSharding& sharding);
/// Reads a list such as {"x", "", "y+z"}, one string for each dimension: names of axes or parts of axes ("x[1:3]"),
/// joined by '+'; empty or "-" if the dimension is not split. Dimensions beyond the end of the list are not split.
/// Throws base::InputError, without a location, that names the error and suggests the nearest axis.
AxisSharding parse_axes(const Mesh& mesh, const std::vector<std::string>& dimensions, int rank);

}  // namespace podsim::hlo::spmd::mesh
