// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/memory/dram/channel_controller.h"

namespace podsim::hw::memory::dram {

/// One core's half of the HBM at bank level, without SystemC: all its channels behind one interface. Times are clocks
/// of the memory. The loop of a caller:
///
///   while (there is a request and memory.accepts(it)) memory.submit(it);
///   memory.advance(*memory.next_event(), completed);
///
/// A caller that waits only for completions uses next_completion() instead, which takes larger steps; one whose
/// requests are few, next_room() of each too.
class MemorySystem {
 public:
  explicit MemorySystem(const parts::hbm::DramParameters& parameters);

  const parts::hbm::DramParameters& parameters() const { return parameters_; }
  const AddressMap& map() const { return map_; }
  base::Clock clock() const { return base::Clock(parameters_.clock); }

  /// Returns whether the queues have room now. A request must be within one interleave unit (AddressMap::in_one_unit).
  bool accepts(const MemoryRequest& request) const;
  /// Submits a request at the current clock. accepts() must hold.
  void submit(const MemoryRequest& request);
  /// Moves to `clock` and appends what is complete by then, in order of completion and, within a clock, of channels.
  void advance(base::Cycles clock, std::vector<MemoryCompletion>& completed);
  base::Cycles now() const { return now_; }

  /// Lower bound, after the current clock, of the next completion or new room in a queue; std::nullopt when idle.
  std::optional<base::Cycles> next_event() const;
  /// Lower bound, after the current clock, of when there is more room for a request that is not accepted now.
  base::Cycles next_room(const MemoryRequest& request) const;
  /// Lower bound, after the current clock, of the next completion; std::nullopt when idle.
  std::optional<base::Cycles> next_completion() const;
  bool idle() const;

  // Sums over channels and pseudo-channels up to the current clock. shares().total() is the number of pseudo-channels
  // times the clocks accounted for.
  BusShares shares();
  std::int64_t bursts();     ///< bursts moved
  std::int64_t activates();  ///< rows opened; all other bursts were row hits
  std::int64_t refreshes();
  /// The channel, advanced to the current clock.
  ChannelController& channel(int number);
  int channels() const { return int(channels_.size()); }

 private:
  void advance_channel(std::size_t number) const;
  void look_ahead(std::size_t number) const;

  parts::hbm::DramParameters parameters_;
  AddressMap map_;
  // What a channel does is decided when it is asked for: before the next completion that it may have, another request
  // to it, or a question about its room. Until then it is behind.
  mutable std::deque<ChannelController> channels_;
  mutable std::vector<std::int64_t> completion_, room_;  ///< per channel, lower bounds of its next ones
  mutable std::vector<MemoryCompletion> completed_;
  base::Cycles now_;
};

}  // namespace podsim::hw::memory::dram
