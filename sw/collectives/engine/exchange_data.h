// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sw/collectives/engine/message_store.h"
#include "sw/collectives/schedule/collective_schedule.h"

namespace podsim::sw::collectives::engine {

/// The values that an all-to-all moves dimension by dimension (patterns/exchange.h), for CollectiveData.
///
/// A core's payload consists of blocks, which are numbered like the members of its group. Before an exchange along a
/// dimension the coordinate of a block there is that of its destination; after the exchange it is that of its source.
/// Each core has an array of values before the first exchange and one after each.
class ExchangeData {
 public:
  using HeldValues = std::vector<std::vector<Values>>;  ///< by core, then by the number of exchanges before

  /// `held` outlives this object.
  ExchangeData(const schedule::CollectiveSchedule& schedule, HeldValues& held) : schedule_(schedule), held_(held) {}

  /// The values of a segment that `from` sends to `to`: its own, or those that it passes on.
  Values sent(std::int32_t from, std::int32_t to, const Segment& segment);
  /// Stores what a segment has for this chip, and sets aside the rest, which is sent on.
  void arrived(std::int32_t core, const Segment& segment, const Values& values);
  /// Copies the blocks for the core's own position, which do not travel, in the last exchange to the cores of the chip
  /// that they are for. On a single chip, which has no phases, `phase` is 0.
  void kept(std::int32_t core, int stripe, int phase);

 private:
  /// The blocks of one position, which form a chunk.
  struct Chunks {
    std::int64_t stride;  ///< from a block of one position to that of the next
    std::int32_t positions;
    std::int32_t parts;  ///< of a chunk, one for each core of the chip that it is for
    std::int64_t part;   ///< elements of a part
  };
  static Chunks chunks(const schedule::GroupSchedule& program, int stripe, int phase);
  /// Where elements `range` of a part of the chunk for (or from) a position are in the padded payload.
  static std::vector<std::size_t> offsets(const schedule::GroupSchedule& program, const Chunks& chunks, int stripe,
                                          std::int32_t position, int part, ElementRange range);
  /// Stores part `part` of the chunk from position `source` at the core of the chip that it is for.
  void store(std::int32_t core, const Segment& segment, std::int32_t source, int part, const double* values,
             ElementRange range);
  std::int32_t position(std::int32_t core, const Segment& segment) const {
    return schedule_.program(core).position(segment, schedule_.member(core).position);
  }
  Values& held(std::int32_t core, int phase) { return held_[std::size_t(core)][std::size_t(phase)]; }

  const schedule::CollectiveSchedule& schedule_;
  HeldValues& held_;
  MessageStore passing_;  ///< by the core that passes them on, and the segment as the next member receives it
};

}  // namespace podsim::sw::collectives::engine
