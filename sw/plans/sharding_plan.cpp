// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/sharding_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace podsim::sw::plans {

hlo::spmd::mesh::Mesh ShardingPlan::mesh() const {
  std::vector<hlo::spmd::mesh::MeshAxis> named;
  for (std::size_t i = 0; i < axes.size(); ++i) named.push_back({std::string(1, char('a' + int(i))), axes[i]});
  return hlo::spmd::mesh::Mesh(std::move(named));
}

std::int64_t ShardingPlan::size(AxisSet set) const {
  std::int64_t size = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if ((set >> i & 1) != 0) size *= axes[i];
  }
  return size;
}

std::vector<AxisSet> divided(const ShardingPlan& plan, const hlo::spmd::propagate::ClassedArray& array) {
  const std::vector<AxisSet>& sets = array.kept ? plan.kept : plan.values;
  std::vector<AxisSet> by_dimension;
  AxisSet used = 0;
  for (const int of_class : array.classes) {
    const AxisSet set = of_class < 0 ? AxisSet(0) : AxisSet(sets[std::size_t(of_class)] & ~used);
    by_dimension.push_back(set);
    used = AxisSet(used | set);
  }
  return by_dimension;
}

std::string to_string(const ShardingPlan& plan) {
  const auto numbers = [](const std::vector<AxisSet>& sets) { return std::vector<int>(sets.begin(), sets.end()); };
  return fmt::format("{}:{}/{}", fmt::join(plan.axes, "x"), fmt::join(numbers(plan.values), "."),
                     fmt::join(numbers(plan.kept), "."));
}

}  // namespace podsim::sw::plans
