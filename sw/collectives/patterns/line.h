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
/// Chunks too short for a message travel several at a time: message k has chunks [k g, (k + 1) g). It loses the chunk
/// of each owner that it passes (reduce-scatter) or gains it (all-gather).
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

/// Preconditions: two positions at least, along a dimension of the slice. `distance` of a segment is the number k of
/// its message. Where a message has several chunks, each flow is one segment.
class Line : public Pattern {
 public:
  /// Messages have at least `lengths.least` elements where there are chunks enough. A chunk travels whole unless it is
  /// longer than `lengths.most`: a link carries other chunks while one of them is seen and summed.
  Line(const Traits& traits, const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  ElementRange range(const Segment& segment, std::int32_t position) const override;
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  struct Chunks {
    std::int32_t first, end;
  };
  /// The chunks [first, end) that a segment brings to a position.
  virtual Chunks chunks_at(const Segment& segment, std::int32_t position) const = 0;
  /// All chunks of the message.
  Chunks chunks_of(const Segment& segment) const;
  std::int32_t last() const { return positions() - 1; }
  bool ends_at(int direction, std::int32_t position) const { return position == (direction > 0 ? last() : 0); }
  /// The number of the message that a chunk is in, and the number of all messages.
  std::int32_t message_of(std::int32_t chunk) const { return chunk / chunks_per_message_; }
  std::int32_t messages() const { return message_of(last()) + 1; }
  std::int32_t chunks_per_message() const { return chunks_per_message_; }

 private:
  std::int32_t chunks_per_message_;
};

class LineReduceScatter final : public Line {
 public:
  LineReduceScatter(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  bool ends_here(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t position) const override;
  std::int64_t kept(const Segment& segment, std::int32_t position) const override;
  /// All, except that of its own chunk a position adds its contribution to one of the two flows only: that from below.
  std::int64_t contributed(const Segment& segment, std::int32_t position) const override;

 private:
  Chunks chunks_at(const Segment& segment, std::int32_t position) const override;
};

class LineAllGather final : public Line {
 public:
  LineAllGather(const LogicalDimension& along, std::int64_t chunk, const SegmentLengths& lengths);

  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t position) const override;

 private:
  /// A message starts where its first chunk is; the owners of its other chunks add theirs when it passes.
  bool starts(int direction, std::int32_t position) const;
  Chunks chunks_at(const Segment& segment, std::int32_t position) const override;
};

}  // namespace podsim::sw::collectives::patterns
