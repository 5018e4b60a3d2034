// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hw/memory/memory_request.h"
#include "hw/memory/pseudo_channel.h"

namespace podsim::hw {

/// Learns of every command that a channel takes, in the order of clocks.
class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  /// `row` is what an activate opens; otherwise the row that was open before, or BankQueues::no_row.
  virtual void issued(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock) = 0;
};

/// One channel: pseudo-channels that share a bus for row commands and one for column commands, each of which takes one
/// command per clock. Times are clocks of the memory.
///
/// Nothing ticks: the model steps from command to command. What happens in a clock is decided when time moves past
/// it, so that every request of that clock takes part, and only the past is decided: how far ahead advance() is called
/// never changes the outcome.
///
/// An unloaded read of one burst completes RCD + CL + burst clocks after its arrival.
class ChannelController {
 public:
  explicit ChannelController(const DramParameters& parameters);
  ChannelController(const ChannelController&) = delete;
  ChannelController& operator=(const ChannelController&) = delete;

  /// Whether the queues have room for all of a request now.
  bool accepts(const MemoryRequest& request) const;
  /// A request that is accepted, at the present clock.
  void submit(const MemoryRequest& request);
  /// Decides all clocks before `clock`, which becomes the present, and appends what is complete by then, in the order
  /// of completion.
  void advance(base::Cycles clock, std::vector<MemoryCompletion>& completed);
  base::Cycles now() const { return base::Cycles(now_); }

  /// Nothing completes before this clock unless more is submitted; nothing when no request is left.
  std::optional<base::Cycles> next_completion() const;
  /// The clock at which a waiting request may find more room: the one after the next command; nothing when none waits.
  std::optional<base::Cycles> next_room() const;
  bool idle() const;

  /// Of all pseudo-channels together.
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
  /// What a pseudo-channel would say next on a bus: a choice, or only a clock before which there is none.
  struct Next {
    PseudoChannel::Choice choice;
    bool known = false;
  };
  struct Options {
    PseudoChannel::Demand demand;
    Next column, row;
    std::int64_t due = 0;  ///< of the next refresh
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
  std::int64_t least_latency_;  ///< column command to the end of its data
  std::vector<PseudoChannel> pseudo_channels_;
  std::vector<Options> options_;
  std::vector<bool> stale_;
  std::int64_t now_ = 0;
  std::uint64_t sequence_ = 0;
  int turn_ = 0;  ///< the pseudo-channel that goes first when both could
  std::vector<Pending> pending_;
  std::vector<std::uint32_t> free_;
  std::array<std::deque<MemoryCompletion>, 2> due_;  ///< per direction, in the order of completion
  mutable MemoryRequest split_;                      ///< the request that parts_ are of
  mutable std::vector<DramPart> parts_;
  CommandObserver* observer_ = nullptr;
};

}  // namespace podsim::hw
