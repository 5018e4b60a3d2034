// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/broadcast.h"

#include <cassert>

namespace podsim::sw::collectives::patterns {

std::int32_t Broadcast::origins(std::int32_t position) const {
  return (goes_on(+1, 0, position) ? 1 : 0) + (goes_on(-1, 0, position) ? 1 : 0);
}

Segment Broadcast::origin(std::int32_t position, std::int32_t i) const {
  return {.direction = i == 0 && goes_on(+1, 0, position) ? +1 : -1, .distance = 1};
}

std::optional<Segment> Broadcast::onward(const Segment& segment, std::int32_t position) const {
  if (!goes_on(segment.direction, segment.distance, position)) return std::nullopt;
  Segment next = segment;
  ++next.distance;
  return next;
}

ElementRange Broadcast::range(const Segment& segment, std::int32_t) const {
  return cut(segment.direction).range(chunk(), segment.number);
}

base::Duration Broadcast::modelled_time(const LinkCosts& costs, int stripes) const {
  const double message = costs.bytes(cuts_[0].length), wire = costs.bytes(chunk()) * stripes / costs.rate.si();
  return base::Duration(steps() * (message / costs.rate.si() + latency(costs, message)) + wire);
}

RingBroadcast::RingBroadcast(const LogicalDimension& along, std::int64_t payload, std::int64_t most, int directions)
    : Broadcast(directions == 1 ? "one-way ring" : "ring", along, payload, most),
      reach_{along.size / 2, (along.size - 1) / 2} {
  assert(along.size >= 2);
  if (directions == 2) return;
  reach_ = {along.size - 1, 0};
  cuts_[1] = {};
}

LineBroadcast::LineBroadcast(const LogicalDimension& along, std::int64_t payload, std::int64_t most)
    : Broadcast("line", along, payload, most) {
  assert(along.size >= 2);
}

}  // namespace podsim::sw::collectives::patterns
