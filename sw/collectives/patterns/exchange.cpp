// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/exchange.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace podsim::sw::collectives::patterns {
namespace {

// A position passes on a segment as soon as it arrives: with 16 segments, after 1/16 of the message.
constexpr std::int64_t max_segments_by_length = 16;

/// Divides a part into slices: a segment has one slice of every part of its chunks. Slices of the longest message are
/// as long as a link carries during one latency, and longer where that would be too many.
Cut slices(std::int64_t part, std::int64_t parts_of_longest, const SegmentLengths& lengths) {
  const auto elements = [&](std::int64_t message) { return std::max<std::int64_t>(1, message / parts_of_longest); };
  return Cut::of(part, max_segments_by_length, elements(lengths.link), elements(lengths.most));
}

}  // namespace

Exchange::Exchange(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, std::int32_t parts,
                   std::int32_t longest, const SegmentLengths& lengths)
    : Pattern(traits, along, chunk), parts_(parts) {
  assert(along.size >= 2 && chunk % parts == 0);
  cuts_.fill(slices(chunk / parts, longest * parts, lengths));
}

ElementRange Exchange::range(const Segment& segment, std::int32_t position) const {
  const ElementRange here = slice(segment, 0);
  return {source(segment, position) * chunk() + here.begin, here.count};
}

std::int64_t Exchange::elements(const Segment& segment, std::int32_t position) const {
  // Only the last chunk may be half of one.
  const std::int32_t last = chunks(segment, position) - 1;
  const std::int64_t before = last > 0 ? last * slice(segment, 0).count : 0;
  return (before + slice(segment, last).count) * parts_;
}

base::Duration Exchange::modelled_time(const LinkCosts& costs, int stripes) const {
  const double n = positions(), chunk_bytes = costs.bytes(chunk()), rate = costs.rate.si();
  const double hops = along().physical < 0 ? 2 : along().stride;
  const auto [chunks, last_steps, all_steps] = load(n);
  const double wire = chunks * chunk_bytes * stripes * costs.cores * hops / rate;
  const double step = n / 4 * costs.bytes(cuts_[0].length * parts_) / rate + costs.dma_latency.si() +
                      (hops - 1) * costs.hop_latency.si();
  return base::Duration(std::max(wire + last_steps * step, all_steps * step + chunk_bytes / rate));
}

RingExchange::RingExchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts,
                           const SegmentLengths& lengths)
    : Exchange({.name = "exchange", .shape = "ring", .passes_first = true, .uniform = true}, along, chunk, parts,
               along.size / 2, lengths) {}

std::optional<Segment> RingExchange::onward(const Segment& segment, std::int32_t) const {
  if (segment.distance == reach()) return std::nullopt;
  Segment next = segment;
  ++next.distance;
  return next;
}

std::int64_t RingExchange::completions(std::int32_t) const {
  return std::int64_t(reach()) * (segments(+1) + segments(-1));
}

std::int32_t RingExchange::source(const Segment& segment, std::int32_t position) const {
  return around(position - segment.direction * segment.distance);
}

std::int32_t RingExchange::chunks(const Segment& segment, std::int32_t) const { return reach() - segment.distance + 1; }

ElementRange RingExchange::slice(const Segment& segment, std::int32_t steps) const {
  const Cut& whole = cut(segment.direction);
  if (2 * (segment.distance + steps) != positions()) return whole.range(part(), segment.number);
  const Cut half{base::divide_round_up(whole.length, 2), whole.segments};
  const std::int64_t second = part() / 2, first = part() - second;
  if (segment.direction > 0) return half.range(first, segment.number);
  const ElementRange within = half.range(second, segment.number);
  return {first + within.begin, within.count};
}

LineExchange::LineExchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts,
                           const SegmentLengths& lengths)
    : Exchange({.name = "exchange", .shape = "line", .passes_first = true}, along, chunk, parts, along.size - 1,
               lengths) {}

std::int32_t LineExchange::origins(std::int32_t position) const {
  return position == 0 || position == positions() - 1 ? 1 : 2;
}

Segment LineExchange::origin(std::int32_t position, std::int32_t i) const {
  return {.direction = i == 0 && position < positions() - 1 ? +1 : -1, .distance = position};
}

std::optional<Segment> LineExchange::onward(const Segment& segment, std::int32_t position) const {
  return chunks(segment, position) == 1 ? std::nullopt : std::optional(segment);
}

std::int64_t LineExchange::completions(std::int32_t position) const {
  return std::int64_t(position) * segments(+1) + std::int64_t(positions() - 1 - position) * segments(-1);
}

std::int32_t LineExchange::chunks(const Segment& segment, std::int32_t position) const {
  return segment.direction > 0 ? positions() - position : position + 1;
}

ElementRange LineExchange::slice(const Segment& segment, std::int32_t) const {
  return cut(segment.direction).range(part(), segment.number);
}

Exchange::Load LineExchange::load(double n) const { return {std::floor(n * n / 4), n / 2, n - 1}; }

}  // namespace podsim::sw::collectives::patterns
