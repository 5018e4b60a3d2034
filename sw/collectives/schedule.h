// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/algorithm.h"
#include "sw/collectives/group_layout.h"

/// A collective of one group as a program that every member runs, a function of its position in the group's grid: the
/// messages that it sends and receives, without times and without data. ScheduleWalker walks it. Nothing is stored per
/// member.
///
/// A collective-permute has roles for positions: whether a member sends, and whether it receives.
///
/// The payload is cut into colours, which go their own ways at the same time. Where a chip has several cores in the
/// group, a colour belongs to one of them; the first stage of a reduction adds the contributions of all the chip's
/// cores, and what is finished is copied to the others. A colour is a list of stages:
///
///  - reduce-scatter and all-gather along one dimension of n positions, an all-reduce being the one and then the other
///    in reverse. On a ring a chunk (1/n of what the stage works on) goes n-1 steps; with both directions, half of it
///    each way. On a line partial sums flow from both ends toward the chunk's owner, the farthest chunk first, and
///    finished chunks from their owner to both ends; chunks too short for a message travel in bundles, which lose the
///    owner's chunk (reduce-scatter) or gain it (all-gather) at every position that they pass.
///  - broadcast along one dimension: a segment that has arrived goes on along its dimension, and starts along all later
///    ones.
///  - exchange along one dimension: a message starts at every position in both directions, with a chunk for every
///    position that it will come by, leaves each its own and goes on shorter. So all traffic is between neighbours, and
///    a link's load is the same at every moment. Around a ring of even size the chunk for the opposite position goes
///    half each way. After the exchanges of all dimensions every chip has what is for it; in the last one a core hands
///    on to the other cores of its chip what is theirs.
///  - direct: a message from every member to every other, those at the same distance at the same time; where a
///    destination is half way around a ring, colours differ in the way they go.
///
/// Messages are segments of flows. The elements of a group's payload are numbered in the order in which stages cut
/// them, colour by colour; padding makes all shards equal (less than one element per shard).
namespace podsim::sw::collectives {

enum class PhaseKind : std::uint8_t { reduce_scatter, all_gather, broadcast, exchange, direct };
enum class Flow : std::uint8_t { ring, one_way, line };

/// One colour's work along one dimension; only dimensions of more than one position have stages.
struct Phase {
  PhaseKind kind = PhaseKind::reduce_scatter;
  Flow flow = Flow::ring;
  int dimension = 0;  ///< of the group's grid; of direct sends: none
  int depth = 0;      ///< how many times the colour's part has been cut before
  std::int32_t size = 1;
  std::int64_t chunk = 0;                  ///< elements of one of the `size` chunks; all there are in a broadcast
  std::int32_t chunks_per_message = 1;     ///< chunks that travel as one message along a line
  std::int32_t parts = 1;                  ///< of a chunk of the last exchange: one for each core of a chip
  std::array<std::int32_t, 2> segments{};  ///< of a flow in positive and in negative direction; 0: nothing flows there
  std::string name;                        ///< "reduce-scatter y"

  std::int32_t messages() const { return (size + chunks_per_message - 1) / chunks_per_message; }
};

/// One segment of a flow as it arrives at a member. Positions along a ring are relative, so that a token means the same
/// at every position of a folded dimension.
struct Segment {
  int stripe = 0;
  int phase = 0;
  int direction = 1;  ///< of travel along the stage's dimension
  /// Ring: steps between here and the chunk's owner, to go (reduce-scatter) or gone (all-gather). Line: the number of
  /// the bundle. Broadcast, and exchange around a ring: steps from where it started; exchange along a line: where it
  /// started. Direct: which of the other members, counted from the sender.
  std::int32_t distance = 0;
  std::int32_t number = 0;
  bool operator==(const Segment&) const = default;
};

/// Elements [begin, begin + count) of the padded payload.
struct ElementRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

/// How long messages are, in elements.
struct SegmentLengths {
  std::int64_t link = 1;   ///< what a link carries while the message before is seen: of broadcasts and exchanges
  std::int64_t least = 1;  ///< chunks shorter than this share a message on a line
  std::int64_t most = 1;   ///< what the buffers of a core hold
};

class GroupSchedule {
 public:
  /// `elements` is the payload of a rank (see CollectiveKind) in a group laid out as `layout`.
  GroupSchedule(const GroupLayout& layout, CollectiveKind kind, Algorithm algorithm, std::int64_t elements,
                const SegmentLengths& lengths);

  CollectiveKind kind() const { return kind_; }
  int cores() const { return cores_; }
  const std::vector<LogicalDimension>& dimensions() const { return dimensions_; }
  std::int32_t ranks() const { return ranks_; }

  int stripes() const { return stripes_; }
  /// Colour c goes the dimensions in order c % orders().
  int orders() const { return orders_; }
  int stripes_of(int order) const { return (stripes_ + orders_ - 1 - order) / orders_; }
  /// Whether the core of a chip (among those in the group) works on a colour; not of a broadcast.
  bool works_on(int core, int stripe) const { return !per_chip_ || stripe % cores_ == core; }
  /// Whether what a core has finished is copied to the other cores of its chip.
  bool shares() const { return per_chip_ && cores_ > 1 && kind_ != CollectiveKind::reduce_scatter; }
  /// Whether the first stage takes the contributions of all cores of a chip.
  bool sums_cores() const { return per_chip_ && cores_ > 1 && reduces(kind_); }
  /// Whether an all-to-all goes dimension by dimension.
  bool exchanges() const { return exchanges_; }
  /// Elements of a colour that every core of a chip hands on to each other one.
  std::int64_t handed_on() const { return exchanges_ ? part_ / cores_ : 0; }
  const std::vector<Phase>& phases(int stripe) const { return phases_[std::size_t(stripe % orders_)]; }
  const Phase& phase_of(const Segment& segment) const { return phases(segment.stripe)[std::size_t(segment.phase)]; }
  /// A colour's part of the payload.
  ElementRange part(int stripe) const { return {stripe * part_, part_}; }
  std::int64_t padded_elements() const { return part_ * stripes_; }
  /// The elements of a colour that a place owns when everything is scattered.
  std::int64_t shard() const { return shard_; }
  ElementRange shard_range(int stripe, const noc::Coordinates& at) const;

  /// Calls `send` for segment 0 of every flow that starts at a position, in the order in which they are to be sent; the
  /// token is as the next member will see it.
  void for_each_origin(int stripe, int phase, const noc::Coordinates& at,
                       const std::function<void(const Segment&)>& send) const;
  /// The token as the next member will see it; nothing where the flow ends.
  std::optional<Segment> onward(const Segment& segment, const noc::Coordinates& at) const;
  /// The position along the stage's dimension where a token sent from `position` arrives.
  std::int32_t next_position(const Segment& segment, std::int32_t position) const;
  /// Whether a partial sum that arrives here, or some of it, has arrived at its owner.
  bool ends_here(const Segment& segment, const noc::Coordinates& at) const;
  /// For a segment of an exchange that arrives at `position`: its origin, the number of chunks that it brings, and the
  /// elements that it has of each part of the chunk for `steps` positions farther on. The chunk for `position` stays.
  std::int32_t origin(const Segment& segment, std::int32_t position) const;
  std::int32_t chunks(const Segment& segment, std::int32_t position) const;
  ElementRange slice(const Segment& segment, std::int32_t steps) const;

  /// Segments to wait for: those with the own chunk (reduce-scatter), all that pass (the others).
  std::int64_t completions(int stripe, int phase, const noc::Coordinates& at) const;

  std::int32_t segments(const Segment& segment) const { return phase_of(segment).segments[segment.direction < 0]; }
  /// Which elements a token carries that arrives at `at`; direct sends apart, it is the same range at both ends.
  ElementRange range(const Segment& segment, const noc::Coordinates& at) const;
  /// The elements that a token carries to `position` along its stage's dimension.
  std::int64_t size(const Segment& segment, std::int32_t position) const;
  /// The elements of an arriving partial sum to which the member adds its own contribution: all of them, except that on
  /// a line one of the two flows that bring the member's own chunk brings sums only.
  std::int64_t contributed(const Segment& segment, std::int32_t position) const;

 private:
  struct Split {
    int dimension;
    std::int64_t chunk;
  };

  void add_phases(int order, Algorithm algorithm, const SegmentLengths& lengths);
  void add_direct(const SegmentLengths& lengths);
  void add_exchanges(const std::vector<int>& visited, Algorithm algorithm, const SegmentLengths& lengths,
                     std::vector<Phase>& phases) const;
  Phase phase_along(PhaseKind kind, int dimension, int depth, std::int64_t chunk, Algorithm algorithm,
                    const SegmentLengths& lengths) const;
  /// Elements of a flow in the token's direction: of one chunk, or its half.
  static std::int64_t flow(const Phase& phase, int direction);
  /// The chunks [first, second) that a bundle on a line brings to a position.
  static std::pair<std::int32_t, std::int32_t> chunks_of(const Phase& phase, const Segment& segment,
                                                         std::int32_t position);
  std::int64_t phase_begin(int stripe, const Phase& phase, const noc::Coordinates& at) const;

  CollectiveKind kind_;
  int cores_;
  std::vector<LogicalDimension> dimensions_;
  std::int32_t ranks_;
  bool exchanges_;
  bool per_chip_;  ///< colours belong to one core of a chip each
  int stripes_ = 1;
  int orders_ = 1;
  std::int64_t part_ = 0, shard_ = 0;
  std::vector<std::vector<Split>> splits_;  ///< of every order
  std::vector<std::vector<Phase>> phases_;  ///< likewise
};

}  // namespace podsim::sw::collectives
