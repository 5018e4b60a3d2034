// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/collectives/patterns/pattern.h"

/// A phase of an all-to-all, along one dimension of n positions. A message starts at every position in both directions,
/// with a chunk for every position ahead; each position keeps its chunk and passes on the rest.
///
///      from 0    0 ==[1 2 3]==> 1 ==[2 3]==> 2 ==[3]==> 3        the same from every position, in both directions
///
/// All traffic is between neighbours, and at every moment a link carries messages of many lengths, so that its load is
/// even. Around a ring of even size the chunk for the opposite position goes half in each direction. After the
/// exchanges of all dimensions every chip has the blocks that are for it. In the last exchange a chunk has a part for
/// each core of the chip; the receiving core hands the other parts over.
///
///   steps                           floor(n/2) around a ring; n - 1 along a line
///   bytes per link and direction    ring: (n^2 - 1)/8 chunks for odd n, n^2/8 for even n (of an odd part the positive
///                                   direction has the longer half);
///                                   line: (i + 1)(n - 1 - i) chunks from position i to i + 1, and as many back; at
///                                   most floor(n^2/4), in the middle
///
/// These are the sums of the distances of all pairs of positions, divided among the links that shortest routes cross.
///
///   modelled time    max(w + a s, b s + time of a chunk on a link)
///
/// where w is the time of the bytes above on the busiest link for all cores and stripes, and s the time of a segment of
/// n/4 chunks, plus L; around a ring a = 1 and b = n/2, along a line a = n/2 and b = n - 1. Either the busiest link is
/// busy all the time, and its last message goes on to the end of the line; or the message with the longest route takes
/// longest.
namespace podsim::sw::collectives::patterns {

/// Precondition: two positions at least; `parts` divides a chunk.
class Exchange : public Pattern {
 public:
  /// Parts of a chunk, one for each core of a chip, and the elements of one.
  std::int32_t parts() const { return parts_; }
  std::int64_t part() const { return chunk() / parts_; }
  /// The position where a segment started.
  virtual std::int32_t source(const Segment& segment, std::int32_t position) const = 0;
  /// The number of chunks that a segment brings: that for `position` and those for the positions ahead.
  virtual std::int32_t chunks(const Segment& segment, std::int32_t position) const = 0;
  /// The elements that a segment has of each part of the chunk for `steps` positions ahead.
  virtual ElementRange slice(const Segment& segment, std::int32_t steps) const = 0;

  /// The elements that stay here, for the first part of a chunk. Chunks are numbered by source().
  ElementRange range(const Segment& segment, std::int32_t position) const override;
  std::int64_t elements(const Segment& segment, std::int32_t position) const override;
  std::int64_t kept(const Segment& segment, std::int32_t) const override { return slice(segment, 0).count; }
  std::int64_t handed_over(const Segment& segment) const override { return parts_ > 1 ? slice(segment, 0).count : 0; }
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  /// `longest`: chunks of a flow's first message, which is the longest.
  Exchange(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, std::int32_t parts,
           std::int32_t longest, const SegmentLengths& lengths);

  /// Terms of the modelled time: chunks on the busiest link, and the factors a and b.
  struct Load {
    double chunks, last_steps, all_steps;
  };
  virtual Load load(double n) const = 0;

 private:
  std::int32_t parts_;
};

/// `distance` of a segment: steps from its source.
class RingExchange final : public Exchange {
 public:
  RingExchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t) const override { return 2; }
  Segment origin(std::int32_t, std::int32_t i) const override { return {.direction = i == 0 ? +1 : -1, .distance = 1}; }
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t) const override;
  std::int32_t source(const Segment& segment, std::int32_t position) const override;
  std::int32_t chunks(const Segment& segment, std::int32_t position) const override;
  ElementRange slice(const Segment& segment, std::int32_t steps) const override;
  std::optional<std::int32_t> step(const Segment& segment) const override { return segment.distance; }

 private:
  std::int32_t reach() const { return positions() / 2; }
  Load load(double n) const override { return {n * n / 8, 1, n / 2}; }
};

/// `distance` of a segment: its source.
class LineExchange final : public Exchange {
 public:
  LineExchange(const LogicalDimension& along, std::int64_t chunk, std::int32_t parts, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t position) const override;
  std::int32_t source(const Segment& segment, std::int32_t) const override { return segment.distance; }
  std::int32_t chunks(const Segment& segment, std::int32_t position) const override;
  ElementRange slice(const Segment& segment, std::int32_t steps) const override;

 private:
  Load load(double n) const override;
};

}  // namespace podsim::sw::collectives::patterns
