// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/memory/dram/memory_request.h"
#include "hw/memory/dram/pseudo_channel.h"

namespace podsim::hw::memory::dram {

/// Is notified of every command that a channel issues, in order of clocks.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  /// `row` is the row that an activate opens. For other commands it is the row that was open before, or
  /// BankQueues::no_row.
  virtual void issued(DramCommand command, const DramTarget& target, std::int64_t row, base::Cycles clock) = 0;
};

/// Simulates one channel: pseudo-channels that share a bus for row commands and one for column commands. A bus takes
/// one command per clock. Times are clocks of the memory.
///
/// The model steps from command to command; nothing ticks. The commands of a clock are decided when time moves past it,
/// so that every request of that clock is considered. The future is never decided, so the outcome does not depend on
/// how far advance() moves at once.
///
/// An unloaded read of one burst completes tRCD + CL + burst clocks after its arrival.
class ChannelController {
 public:
  explicit ChannelController(const parts::hbm::DramParameters& parameters);
  ChannelController(const ChannelController&) = delete;
  ChannelController& operator=(const ChannelController&) = delete;

  /// Returns whether the queues have room for the whole request now.
  bool accepts(const MemoryRequest& request) const;
  /// Submits a request at the current clock. accepts() must hold.
  void submit(const MemoryRequest& request);
  /// Decides all clocks before `clock`, which becomes the current one, and appends what is complete by then, in order
  /// of completion.
  void advance(base::Cycles clock, std::vector<MemoryCompletion>& completed);
  base::Cycles now() const { return base::Cycles(now_); }

  /// Lower bound of the next completion if nothing else is submitted; std::nullopt when no request is left.
  std::optional<base::Cycles> next_completion() const { return next_completion(next_room()); }
  /// The same where next_room() is known.
  std::optional<base::Cycles> next_completion(std::optional<base::Cycles> room) const;
  /// The next clock at which the queues may have more room, the one after the next command; std::nullopt when no burst
  /// waits.
  std::optional<base::Cycles> next_room() const;
  bool idle() const;

  /// Sums over all pseudo-channels.
  BusShares shares() const;
  std::int64_t bursts() const;
  std::int64_t activates() const;
  std::int64_t refreshes() const;
  const PseudoChannel& pseudo_channel(int index) const { return pseudo_channels_[std::size_t(index)]; }
  int pseudo_channels() const { return int(pseudo_channels_.size()); }
  void observe(CommandObserver* observer) { observer_ = observer; }

 private:
  struct Pending {
    MemoryRequest request;
    std::int64_t bursts_left = 0;
  };
  /// The next command of a pseudo-channel on a bus. If not `known`, only a clock before which there is none.
  struct Next {
    PseudoChannel::Choice choice;
    bool known = false;
  };
  struct Options {
    PseudoChannel::Demand demand;
    Next column, row;
    std::int64_t due = 0;  ///< clock at which the next refresh is due
  };
  enum class Event { refresh_due, column, row };
  struct Step {
    std::int64_t clock = PseudoChannel::never;
    int pseudo_channel = 0;
    Event event = Event::refresh_due;
  };

  const std::vector<DramPart>& parts_of(const MemoryRequest& request) const;
  void update(int pseudo_channel, std::int64_t clock);
  Step next_step() const;
  void take(const Step& step);
  void issue(int pseudo_channel, const PseudoChannel::Choice& choice);
  void finish_burst(const PseudoChannel::Issued& issued);
  void collect(std::vector<MemoryCompletion>& completed);

  AddressMap map_;
  DramTimingState timing_;
  std::int64_t min_latency_;  ///< least clocks from a column command to the end of its data
  std::vector<PseudoChannel> pseudo_channels_;
  std::vector<Options> options_;
  std::vector<bool> stale_;
  Step next_;  ///< unless a pseudo-channel is stale
  std::int64_t now_ = 0;
  std::uint64_t sequence_ = 0;
  int turn_ = 0;  ///< the pseudo-channel that goes first in a tie
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;
  std::array<std::deque<MemoryCompletion>, 2> due_;  ///< by direction, in order of completion
  mutable MemoryRequest split_;                      ///< the request that parts_ belongs to
  mutable std::vector<DramPart> parts_;
  CommandObserver* observer_ = nullptr;
};

}  // namespace podsim::hw::memory::dram
