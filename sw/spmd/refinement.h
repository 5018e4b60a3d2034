// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sw/spmd/axis_sharding.h"
#include "sw/spmd/op_rule.h"

/// The sharding of one array of an op from that of another.
namespace podsim::sw {

/// For each factor of a rule the sub-axes that cut it; a factor that an array lacks, or that is cut in no way that
/// falls on its borders, is not `known`.
class FactorShards {
 public:
  void reset(std::size_t factors);
  /// What an array's sharding says. The sub-axes of a dimension of several factors go to the major one until it is cut
  /// to single elements, then to the next; only what divides.
  void read(const Mesh& mesh, const OpRule& rule, const OpRule::Array& array, const AxisSharding& sharding);

  bool is_known(int factor) const { return known_[std::size_t(factor)]; }
  const SubAxes& of(int factor) const { return sub_axes_[std::size_t(factor)]; }

 private:
  std::vector<bool> known_;
  std::vector<SubAxes> sub_axes_;
};

/// `list` with what `longer` has beyond it, if it is its beginning: only sub-axes that `used` lacks, and no more shards
/// than `elements`; if `evenly`, only while the shards divide. Whether it became longer.
bool append_shards(const Mesh& mesh, const SubAxes& longer, std::int64_t elements, bool evenly, std::uint32_t& used,
                   SubAxes& list);

/// The sub-axes of a sharding, one bit each.
std::uint32_t used_bits(const AxisSharding& sharding);

}  // namespace podsim::sw
