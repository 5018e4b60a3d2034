// SPDX-License-Identifier: Apache-2.0
#include "workloads/streams/alias_table.h"

#include <algorithm>
#include <numeric>

namespace podsim::workloads::streams {

AliasTable::AliasTable(const std::vector<double>& weights) : slots_(weights.size()) {
  const double scale = double(weights.size()) / std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> left(weights.size());
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    left[i] = weights[i] * scale;
    slots_[i] = {UINT32_MAX, i};
    (left[i] < 1 ? poor : rich).push_back(i);
  }
  while (!poor.empty() && !rich.empty()) {
    const std::uint32_t filled = poor.back(), giver = rich.back();
    poor.pop_back();
    slots_[filled] = {std::uint32_t(std::min(left[filled] * 0x1p32, double(UINT32_MAX))), giver};
    left[giver] -= 1 - left[filled];
    if (left[giver] >= 1) continue;
    rich.pop_back();
    poor.push_back(giver);
  }
}

}  // namespace podsim::workloads::streams
