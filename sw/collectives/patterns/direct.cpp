// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/direct.h"

#include <algorithm>
#include <cmath>

namespace podsim::sw::collectives::patterns {
namespace {

/// All members as one closed dimension.
LogicalDimension members(const std::vector<LogicalDimension>& dimensions, int cores) {
  LogicalDimension all{.size = cores};
  for (const LogicalDimension& along : dimensions) all.size *= along.size;
  return all;
}

}  // namespace

Direct::Direct(std::string_view name, const std::vector<LogicalDimension>& dimensions, int cores, std::int64_t block,
               std::int64_t most)
    : Pattern({.name = name, .shape = "direct sends", .to_neighbours = false, .uniform = true},
              members(dimensions, cores), block),
      dimensions_(dimensions) {
  cuts_[0] = Cut::of(block, 1, 1, most);
}

ElementRange Direct::range(const Segment& segment, std::int32_t) const {
  return cut(+1).range(chunk(), segment.number);
}

base::Duration Direct::modelled_time(const LinkCosts& costs, int stripes) const {
  double most = 1, hops = 0, sent = 1;
  const double chips = double(positions()) / costs.cores;
  for (const LogicalDimension& along : dimensions_) {
    const double n = along.size;
    const bool ring = along.physical >= 0 && along.closed;
    const double crossing = ring ? n * n / 8 : n * n / 4;
    most = std::max(most, crossing * chips / n * costs.cores * costs.cores * std::max(1, along.stride));
    const bool line = along.physical >= 0 && !along.closed;
    hops += (line ? n - 1 : std::floor(n / 2)) * std::max(1, along.stride);
    sent = line ? 1 : 0.5;
  }
  const double busy = most * costs.bytes(chunk()) * stripes / costs.rate.si();
  const double far = std::max(0.0, hops - 1) * costs.hop_latency.si();
  return base::Duration(std::max(busy, sent * busy + far) + costs.dma_latency.si());
}

}  // namespace podsim::sw::collectives::patterns
