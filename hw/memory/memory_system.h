// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/memory/channel_controller.h"

namespace podsim::hw {

/// One core's half of the HBM at bank level, without SystemC: all its channels behind one interface. Times are clocks
/// of the memory. A user's loop:
///
///   while (there is a request and memory.accepts(it)) memory.submit(it);
///   memory.advance(*memory.next_event(), completed);
///
/// or, when it waits for nothing but completions, next_completion(), which steps further.
class MemorySystem {
 public:
  explicit MemorySystem(const DramParameters& parameters);

  const DramParameters& parameters() const { return parameters_; }
  const AddressMap& map() const { return map_; }
  base::Clock clock() const { return base::Clock(parameters_.clock); }

  /// Whether the queues have room now. A request lies in one interleave unit (AddressMap::in_one_unit).
  bool accepts(const MemoryRequest& request) const;
  /// A request that is accepted, at the present clock.
  void submit(const MemoryRequest& request);
  /// Moves to `clock` and appends what is complete by then, in the order of completion; of one clock, by channel.
  void advance(base::Cycles clock, std::vector<MemoryCompletion>& completed);
  base::Cycles now() const { return now_; }

  /// Until this clock, which is after the present, nothing completes and no room appears; nothing when idle.
  std::optional<base::Cycles> next_event() const;
  /// Until this clock, which is after the present, nothing completes; nothing when idle.
  std::optional<base::Cycles> next_completion() const;
  bool idle() const;

  // Sums over channels and pseudo-channels up to the present. shares().total() is the number of pseudo-channels times
  // the clocks accounted for.
  BusShares shares();
  std::int64_t bursts();     ///< moved
  std::int64_t activates();  ///< rows opened; the other bursts were row hits
  std::int64_t refreshes();
  /// Moved to the present.
  ChannelController& channel(int number);
  int channels() const { return int(channels_.size()); }

 private:
  void advance_channel(std::size_t number);
  void look_ahead(std::size_t number);

  DramParameters parameters_;
  AddressMap map_;
  std::deque<ChannelController> channels_;       ///< each stays behind until something may happen in it
  std::vector<std::int64_t> completion_, room_;  ///< per channel, when that may be at the earliest
  std::vector<MemoryCompletion> completed_;
  base::Cycles now_;
};

}  // namespace podsim::hw
