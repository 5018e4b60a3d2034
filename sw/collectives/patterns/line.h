// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/collectives/patterns/pattern.h"

/// Reduce-scatter and all-gather along a line of n positions, in both directions at once.
///
///      reduce-scatter    0 ==[1 2 3]==> 1 ==[2 3]==> 2 ==[3]==> 3     and in the opposite direction
///                        0 <==[0]== 1 <==[0 1]== 2 <==[0 1 2]== 3
///      all-gather        0 ==[0]==> 1 ==[0 1]==> 2 ==[0 1 2]==> 3     and in the opposite direction
///                        0 <==[1 2 3]== 1 <==[2 3]== 2 <==[3]== 3     [chunks that cross the link]
///
/// In a reduce-scatter the ends start partial sums of all other chunks, the farthest first; each position adds its
/// contribution, and the owner of a chunk adds the sums from both sides. In an all-gather each owner starts its chunk
/// in both directions.
///
///   steps                     n - 1
///   bytes between positions   reduce-scatter: (n - 1 - i) chunks from i to i + 1, and (i + 1) chunks back;
///   i and i + 1               all-gather: (i + 1) chunks from i to i + 1, and (n - 1 - i) chunks back
///
/// Less is not possible: the contributions of all positions up to i to each of the n - 1 - i owners beyond have to
/// cross the link, at best as one sum. The link at an end carries (n - 1)/n of the payload in one direction.
///
///   modelled time             (n - 1) (max(stride w, m / b) + L)
///
/// with w the time of a chunk of all stripes on a link, m / b that of one message, and L the latency between dependent
/// messages. Neighbours that are `stride` links apart share each link with stride - 1 other groups.
namespace podsim::sw::collectives::patterns {

/// Preconditions: two positions at least, along a dimension of the slice. `distance` of a segment is the number of its
/// chunk, which is that of its owner. A chunk travels whole unless it is longer than `lengths.most`: a link carries
/// other chunks while one of them is seen and summed.
class Line : public Pattern {
 public:
  Line(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  ElementRange range(const Segment& segment, std::int32_t position) const override;
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  std::int32_t last() const { return positions() - 1; }
  bool ends_at(int direction, std::int32_t position) const { return position == (direction > 0 ? last() : 0); }
};

class LineReduceScatter final : public Line {
 public:
  LineReduceScatter(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  bool ends_here(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t position) const override;
  /// All, except that of its own chunk a position adds its contribution to one of the two flows only: that from below.
  std::int64_t contributed(const Segment& segment, std::int32_t position) const override;
};

class LineAllGather final : public Line {
 public:
  LineAllGather(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t position) const override;
};

}  // namespace podsim::sw::collectives::patterns
