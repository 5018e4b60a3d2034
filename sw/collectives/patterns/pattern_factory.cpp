// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/pattern_factory.h"

#include <algorithm>

#include "sw/collectives/patterns/broadcast.h"
#include "sw/collectives/patterns/direct.h"
#include "sw/collectives/patterns/line.h"
#include "sw/collectives/patterns/ring.h"

namespace podsim::sw::collectives::patterns {
bool PatternFactory::on_line(const LogicalDimension& along) const {
  if (algorithm_ == Algorithm::ring || algorithm_ == Algorithm::one_way_ring || along.physical < 0) return false;
  return algorithm_ == Algorithm::line || !along.closed;
}

template <class OnRing, class OnLine>
std::unique_ptr<const Pattern> PatternFactory::scattered(const LogicalDimension& along, std::int64_t chunk) const {
  if (on_line(along)) return std::make_unique<OnLine>(along, chunk, lengths_);
  const RingSplit split{.directions = directions(), .two_segments = stripes_per_link_ == 1 && along.closed};
  return std::make_unique<OnRing>(along, chunk, split, lengths_.most);
}

std::unique_ptr<const Pattern> PatternFactory::reduce_scatter(const LogicalDimension& along, std::int64_t chunk) const {
  return scattered<RingReduceScatter, LineReduceScatter>(along, chunk);
}

std::unique_ptr<const Pattern> PatternFactory::all_gather(const LogicalDimension& along, std::int64_t chunk) const {
  return scattered<RingAllGather, LineAllGather>(along, chunk);
}

std::unique_ptr<const Exchange> PatternFactory::exchange(const LogicalDimension& along, std::int64_t chunk,
                                                         std::int32_t parts) const {
  if (on_line(along)) return std::make_unique<LineExchange>(along, chunk, parts, lengths_);
  return std::make_unique<RingExchange>(along, chunk, parts, lengths_);
}

std::unique_ptr<const Pattern> PatternFactory::broadcast(const LogicalDimension& along, std::int64_t payload) const {
  // Around a ring of one direction, the textbook's algorithm, the payload is one message.
  const std::int64_t most = directions() == 1 ? payload : std::min(lengths_.link, lengths_.most);
  if (on_line(along)) return std::make_unique<LineBroadcast>(along, payload, most);
  return std::make_unique<RingBroadcast>(along, payload, most, directions());
}

std::unique_ptr<const Pattern> PatternFactory::direct(const std::vector<LogicalDimension>& dimensions, int cores,
                                                      std::int64_t block) const {
  return std::make_unique<Direct>(dimensions, cores, block, lengths_.most);
}

std::unique_ptr<const Pattern> PatternFactory::permute(std::int64_t elements) const {
  return std::make_unique<Permute>(elements, lengths_);
}

}  // namespace podsim::sw::collectives::patterns
