// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "noc/topology.h"
#include "sw/graph/shape.h"

/// The all-reduce of a slice as a program that every core runs, a function of the core's position: who sends what to
/// whom, without times and without data. It is walked by ScheduleWalker, for the functional executor on real numbers
/// and for the timed one on the model of the machine. Nothing is stored per participant.
///
/// Algorithm, 2-D rings over all cores of every chip, several colours at once:
///  1. on the chip: the payload is cut into one part per colour; every core hands the parts it does not own to their
///     owners (colour c belongs to core c mod cores), which add them to their own;
///  2. every colour reduce-scatters its part over the dimensions of the slice, even colours from the last dimension to
///     the first (Y then X), odd ones the other way round, so that both kinds of links work at the same time; each next
///     dimension handles only the shard of the one before;
///  3. it all-gathers in the reverse order;
///  4. on the chip: every core hands the finished parts to the others.
///
/// Along a wrapped dimension of n chips a chunk is halved and the halves go around the ring in opposite directions, n-1
/// steps. Along an open one partial sums of a chunk flow from both ends toward its owner, the farthest chunk first, and
/// the finished chunk flows from its owner to both ends. A flow is cut into segments so that the sum of one overlaps
/// the transfer of the next.
///
/// Every chip owns the same number of elements at the end: the payload is padded up to a multiple of colours times
/// chips, by less than one element per colour and chip. Equal chunks make the traffic along a wrapped dimension
/// symmetric.
namespace podsim::sw {

enum class StageKind { reduce_scatter, all_gather };

/// One colour's work along one dimension; only dimensions of more than one chip have stages.
struct Stage {
  StageKind kind = StageKind::reduce_scatter;
  int dimension = 0;
  std::int32_t size = 1;  ///< chips along the dimension
  bool wraps = false;
  std::int64_t chunk = 0;    ///< elements of one of the `size` chunks
  std::string name() const;  ///< "reduce-scatter y"
};

/// One segment of a flow as it arrives at a chip. Positions along a ring are relative, so that a token means the same
/// on every chip of a folded dimension.
struct Token {
  int colour = 0;
  int stage = 0;
  int direction = 1;          ///< of travel along the stage's dimension
  std::int32_t distance = 0;  ///< hops between here and the chunk's owner: to go (reduce-scatter), gone (all-gather)
  std::int32_t segment = 0;
  bool operator==(const Token&) const = default;
};
std::uint64_t pack(const Token& token);
Token unpack(std::uint64_t tag);

/// Elements [begin, begin + count) of the padded payload.
struct ElementRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};

class AllReduceSchedule {
 public:
  /// `elements` of `type` per core, summed over `cores_per_chip` cores of every chip of `topology`. `segment`: the
  /// largest number of elements sent as one message.
  AllReduceSchedule(noc::Topology topology, int cores_per_chip, std::int64_t elements, ElementType type,
                    std::int64_t segment);

  const noc::Topology& topology() const { return topology_; }
  int cores_per_chip() const { return cores_per_chip_; }
  ElementType type() const { return type_; }
  std::int64_t elements() const { return elements_; }
  std::int64_t padded_elements() const { return part_ * colours_; }
  std::int64_t segment() const { return segment_; }
  base::Bytes bytes(std::int64_t elements) const { return base::Bytes(elements * byte_width(type_)); }

  int colours() const { return colours_; }
  int owner(int colour) const { return colour % cores_per_chip_; }
  const std::vector<Stage>& stages(int colour) const { return stages_[colour % 2]; }
  /// A colour's part of the payload.
  ElementRange part(int colour) const { return {colour * part_, part_}; }

  /// How many elements of a chunk go in a direction; both directions carry the whole chunk on an open dimension.
  std::int64_t flow(const Stage& stage, int direction) const;
  std::int32_t segments(const Stage& stage, int direction) const { return segments_of(flow(stage, direction)); }
  std::int32_t segments_of(std::int64_t elements) const;
  /// Elements of segment i of `elements`; the segments of a flow are as equal as can be, so that no short one follows
  /// the others down the line.
  std::int64_t segment_size(std::int64_t elements, std::int32_t i) const;
  /// Where segment i of `elements` begins.
  std::int64_t segment_begin(std::int64_t elements, std::int32_t i) const;
  std::int64_t token_size(const Token& token) const;

  /// Calls `send` for segment 0 of every flow that starts at a position along the stage's dimension, in the order in
  /// which they are to be sent; the token is as the neighbour will see it.
  void for_each_origin(int colour, int stage, std::int32_t position,
                       const std::function<void(const Token&)>& send) const;
  /// The token as the next chip will see it; nullopt where the flow ends.
  std::optional<Token> onward(const Token& token, std::int32_t position) const;
  /// Segments whose flow ends here (reduce-scatter) or that pass or end here (all-gather).
  std::int64_t completions(int colour, int stage, std::int32_t position) const;
  /// Whether, where a reduce-scatter flow ends, this is the flow that adds the owner's own contribution: one of the
  /// two.
  bool adds_own(const Token& token, std::int32_t position) const;

  /// Which elements a token carries, seen from the chip at `at` where it has arrived. Meaningful in the full topology
  /// only.
  ElementRange range(const Token& token, const noc::Coordinates& at) const;
  /// The elements of a colour that a chip owns after all reduce-scatters.
  std::int64_t shard() const { return part_ / topology_.nodes(); }
  ElementRange shard_range(int colour, const noc::Coordinates& at) const;

 private:
  /// Where the range begins that a chip works on in a stage.
  std::int64_t stage_begin(int colour, int stage, const noc::Coordinates& at) const;

  noc::Topology topology_;
  int cores_per_chip_;
  std::int64_t elements_;
  ElementType type_;
  std::int64_t segment_;
  int colours_;
  std::int64_t part_;
  std::vector<Stage> stages_[2];  ///< of even and of odd colours
};

}  // namespace podsim::sw
