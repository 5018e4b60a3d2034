// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "sw/collectives/collective_schedule.h"

/// The numbers that a collective moves, beside the messages that carry their bytes: what every core holds, and what is
/// on its way. The executor says when something is sent, arrives, is summed.
///
/// Numerics: a core adds an arriving partial sum and its own contribution in f32 and rounds the result to the element
/// type, because partial sums travel and rest as elements of that type; the contributions of a chip's cores are added
/// in f32 before. The order of a sum follows the schedule.
namespace podsim::sw::collectives {

/// One vector per core of the slice; cores that take no part have an empty one.
using CoreVectors = std::vector<std::vector<double>>;

class CollectiveData {
 public:
  /// `operands`: what the kind takes of every rank: all of the payload; of an all-gather a rank's block (the payload
  /// over the ranks of its group, rounded up), of a broadcast anything. Values must be of the schedule's type.
  CollectiveData(const CollectiveSchedule& schedule, const CoreVectors& operands);

  /// What every core holds: all of the payload; of a reduce-scatter a rank's block.
  CoreVectors results() const;

  void sum_cores(const std::vector<std::int32_t>& cores);
  void sent(std::int32_t from, std::int32_t to, const Segment& segment);
  void arrived(std::int32_t core, const Segment& segment);
  void copied(std::int32_t from, std::int32_t to, ElementRange range);
  /// An exchange is over for a core (with or without a stage): what was for the core's own position stays there, of the
  /// last one with the core of the chip that it is for.
  void exchanged(std::int32_t core, int stripe, int phase);

 private:
  using Values = std::vector<double>;
  struct Key {
    std::int32_t core;
    std::uint64_t segment;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::size_t(key.segment * 0x9e3779b97f4a7c15ULL) ^ std::size_t(key.core);
    }
  };

  /// Where an element of a rank's block stands in the padded payload.
  std::int64_t offset_of(std::int32_t core, std::int64_t block, std::int64_t element) const;
  std::int64_t block_elements(std::int32_t core) const;
  ElementRange source_range(std::int32_t from, std::int32_t to, const Segment& segment) const;
  ElementRange target_range(std::int32_t core, const Segment& segment) const;
  ElementRange direct_range(const Segment& segment, const GroupSchedule& program, std::int64_t place) const;
  std::int64_t member_index(std::int32_t core) const;

  /// In an all-to-all by exchanges a core's payload consists of blocks, numbered like the members of its group: before
  /// an exchange along a dimension by the position there that they go to, after it by that which they come from.
  struct Exchange {
    std::int64_t stride;  ///< in the numbers of blocks
    std::int32_t size;
    std::int32_t parts;
    std::int64_t part;  ///< elements
  };
  static Exchange exchange(const GroupSchedule& program, int stripe, int phase);
  /// Where the elements of a part of the chunk for (or from) a position stand in the padded payload.
  static std::vector<std::size_t> offsets(const GroupSchedule& program, const Exchange& exchange, int stripe,
                                          std::int32_t position, int part, ElementRange range);
  Values exchange_values(std::int32_t from, std::int32_t to, const Segment& segment);
  void exchange_arrived(std::int32_t core, const Segment& segment, const Values& values);
  void leave_part(std::int32_t core, const Segment& segment, std::int32_t origin, int part, const double* values,
                  ElementRange range);
  std::int32_t position(std::int32_t core, const Segment& segment) const;
  Values& held(std::int32_t core, int phase) { return held_[std::size_t(core)][std::size_t(phase)]; }

  const CollectiveSchedule& schedule_;
  /// By core: the padded payload; where blocks change places, before the first stage and after each.
  std::vector<std::vector<Values>> held_;
  std::unordered_map<Key, Values, KeyHash> in_flight_;
  std::unordered_map<Key, Values, KeyHash> passing_;  ///< by the core and the token that goes on from there
};

/// What every core is to hold, from the definition of the kind: sums in double, not rounded.
CoreVectors expected_results(const CollectiveSchedule& schedule, const CoreVectors& operands);

}  // namespace podsim::sw::collectives
