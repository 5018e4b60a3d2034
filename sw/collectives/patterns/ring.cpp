// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/ring.h"

#include <algorithm>
#include <cassert>

namespace podsim::sw::collectives::patterns {
namespace {

Pattern::Traits ring_traits(std::string_view name, bool reduces, const RingSplit& split) {
  return {.name = name, .shape = split.directions == 1 ? "one-way ring" : "ring", .reduces = reduces, .uniform = true};
}

}  // namespace

Ring::Ring(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const RingSplit& split,
           std::int64_t most)
    : Pattern(traits, along, chunk), directions_(split.directions), flow_{chunk, 0} {
  assert(along.size >= 2 && chunk >= 1);
  cuts_[0] = {chunk, 1};
  if (directions_ == 1) return;
  flow_ = {chunk - chunk / 2, chunk / 2};
  for (std::size_t i = 0; i < flow_.size(); ++i) cuts_[i] = Cut::of(flow_[i], split.two_segments ? 2 : 1, 1, most);
}

std::int64_t Ring::elements(const Segment& segment, std::int32_t) const {
  return cut(segment.direction).range(flow_[segment.direction < 0], segment.number).count;
}

ElementRange Ring::part_of(std::int32_t owner, const Segment& segment) const {
  const bool second = segment.direction < 0;
  const ElementRange within = cut(segment.direction).range(flow_[second], segment.number);
  return {owner * chunk() + (second ? flow_[0] : 0) + within.begin, within.count};
}

base::Duration Ring::modelled_time(const LinkCosts& costs, int stripes) const {
  const double in_flight = stripes * cuts_[0].segments;
  double wire = costs.bytes(chunk()) * stripes / costs.rate.si() / directions_;
  // An open dimension's ring comes back over all its links.
  wire *= along().physical < 0 ? 2 : along().stride * (along().closed || directions_ == 1 ? 1 : 2);
  const double step = std::max(wire, wire / in_flight + latency(costs, costs.bytes(cuts_[0].length)));
  const double return_hops = along().physical >= 0 && !along().closed ? (positions() - 2) * along().stride : 0;
  return base::Duration((positions() - 1) * step + return_hops * costs.hop_latency.si());
}

RingReduceScatter::RingReduceScatter(const LogicalDimension& along, std::int64_t chunk, const RingSplit& split,
                                     std::int64_t most)
    : Ring(ring_traits("reduce-scatter", true, split), along, chunk, split, most) {}

std::optional<Segment> RingReduceScatter::onward(const Segment& segment, std::int32_t) const {
  if (segment.distance == 0) return std::nullopt;
  Segment next = segment;
  --next.distance;
  return next;
}

ElementRange RingReduceScatter::range(const Segment& segment, std::int32_t position) const {
  return part_of(around(position + segment.direction * segment.distance), segment);
}

RingAllGather::RingAllGather(const LogicalDimension& along, std::int64_t chunk, const RingSplit& split,
                             std::int64_t most)
    : Ring(ring_traits("all-gather", false, split), along, chunk, split, most) {}

std::optional<Segment> RingAllGather::onward(const Segment& segment, std::int32_t) const {
  if (segment.distance == positions() - 1) return std::nullopt;
  Segment next = segment;
  ++next.distance;
  return next;
}

std::int64_t RingAllGather::completions(std::int32_t) const {
  return std::int64_t(positions() - 1) * (segments(+1) + segments(-1));
}

ElementRange RingAllGather::range(const Segment& segment, std::int32_t position) const {
  return part_of(around(position - segment.direction * segment.distance), segment);
}

}  // namespace podsim::sw::collectives::patterns
