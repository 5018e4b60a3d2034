// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/axis_costs.h"

#include <algorithm>
#include <numeric>

#include "sw/collectives/engine/algorithm_choice.h"

namespace podsim::sw::plans {

const CollectiveLine& AxisCosts::line(collectives::CollectiveKind kind, const PlacedAxis& axis) {
  const auto [at, is_new] = lines_.try_emplace({kind, axis});
  if (is_new && axis.size > 1) {
    constexpr std::int64_t little = 256 << 10, much = 64 << 20;
    const double first = seconds(kind, axis, little), second = seconds(kind, axis, much);
    at->second.s_per_byte = std::max((second - first) / double(much - little), 0.0);
    at->second.latency_s = std::max(first - double(little) * at->second.s_per_byte, 0.0);
  }
  return at->second;
}

double AxisCosts::seconds(collectives::CollectiveKind kind, const PlacedAxis& axis, std::int64_t bytes) const {
  std::vector<std::vector<std::int32_t>> groups;
  for (std::int64_t core = 0; core < cores(); ++core) {
    if (core / axis.stride % axis.size != 0) continue;
    std::vector<std::int32_t>& group = groups.emplace_back();
    for (std::int64_t i = 0; i < axis.size; ++i) group.push_back(std::int32_t(core + i * axis.stride));
  }
  collectives::schedule::CollectiveRequest request;
  request.kind = kind;
  request.elements = bytes / 2;  // of bf16
  return collectives::engine::CollectiveTimes(machine_)
      .estimate(slice_, collectives::CollectiveGroups(std::move(groups)), request)
      .si();
}

std::vector<std::vector<PlacedAxis>> placed_axes(const std::vector<std::int64_t>& sizes) {
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::vector<std::vector<PlacedAxis>> all;
  do {
    std::vector<PlacedAxis> placed(sizes.size());
    std::int64_t stride = 1;
    for (const std::size_t axis : order) {
      placed[axis] = {sizes[axis], stride};
      stride *= sizes[axis];
    }
    if (std::ranges::find(all, placed) == all.end()) all.push_back(std::move(placed));
  } while (std::ranges::next_permutation(order).found);
  return all;
}

}  // namespace podsim::sw::plans
