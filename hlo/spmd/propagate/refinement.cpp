// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/refinement.h"

#include <algorithm>

namespace podsim::hlo::spmd::propagate {

void FactorShards::reset(std::size_t factors) {
  known_.assign(factors, false);
  if (sub_axes_.size() < factors) sub_axes_.resize(factors);
}

void FactorShards::read(const mesh::Mesh& mesh, const OpRule& rule, const OpRule::Array& array,
                        const mesh::AxisSharding& sharding) {
  for (std::size_t d = 0; d < array.size(); ++d) {
    const mesh::SubAxes& sub_axes = sharding.dimensions[d];
    if (array[d].size() == 1) {
      known_[std::size_t(array[d][0])] = true;
      sub_axes_[std::size_t(array[d][0])] = sub_axes;
      continue;
    }
    std::size_t next = 0;
    for (const int factor : array[d]) {
      std::int64_t left = rule.factors[std::size_t(factor)].size;
      mesh::SubAxes& taken = sub_axes_[std::size_t(factor)];
      taken.clear();
      while (next < sub_axes.size() && left % mesh.size(sub_axes[next]) == 0) {
        left /= mesh.size(sub_axes[next]);
        taken.push_back(sub_axes[next++]);
      }
      known_[std::size_t(factor)] = true;
      // If a factor is not split to single elements, the sub-axes give no information about the next.
      if (left > 1) break;
    }
  }
}

bool append_shards(const mesh::Mesh& mesh, const mesh::SubAxes& longer, std::int64_t elements, bool evenly,
                   std::uint32_t& used, mesh::SubAxes& list) {
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

std::uint32_t used_bits(const mesh::AxisSharding& sharding) {
  std::uint32_t bits = 0;
  for (const mesh::SubAxes& sub_axes : sharding.dimensions) {
    for (const mesh::SubAxis sub_axis : sub_axes) bits |= std::uint32_t(1) << sub_axis;
  }
  return bits;
}

}  // namespace podsim::hlo::spmd::propagate
