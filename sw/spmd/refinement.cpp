// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/refinement.h"

#include <algorithm>

namespace podsim::sw {

void FactorShards::reset(std::size_t factors) {
  known_.assign(factors, false);
  if (sub_axes_.size() < factors) sub_axes_.resize(factors);
}

void FactorShards::read(const Mesh& mesh, const OpRule& rule, const OpRule::Array& array,
                        const AxisSharding& sharding) {
  for (std::size_t d = 0; d < array.size(); ++d) {
    const SubAxes& sub_axes = sharding.dimensions[d];
    if (array[d].size() == 1) {
      known_[std::size_t(array[d][0])] = true;
      sub_axes_[std::size_t(array[d][0])] = sub_axes;
      continue;
    }
    std::size_t next = 0;
    for (const int factor : array[d]) {
      std::int64_t left = rule.factors[std::size_t(factor)].size;
      SubAxes& taken = sub_axes_[std::size_t(factor)];
      taken.clear();
      while (next < sub_axes.size() && left % mesh.size(sub_axes[next]) == 0) {
        left /= mesh.size(sub_axes[next]);
        taken.push_back(sub_axes[next++]);
      }
      known_[std::size_t(factor)] = true;
      // Below a factor that is not cut to single elements, nothing can be told of the next.
      if (left > 1) break;
    }
  }
}

bool append_shards(const Mesh& mesh, const SubAxes& longer, std::int64_t elements, bool evenly, std::uint32_t& used,
                   SubAxes& list) {
  if (longer.size() <= list.size() || !std::equal(list.begin(), list.end(), longer.begin())) return false;
  std::int64_t shards = mesh.size(list);
  const std::size_t before = list.size();
  for (std::size_t i = before; i < longer.size(); ++i) {
    const std::uint32_t bit = std::uint32_t(1) << longer[i];
    shards *= mesh.size(longer[i]);
    if ((used & bit) != 0 || shards > elements || (evenly && elements % shards != 0)) break;
    used |= bit;
    list.push_back(longer[i]);
  }
  return list.size() > before;
}

std::uint32_t used_bits(const AxisSharding& sharding) {
  std::uint32_t bits = 0;
  for (const SubAxes& sub_axes : sharding.dimensions) {
    for (const SubAxis sub_axis : sub_axes) bits |= std::uint32_t(1) << sub_axis;
  }
  return bits;
}

}  // namespace podsim::sw
