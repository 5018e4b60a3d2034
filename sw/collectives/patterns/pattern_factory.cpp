// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/pattern_factory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "sw/collectives/patterns/broadcast.h"
#include "sw/collectives/patterns/direct.h"
#include "sw/collectives/patterns/line.h"
#include "sw/collectives/patterns/ring.h"

namespace podsim::sw::collectives::patterns {
namespace {

std::shared_ptr<const Pattern> checked(std::shared_ptr<const Pattern> pattern, const CustomAlgorithm& algorithm) {
  if (pattern && !pattern->to_neighbours()) {
    throw base::SimulationError(
        fmt::format("the {} of the algorithm {} sends to others than neighbours", pattern->name(), algorithm.name()));
  }
  return pattern;
}

}  // namespace

bool PatternFactory::on_line(const LogicalDimension& along) const {
  if (algorithm_ == Algorithm::ring || algorithm_ == Algorithm::one_way_ring || along.physical < 0) return false;
  return algorithm_ == Algorithm::line || !along.closed;
}

template <class OnRing, class OnLine>
std::shared_ptr<const Pattern> PatternFactory::scattered(const LogicalDimension& along, std::int64_t chunk) const {
  if (on_line(along)) return std::make_shared<OnLine>(along, chunk, lengths_);
  const RingSplit split{.directions = directions(), .two_segments = stripes_per_link_ == 1 && along.closed};
  return std::make_shared<OnRing>(along, chunk, split, lengths_.most);
}

std::shared_ptr<const Pattern> PatternFactory::reduce_scatter(const LogicalDimension& along, std::int64_t chunk) const {
  if (auto own = custom_ ? checked(custom_->reduce_scatter(along, chunk, lengths_), *custom_) : nullptr) return own;
  return scattered<RingReduceScatter, LineReduceScatter>(along, chunk);
}

std::shared_ptr<const Pattern> PatternFactory::all_gather(const LogicalDimension& along, std::int64_t chunk) const {
  if (auto own = custom_ ? checked(custom_->all_gather(along, chunk, lengths_), *custom_) : nullptr) return own;
  return scattered<RingAllGather, LineAllGather>(along, chunk);
}

std::shared_ptr<const Exchange> PatternFactory::exchange(const LogicalDimension& along, std::int64_t chunk,
                                                         std::int32_t parts) const {
  if (on_line(along)) return std::make_shared<LineExchange>(along, chunk, parts, lengths_);
  return std::make_shared<RingExchange>(along, chunk, parts, lengths_);
}

std::shared_ptr<const Pattern> PatternFactory::broadcast(const LogicalDimension& along, std::int64_t payload) const {
  if (auto own = custom_ ? checked(custom_->broadcast(along, payload, lengths_), *custom_) : nullptr) return own;
  // Around a ring of one direction, the textbook's algorithm, the payload is one message.
  const std::int64_t most = directions() == 1 ? payload : std::min(lengths_.link, lengths_.most);
  if (on_line(along)) return std::make_shared<LineBroadcast>(along, payload, most);
  return std::make_shared<RingBroadcast>(along, payload, most, directions());
}

std::shared_ptr<const Pattern> PatternFactory::direct(const std::vector<LogicalDimension>& dimensions, int cores,
                                                      std::int64_t block) const {
  return std::make_shared<Direct>(dimensions, cores, block, lengths_.most);
}

std::shared_ptr<const Pattern> PatternFactory::permute(std::int64_t elements) const {
  return std::make_shared<Permute>(elements, lengths_);
}

}  // namespace podsim::sw::collectives::patterns
