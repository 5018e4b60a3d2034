// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "noc/topology.h"
#include "sw/collectives/algorithm.h"
#include "sw/collectives/group_layout.h"
#include "sw/collectives/patterns/pattern_factory.h"
#include "sw/collectives/segment.h"

/// A collective of one group as a program that every member runs: a function of the member's position in the group's
/// grid, without times and without data. ScheduleWalker walks it. Nothing is stored per member.
///
/// The payload is divided into stripes, which travel at the same time. Where a chip has several cores in the group,
/// each stripe belongs to one of them: the first phase of a reduction adds the contributions of all cores of the chip,
/// and finished elements are copied to the other cores. A stripe is a list of phases, each along one dimension of the
/// grid, and each carried out by a pattern (sw/collectives/patterns):
///
///     all-reduce              reduce-scatters along the dimensions, then all-gathers in reverse order
///     reduce-scatter          the first half of it
///     all-gather              the second half
///     broadcast               broadcasts along all dimensions, at the same time
///     all-to-all              exchanges along the dimensions, or one phase of direct sends
///     collective-permute      one phase of one message for each pair
///
/// Each reduce-scatter works on the chunk that the one before has left. Elements of the payload are numbered in the
/// order in which phases scatter them, stripe by stripe; padding makes all shards the same length (less than one
/// element per shard).
namespace podsim::sw::collectives::schedule {

/// One stripe's work along one dimension. Only dimensions of more than one position have phases.
struct Phase {
  std::string name;   ///< "reduce-scatter y"
  int dimension = 0;  ///< of the group's grid; 0 for direct sends
  int depth = 0;      ///< number of dimensions that the stripe has been scattered along before
  std::shared_ptr<const patterns::Pattern> pattern;
};

class GroupSchedule {
 public:
  /// `elements` is the payload of a rank (see CollectiveKind) in a group laid out as `layout`. For a collective-permute
  /// the layout is that of one pair.
  GroupSchedule(const GroupLayout& layout, CollectiveKind kind, Algorithm algorithm, std::int64_t elements,
                const SegmentLengths& lengths);

  CollectiveKind kind() const { return kind_; }
  int cores() const { return cores_; }
  const std::vector<LogicalDimension>& dimensions() const { return dimensions_; }
  std::int32_t ranks() const { return ranks_; }
  /// Chips that the group is on; of a collective-permute, those of a pair.
  std::int32_t chips() const { return ranks_ / cores_; }
  /// Chips of the smallest box of the slice around the group.
  std::int32_t box() const { return box_; }
  /// "y ring, x line": the shapes of the phases, of an all-reduce only those of its reduce-scatters.
  std::string shapes() const;

  int stripes() const { return stripes_; }
  /// Stripe s visits the dimensions in order s % orders().
  int orders() const { return orders_; }
  int stripes_of(int order) const { return (stripes_ + orders_ - 1 - order) / orders_; }
  /// Whether the core of a chip (among those in the group) works on a stripe; not for a broadcast.
  bool works_on(int core, int stripe) const { return !per_chip_ || stripe % cores_ == core; }
  /// Whether what a core has finished is copied to the other cores of its chip.
  bool shares() const { return per_chip_ && cores_ > 1 && !traits(kind_).result_is_block; }
  /// Whether the first phase takes the contributions of all cores of a chip.
  bool sums_cores() const { return per_chip_ && cores_ > 1 && traits(kind_).reduces; }
  /// Whether an all-to-all goes dimension by dimension.
  bool exchanges() const { return exchanges_; }
  /// Elements of a stripe that every core of a chip hands over to each other one.
  std::int64_t handed_over() const { return exchanges_ ? part_ / cores_ : 0; }
  /// Whether all phases of a stripe run at the same time, as in a broadcast: segments that arrive along one dimension
  /// start along all later ones.
  bool concurrent() const { return traits(kind_).rooted; }

  const std::vector<Phase>& phases(int stripe) const { return phases_[std::size_t(stripe % orders_)]; }
  const Phase& phase_of(const Segment& segment) const { return phases(segment.stripe)[std::size_t(segment.phase)]; }
  const patterns::Pattern& pattern(const Segment& segment) const { return *phase_of(segment).pattern; }
  /// The pattern of a phase of an all-to-all that goes dimension by dimension.
  const patterns::Exchange& exchange(int stripe, int phase) const {
    return *exchange_phases_[std::size_t(stripe % orders_)][std::size_t(phase)];
  }
  /// The position along the dimension of a segment's phase.
  std::int32_t position(const Segment& segment, const noc::Coordinates& at) const {
    return at[std::size_t(phase_of(segment).dimension)];
  }

  /// A stripe's part of the padded payload.
  ElementRange part(int stripe) const { return {stripe * part_, part_}; }
  std::int64_t padded_elements() const { return part_ * stripes_; }
  /// Elements of a stripe that belong to a position when everything is scattered.
  std::int64_t shard() const { return shard_; }
  ElementRange shard_range(int stripe, const noc::Coordinates& at) const;
  /// The elements of the padded payload that a segment brings to a member: Pattern::range, from the beginning of what
  /// the phase works on there.
  ElementRange range(const Segment& segment, const noc::Coordinates& at) const;

 private:
  struct Split {
    int dimension;
    std::int64_t chunk;
  };

  void add_phase(int order, int dimension, int depth, std::shared_ptr<const patterns::Pattern> pattern);
  void add_direct(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory);
  void add_broadcasts(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory);
  void add_exchanges(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory);
  void add_scattered(int order, const std::vector<int>& visited, const patterns::PatternFactory& factory);
  /// The first element of what a stripe works on at a position after `depth` splits.
  std::int64_t begin(int stripe, std::size_t depth, const noc::Coordinates& at) const;

  CollectiveKind kind_;
  int cores_;
  std::vector<LogicalDimension> dimensions_;
  std::int32_t ranks_, box_;
  bool exchanges_;
  bool per_chip_;  ///< stripes belong to one core of a chip each
  int stripes_ = 1;
  int orders_ = 1;
  std::int64_t part_ = 0, shard_ = 0;
  std::vector<std::vector<Split>> splits_;                               ///< of every order
  std::vector<std::vector<Phase>> phases_;                               ///< of every order
  std::vector<std::vector<const patterns::Exchange*>> exchange_phases_;  ///< of every order, within phases_
};

}  // namespace podsim::sw::collectives::schedule
