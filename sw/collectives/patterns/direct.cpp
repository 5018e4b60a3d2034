// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/direct.h"

#include <algorithm>

namespace podsim::sw::collectives::patterns {
namespace {

/// Share of a link's rate that an all-to-all of direct sends reaches when it fills all queues: at packet level 0.73
/// (4x4, 1 MiB) to 0.50 (8x8, 4 MiB).
constexpr double saturated_throughput = 0.6;

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
  segments_[0] = segments_for(block, most);
}

ElementRange Direct::range(const Segment& segment, std::int32_t) const {
  return segment_range(chunk(), segments_[0], segment.number);
}

base::Duration Direct::modelled_time(const LinkCosts& costs, int stripes) const {
  double most = 1, hops = 0;
  const double chips = double(positions()) / costs.cores;
  for (const LogicalDimension& along : dimensions_) {
    const double n = along.size;
    const double crossing = along.physical >= 0 && along.closed ? n * n / 8 : n * n / 4;
    most = std::max(most, crossing * chips / n * costs.cores * costs.cores * std::max(1, along.stride));
    hops += n / 2;
  }
  return base::Duration(most * costs.bytes(chunk()) * stripes / (saturated_throughput * costs.rate.si()) +
                        hops * costs.hop_latency.si() + costs.dma_latency.si());
}

}  // namespace podsim::sw::collectives::patterns
