// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sw/collectives/patterns/pattern.h"

/// Broadcast along one dimension, pipelined in segments. A segment that arrives is forwarded along its dimension and
/// starts along all later ones, so that the phases of all dimensions are one tree (ScheduleWalker).
///
///      ring    3 <-- 2 <-- root --> 4 --> 5 --> 0     n/2 steps in positive direction, (n - 1)/2 in negative
///      line    0 <-- 1 <-- root --> 3 --> 4 --> 5     to both ends
///
///   steps            ring: floor(n/2), in one direction n - 1; line: n - 1 from an end
///   bytes            payload, over each of the n - 1 links of the tree, away from the root
///
///   modelled time    steps (m / b + L) + w
///
/// with m / b the time of a message and w that of the payload of all stripes on a link: a pipeline that fills in
/// `steps` messages and then runs at the rate of a link (J. Watts and R. van de Geijn, A pipelined broadcast for
/// multidimensional meshes, Parallel Processing Letters 5(2), 1995).
namespace podsim::sw::collectives::patterns {

/// `distance` of a segment: steps from the position where it started. Its chunk is the whole payload, in segments of
/// `most` elements.
class Broadcast : public Pattern {
 public:
  std::int64_t payload() const override { return chunk(); }
  std::int32_t origins(std::int32_t position) const override;
  Segment origin(std::int32_t position, std::int32_t i) const override;
  std::optional<Segment> onward(const Segment& segment, std::int32_t position) const override;
  std::int64_t completions(std::int32_t) const override { return segments(+1); }
  ElementRange range(const Segment& segment, std::int32_t position) const override;
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  Broadcast(std::string_view shape, const LogicalDimension& along, std::int64_t payload, std::int64_t most)
      : Pattern({.name = "broadcast", .shape = shape}, along, payload) {
    cuts_.fill(Cut::of(payload, 1, 1, most));
  }
  /// Whether a segment that has gone `distance` steps in a direction is forwarded by a position.
  virtual bool goes_on(int direction, std::int32_t distance, std::int32_t position) const = 0;
  /// Steps that the modelled time counts.
  virtual std::int32_t steps() const = 0;
};

class RingBroadcast final : public Broadcast {
 public:
  /// `directions`: 2, or 1 for the positive one alone.
  RingBroadcast(const LogicalDimension& along, std::int64_t payload, std::int64_t most, int directions);

  std::optional<std::int32_t> step(const Segment& segment) const override { return segment.distance; }

 private:
  bool goes_on(int direction, std::int32_t distance, std::int32_t) const override {
    return distance < reach_[direction < 0];
  }
  std::int32_t steps() const override { return reach_[0]; }

  std::array<std::int32_t, 2> reach_;  ///< steps in positive and in negative direction
};

class LineBroadcast final : public Broadcast {
 public:
  LineBroadcast(const LogicalDimension& along, std::int64_t payload, std::int64_t most);

 private:
  bool goes_on(int direction, std::int32_t, std::int32_t position) const override {
    return direction > 0 ? position < positions() - 1 : position > 0;
  }
  std::int32_t steps() const override { return positions() - 1; }
};

}  // namespace podsim::sw::collectives::patterns
