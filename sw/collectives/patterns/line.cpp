// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/line.h"

#include <algorithm>
#include <cassert>

namespace podsim::sw::collectives::patterns {

Line::Line(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Pattern(traits, along, chunk) {
  assert(along.size >= 2 && along.physical >= 0 && chunk >= 1);
  cuts_.fill(Cut::of(chunk, 1, 1, lengths.most));
}

ElementRange Line::range(const Segment& segment, std::int32_t) const {
  const ElementRange within = cut(segment.direction).range(chunk(), segment.number);
  return {segment.distance * chunk() + within.begin, within.count};
}

base::Duration Line::modelled_time(const LinkCosts& costs, int stripes) const {
  const double wire = costs.bytes(chunk()) * stripes / costs.rate.si();
  const double message = costs.bytes(cuts_[0].length);
  const double longest = std::max(wire * along().stride, message / costs.rate.si());
  return base::Duration((positions() - 1) * (longest + latency(costs, message)));
}

LineReduceScatter::LineReduceScatter(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Line({.name = "reduce-scatter", .shape = "line", .reduces = true}, along, chunk, lengths) {}

std::int32_t LineReduceScatter::origins(std::int32_t position) const {
  return position == 0 || position == last() ? last() : 0;
}

Segment LineReduceScatter::origin(std::int32_t position, std::int32_t i) const {
  if (position == 0) return {.direction = +1, .distance = last() - i};
  return {.direction = -1, .distance = i};
}

std::optional<Segment> LineReduceScatter::onward(const Segment& segment, std::int32_t position) const {
  return ends_here(segment, position) ? std::nullopt : std::optional(segment);
}

bool LineReduceScatter::ends_here(const Segment& segment, std::int32_t position) const {
  return segment.distance == position;
}

std::int64_t LineReduceScatter::completions(std::int32_t position) const {
  return (position > 0 ? segments(+1) : 0) + (position < last() ? segments(-1) : 0);
}

std::int64_t LineReduceScatter::contributed(const Segment& segment, std::int32_t position) const {
  const bool from_above = segment.direction < 0 && position > 0;
  return from_above && ends_here(segment, position) ? 0 : elements(segment, position);
}

LineAllGather::LineAllGather(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Line({.name = "all-gather", .shape = "line"}, along, chunk, lengths) {}

std::int32_t LineAllGather::origins(std::int32_t position) const { return position == 0 || position == last() ? 1 : 2; }

Segment LineAllGather::origin(std::int32_t position, std::int32_t i) const {
  return {.direction = i == 0 && position < last() ? +1 : -1, .distance = position};
}

std::optional<Segment> LineAllGather::onward(const Segment& segment, std::int32_t position) const {
  return ends_at(segment.direction, position) ? std::nullopt : std::optional(segment);
}

std::int64_t LineAllGather::completions(std::int32_t position) const {
  return std::int64_t(position) * segments(+1) + std::int64_t(last() - position) * segments(-1);
}

}  // namespace podsim::sw::collectives::patterns
