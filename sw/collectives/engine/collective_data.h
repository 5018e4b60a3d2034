// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/collectives/engine/exchange_data.h"
#include "sw/collectives/engine/message_store.h"
#include "sw/collectives/schedule/collective_schedule.h"

/// The values that a collective moves, separate from the messages that carry their bytes: those that every core holds,
/// and those in flight. The executor reports when a segment is sent, arrives or is added.
///
/// Numerics: a core adds an arriving partial sum and its own contribution in f32 and rounds the result to the element
/// type, because partial sums travel and rest as elements of that type. The contributions of a chip's cores are added
/// in f32 before. The order of a sum follows the schedule.
namespace podsim::sw::collectives::engine {

/// One vector per core of the slice, empty for cores outside all groups.
using CoreVectors = std::vector<std::vector<double>>;

class CollectiveData {
 public:
  /// `operands` of every rank by the kind: the whole payload; for an all-gather a rank's block (the payload over the
  /// ranks of its group, rounded up); for a broadcast anything. Values must be of the schedule's type. The schedule
  /// outlives this object.
  CollectiveData(const schedule::CollectiveSchedule& schedule, const CoreVectors& operands);
  CollectiveData(const CollectiveData&) = delete;
  CollectiveData& operator=(const CollectiveData&) = delete;

  /// The values that every core holds: the whole payload; after a reduce-scatter a rank's block.
  CoreVectors results() const;

  /// Adds the contributions of cores of one chip, each for its stripes.
  void sum_cores(const std::vector<std::int32_t>& cores);
  void sent(std::int32_t from, std::int32_t to, const Segment& segment);
  void arrived(std::int32_t core, const Segment& segment);
  void copied(std::int32_t from, std::int32_t to, ElementRange range);
  /// A core has finished an exchange: see ExchangeData::kept.
  void exchanged(std::int32_t core, int stripe, int phase);

 private:
  /// The position of an element of a rank's block in the padded payload.
  std::int64_t offset_of(std::int32_t core, std::int64_t block, std::int64_t element) const;
  std::int64_t block_elements(std::int32_t core) const;
  /// The elements of the padded payload that a segment brings to a receiver. In an all-to-all by direct sends they are
  /// in the block of member `block`: that of the receiver at the sender, and that of the sender at the receiver.
  ElementRange range(std::int32_t receiver, std::int32_t block, const Segment& segment) const;
  std::int64_t member_index(std::int32_t core) const;
  Values& values_of(std::int32_t core) { return held_[std::size_t(core)][0]; }

  const schedule::CollectiveSchedule& schedule_;
  /// By core: the padded payload. Where values are given away: before the first phase, and after each.
  std::vector<std::vector<Values>> held_;
  MessageStore in_flight_;  ///< by receiver
  ExchangeData exchange_;
};

}  // namespace podsim::sw::collectives::engine
