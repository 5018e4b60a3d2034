// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/line.h"

#include <algorithm>
#include <cassert>

namespace podsim::sw::collectives::patterns {
namespace {

std::int32_t chunks_in_message(std::int64_t chunk, std::int32_t positions, const SegmentLengths& lengths) {
  const std::int64_t least = std::min(lengths.least, lengths.most);
  return std::int32_t(std::clamp<std::int64_t>(base::divide_round_up(least, chunk), 1, positions));
}

}  // namespace

Line::Line(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Pattern(traits, along, chunk), chunks_per_message_(chunks_in_message(chunk, along.size, lengths)) {
  assert(along.size >= 2 && along.physical >= 0 && chunk >= 1);
  cuts_.fill(Cut::of(chunk, 1, 1, lengths.most));
}

Line::Chunks Line::chunks_of(const Segment& segment) const {
  const std::int32_t first = segment.distance * chunks_per_message_;
  return {first, std::min(positions(), first + chunks_per_message_)};
}

ElementRange Line::range(const Segment& segment, std::int32_t position) const {
  const auto [first, end] = chunks_at(segment, position);
  if (chunks_per_message_ > 1) return {first * chunk(), (end - first) * chunk()};
  const ElementRange within = cut(segment.direction).range(chunk(), segment.number);
  return {first * chunk() + within.begin, within.count};
}

base::Duration Line::modelled_time(const LinkCosts& costs, int stripes) const {
  const double wire = costs.bytes(chunk()) * stripes / costs.rate.si();
  const double message = costs.bytes(cuts_[0].length) * chunks_per_message_;
  const double longest = std::max(wire * along().stride, message / costs.rate.si());
  return base::Duration((positions() - 1) * (longest + latency(costs, message)));
}

LineReduceScatter::LineReduceScatter(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Line({.name = "reduce-scatter", .shape = "line", .reduces = true}, along, chunk, lengths) {}

std::int32_t LineReduceScatter::origins(std::int32_t position) const {
  // The message with an end's own chunk starts there without it, if it has other chunks.
  if (position == 0) return messages() - (chunks_per_message() == 1 ? 1 : 0);
  return position == last() ? message_of(last() - 1) + 1 : 0;
}

Segment LineReduceScatter::origin(std::int32_t position, std::int32_t i) const {
  if (position == 0) return {.direction = +1, .distance = messages() - 1 - i};
  return {.direction = -1, .distance = i};
}

std::optional<Segment> LineReduceScatter::onward(const Segment& segment, std::int32_t position) const {
  if (ends_at(segment.direction, position)) return std::nullopt;
  const auto [first, end] = chunks_at(segment, position + segment.direction);
  return first < end ? std::optional(segment) : std::nullopt;
}

bool LineReduceScatter::ends_here(const Segment& segment, std::int32_t position) const {
  return message_of(position) == segment.distance;
}

std::int64_t LineReduceScatter::completions(std::int32_t position) const {
  return (position > 0 ? segments(+1) : 0) + (position < last() ? segments(-1) : 0);
}

std::int64_t LineReduceScatter::kept(const Segment& segment, std::int32_t position) const {
  return std::min(elements(segment, position), chunk());
}

std::int64_t LineReduceScatter::contributed(const Segment& segment, std::int32_t position) const {
  const std::int64_t all = elements(segment, position);
  if (segment.direction > 0 || position == 0 || !ends_here(segment, position)) return all;
  return chunks_per_message() > 1 ? all - chunk() : 0;
}

Line::Chunks LineReduceScatter::chunks_at(const Segment& segment, std::int32_t position) const {
  // Partial sums are on their way to owners ahead, or here.
  const auto [first, end] = chunks_of(segment);
  return segment.direction > 0 ? Chunks{std::max(first, position), end} : Chunks{first, std::min(end, position + 1)};
}

LineAllGather::LineAllGather(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths)
    : Line({.name = "all-gather", .shape = "line"}, along, chunk, lengths) {}

bool LineAllGather::starts(int direction, std::int32_t position) const {
  if (ends_at(direction, position)) return false;
  if (direction > 0) return position % chunks_per_message() == 0;
  return (position + 1) % chunks_per_message() == 0 || position == last();
}

std::int32_t LineAllGather::origins(std::int32_t position) const {
  return (starts(+1, position) ? 1 : 0) + (starts(-1, position) ? 1 : 0);
}

Segment LineAllGather::origin(std::int32_t position, std::int32_t i) const {
  return {.direction = i == 0 && starts(+1, position) ? +1 : -1, .distance = message_of(position)};
}

std::optional<Segment> LineAllGather::onward(const Segment& segment, std::int32_t position) const {
  return ends_at(segment.direction, position) ? std::nullopt : std::optional(segment);
}

std::int64_t LineAllGather::completions(std::int32_t position) const {
  const std::int64_t from_below = position > 0 ? message_of(position - 1) + 1 : 0;
  const std::int64_t from_above = position < last() ? messages() - message_of(position + 1) : 0;
  return from_below * segments(+1) + from_above * segments(-1);
}

Line::Chunks LineAllGather::chunks_at(const Segment& segment, std::int32_t position) const {
  // Finished chunks come from owners before this position.
  const auto [first, end] = chunks_of(segment);
  return segment.direction > 0 ? Chunks{first, std::min(end, position)} : Chunks{std::max(first, position + 1), end};
}

}  // namespace podsim::sw::collectives::patterns
