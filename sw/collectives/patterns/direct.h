// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sw/collectives/patterns/pattern.h"

/// Messages from member to member along the routes of the network. No member passes on data. In an all-to-all every
/// member sends a block to every other one, in the order of their distance, so that all messages of one distance
/// travel at the same time. Members are counted relative to the sender, cores of a chip fastest (CollectiveSchedule).
/// Where a destination is halfway around a ring, stripes differ in the direction they take.
///
///   steps            1, of n - 1 messages from each of the n members
///   bytes            n - 1 blocks sent and received by each member. With dimension-order routes the middle link of a
///                    line carries the blocks of n^2/4 pairs of positions, each link of a ring those of n^2/8
///
///   modelled time    max(w, a w + hops of the longest route after the first) + L
///
/// where w is the time of the bytes on the busiest link, and L the latency of a remote DMA, which has the first hop.
/// The members with the longest route are the last ones along an open dimension (a = 1), and halfway around a closed
/// one (a = 1/2); the last dimension decides.
namespace podsim::sw::collectives::patterns {

/// `distance` of a segment: the receiver, counted from the sender: 1 to n - 1. range() is within the block.
class Direct : public Pattern {
 public:
  /// `dimensions` of the group's grid and its `cores` per chip; blocks of `block` elements.
  Direct(const std::vector<LogicalDimension>& dimensions, int cores, std::int64_t block, std::int64_t most)
      : Direct("all-to-all", dimensions, cores, block, most) {}

  std::int32_t origins(std::int32_t) const override { return positions() - 1; }
  Segment origin(std::int32_t, std::int32_t i) const override { return {.distance = i + 1}; }
  std::optional<Segment> onward(const Segment&, std::int32_t) const override { return std::nullopt; }
  std::int64_t completions(std::int32_t) const override { return std::int64_t(positions() - 1) * segments(+1); }
  ElementRange range(const Segment& segment, std::int32_t position) const override;
  base::Duration modelled_time(const LinkCosts& costs, int stripes) const override;

 protected:
  Direct(std::string_view name, const std::vector<LogicalDimension>& dimensions, int cores, std::int64_t block,
         std::int64_t most);

 private:
  std::vector<LogicalDimension> dimensions_;
};

/// Collective-permute: one message from a source to its target. A position is the sum of the roles of the member.
class Permute final : public Direct {
 public:
  static constexpr std::int32_t sends = 1, receives = 2;

  /// In up to 16 segments, so that most of the array is on the wire while its ends are read and written.
  Permute(std::int64_t elements, const SegmentLengths& lengths)
      : Direct("collective-permute", {{.size = 2}}, 1, elements, lengths.most) {
    cuts_[0] = Cut::of(elements, 16, lengths.link, lengths.most);
  }

  std::int32_t origins(std::int32_t position) const override { return (position & sends) != 0 ? 1 : 0; }
  std::int64_t completions(std::int32_t position) const override {
    return (position & receives) != 0 ? segments(+1) : 0;
  }
};

}  // namespace podsim::sw::collectives::patterns
