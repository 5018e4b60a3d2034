// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/patterns/exchange.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace podsim::sw::collectives::patterns {
namespace {

// A position passes on a segment as soon as it is there: with 16 segments, after 1/16 of the message.
constexpr std::int64_t most_segments_by_length = 16;

std::int32_t segments_of_message(std::int64_t longest, const SegmentLengths& lengths) {
  const std::int64_t wanted = std::clamp<std::int64_t>(longest / lengths.link, 1, most_segments_by_length);
  return std::max(std::int32_t(wanted), segments_for(longest, lengths.most));
}

}  // namespace

Exchange::Exchange(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, std::int32_t parts,
                   std::int32_t longest, const SegmentLengths& lengths)
    : Pattern(traits, along, chunk), parts_(parts) {
  assert(along.size >= 2 && chunk % parts == 0);
  segments_.fill(segments_of_message(chunk * longest, lengths));
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
  const double step =
      n / 4 * chunk_bytes / segments_[0] / rate + costs.dma_latency.si() + (hops - 1) * costs.hop_latency.si();
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
  return std::int64_t(reach()) * (segments_[0] + segments_[1]);
}

std::int32_t RingExchange::source(const Segment& segment, std::int32_t position) const {
  return around(position - segment.direction * segment.distance);
}

std::int32_t RingExchange::chunks(const Segment& segment, std::int32_t) const { return reach() - segment.distance + 1; }

ElementRange RingExchange::slice(const Segment& segment, std::int32_t steps) const {
  ElementRange all{0, part()};
  if (2 * (segment.distance + steps) == positions()) {
    const std::int64_t half = part() / 2;
    all = segment.direction > 0 ? ElementRange{0, part() - half} : ElementRange{part() - half, half};
  }
  const ElementRange within = segment_range(all.count, segments(segment.direction), segment.number);
  return {all.begin + within.begin, within.count};
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
  return std::int64_t(position) * segments_[0] + std::int64_t(positions() - 1 - position) * segments_[1];
}

std::int32_t LineExchange::chunks(const Segment& segment, std::int32_t position) const {
  return segment.direction > 0 ? positions() - position : position + 1;
}

ElementRange LineExchange::slice(const Segment& segment, std::int32_t) const {
  return segment_range(part(), segments(segment.direction), segment.number);
}

Exchange::Load LineExchange::load(double n) const { return {std::floor(n * n / 4), n / 2, n - 1}; }

}  // namespace podsim::sw::collectives::patterns
