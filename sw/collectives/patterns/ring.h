// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/collectives/patterns/pattern.h"

/// Reduce-scatter and all-gather around a ring of n positions: P. Patarasuk and X. Yuan, Bandwidth optimal all-reduce
/// algorithms for clusters of workstations, J. Parallel Distrib. Comput. 69(2), 2009.
///
///      .--> 0 --> 1 --> 2 --> 3 --.     the first part of every chunk, and in the opposite direction
///      '--------------------------'     its second part (one direction: the whole chunk)
///
/// Each chunk visits all positions. A reduce-scatter starts it at the position after its owner, every position adds its
/// contribution, and it ends at its owner; an all-gather starts it at its owner, and every position keeps a copy.
///
///   steps                           n - 1
///   bytes per link and direction    (n - 1) chunk / 2, which is (n - 1)/n of half the payload (of an odd chunk the
///                                   positive direction has the longer half); in one direction (n - 1) chunk
///
/// An open dimension is closed by a message back along all links, so that its links carry both directions of the ring.
///
///   modelled time    (n - 1) max(w, w / (stripes segments) + L) + return hops
///
/// with w the time of a chunk of all stripes on a link, and L the latency between dependent messages. Neighbours that
/// are `stride` links apart share every link with stride - 1 other groups; the return hops are (n - 2) stride hop
/// latencies on an open dimension.
namespace podsim::sw::collectives::patterns {

/// The division of a chunk between the directions of a ring.
struct RingSplit {
  int directions = 2;         ///< 2: a half in each; 1: the whole chunk, as one message, in positive direction
  bool two_segments = false;  ///< flows have two segments at least
};

/// Precondition: two positions at least.
class Ring : public Pattern {
 public:
  Ring(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const RingSplit& split,
       std::int64_t most);

  std::int32_t origins(std::int32_t) const override { return segments(-1) > 0 ? 2 : 1; }
  std::int64_t elements(const Segment& segment, std::int32_t position) const override;
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  /// The part of the chunk of position `owner` that a segment has.
  ElementRange part_of(std::int32_t owner, const Segment& segment) const;
  static Segment started(std::int32_t i, std::int32_t distance) {
    return {.direction = i == 0 ? +1 : -1, .distance = distance};
  }

 private:
  int directions_;
  std::array<std::int64_t, 2> flow_;  ///< elements of a chunk in positive and in negative direction
};

/// `distance` of a segment: steps to go to the chunk's owner.
class RingReduceScatter final : public Ring {
 public:
  RingReduceScatter(const LogicalDimension& along, std::int64_t chunk, const RingSplit& split, std::int64_t most);

  Segment origin(std::int32_t, std::int32_t i) const override { return started(i, positions() - 2); }
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  bool ends_here(const Segment& segment, std::int32_t) const override { return segment.distance == 0; }
  std::int64_t completions(std::int32_t) const override { return segments(+1) + segments(-1); }
  ElementRange range(const Segment& segment, std::int32_t position) const override;
  std::optional<std::int32_t> step(const Segment& segment) const override { return positions() - 1 - segment.distance; }
};

/// `distance` of a segment: steps from the chunk's owner.
class RingAllGather final : public Ring {
 public:
  RingAllGather(const LogicalDimension& along, std::int64_t chunk, const RingSplit& split, std::int64_t most);

  Segment origin(std::int32_t, std::int32_t i) const override { return started(i, 1); }
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t) const override;
  ElementRange range(const Segment& segment, std::int32_t position) const override;
  std::optional<std::int32_t> step(const Segment& segment) const override { return segment.distance; }
};

}  // namespace podsim::sw::collectives::patterns
