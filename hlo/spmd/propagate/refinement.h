// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hlo/spmd/mesh/axis_sharding.h"
#include "hlo/spmd/propagate/op_rule.h"

/// Derives the sharding of one array of an op from that of another.
namespace podsim::hlo::spmd::propagate {

/// For each factor of a rule, the sub-axes that it is split over in an array. A factor is not known if the array lacks
/// it, or if it follows a factor of the same dimension that is not split to single elements.
class FactorShards {
 public:
  void reset(std::size_t factors);
  /// Reads the factors of an array from its sharding. The sub-axes of a dimension of several factors are assigned to
  /// the major one, as long as they divide it, until it is split to single elements, and then to the next.
  void read(const mesh::Mesh& mesh, const OpRule& rule, const OpRule::Array& array, const mesh::AxisSharding& sharding);

  bool is_known(int factor) const { return known_[std::size_t(factor)]; }
  const mesh::SubAxes& of(int factor) const { return sub_axes_[std::size_t(factor)]; }

 private:
  std::vector<bool> known_;
  std::vector<mesh::SubAxes> sub_axes_;
};

/// If `list` is a prefix of `longer`, appends the remaining sub-axes of `longer`, up to the first that is in `used`,
/// that would give more shards than `elements`, or, if `evenly`, that would not divide evenly. Adds them to `used`.
/// Returns true if any was appended.
bool append_shards(const mesh::Mesh& mesh, const mesh::SubAxes& longer, std::int64_t elements, bool evenly,
                   std::uint32_t& used, mesh::SubAxes& list);

/// The sub-axes that a sharding uses, one bit each.
std::uint32_t used_bits(const mesh::AxisSharding& sharding);

}  // namespace podsim::hlo::spmd::propagate
