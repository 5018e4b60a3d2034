// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "hw/memory/dram/address_map.h"
#include "hw/memory/dram/bank_queues.h"
#include "hw/memory/dram/bus_shares.h"
#include "hw/memory/dram/dram_timing_state.h"
#include "hw/memory/dram/refresh_schedule.h"
#include "hw/parts/hbm/custom_scheduler.h"

namespace podsim::hw::memory::dram {

/// Queues, banks and policy of one pseudo-channel. It chooses its next command on the row bus and on the column bus,
/// and its clock. The ChannelController, which owns the buses, decides and calls issue().
///
/// The policy is first ready, first come, first served: among the commands that are possible first, that of the oldest
/// request; or the order of a registered scheduler. One direction is served at a time. A drain of writes starts when
/// drain_high of them wait and the reads that waited at the end of the last drain are served, when only writes wait, or
/// when a write has been overtaken by starvation_bound reads. It ends when no write waits, or when the writes that
/// waited at its start, except drain_low of them, are written and a read waits. So neither direction waits for more
/// than one queue of the other.
///
/// Rows are opened and closed for both directions, first for the one being served. A row is closed for another only
/// when no burst of the direction being served waits for it. Refreshes are issued when due; from then on the bank takes
/// no other command until it is refreshed, except the precharge that closes it.
class PseudoChannel {
 public:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  struct Choice {
    std::int64_t clock = never;
    DramCommand command = DramCommand::read;
    int bank = 0;  ///< in this pseudo-channel
  };
  /// Banks to which commands may go, as bit masks. Choices stay valid while the demand stays the same and no command
  /// goes to the same bus.
  struct Demand {
    Direction direction = Direction::read;  ///< direction being served
    std::uint64_t columns = 0;              ///< a burst of this direction waits for the open row
    std::uint64_t rows = 0;                 ///< bursts of this direction wait, none for the open row
    std::uint64_t rows_ahead = 0;           ///< the same for the other direction, where none of this one waits
    std::uint64_t refresh = 0;              ///< a refresh is due
  };
  struct Issued {
    std::uint32_t request = 0;
    std::int64_t data_end = 0;
    Direction direction = Direction::read;
  };

  PseudoChannel(const parts::hbm::DramParameters& parameters, int index, DramTimingState& timing);

  std::int64_t room(Direction direction) const;
  bool empty() const { return waiting() == 0; }
  std::int64_t waiting() const { return queues_.bursts(Direction::read) + queues_.bursts(Direction::write); }
  std::int64_t waiting(Direction direction) const { return queues_.bursts(direction); }
  void push(Direction direction, const DramPart& part, std::uint32_t request, std::uint64_t sequence,
            std::int64_t clock);

  /// To be called after push() and issue(). May change the direction that is served.
  Demand demand(std::int64_t clock);
  /// The best commands at or after `clock`, if nothing changes until they are issued.
  Choice column_choice(const Demand& demand, std::int64_t clock) const;
  Choice row_choice(const Demand& demand, std::int64_t clock) const;
  /// Clock at which the next refresh becomes due; `never` while one is due already.
  std::int64_t next_due(std::int64_t clock) const;
  /// Issues a command. Returns the burst that a column command moves; std::nullopt for other commands.
  std::optional<Issued> issue(const Choice& choice);
  /// Skips the refreshes of a long time without requests.
  void skip_idle_rounds(std::int64_t clock);

  std::int64_t open_row(int bank) const { return queues_.open_row(bank); }
  DramTarget target(int bank) const { return timing_.target(index_, bank); }
  /// Shares up to `clock`, or up to the end of the last burst while requests wait.
  BusShares shares(std::int64_t clock) const;
  std::int64_t activates() const { return activates_; }
  std::int64_t bursts() const { return bursts_; }
  std::int64_t refreshes() const { return refreshes_ + refresh_.skipped(); }

 private:
  struct Candidate {
    Choice choice;
    std::uint64_t sequence = std::numeric_limits<std::uint64_t>::max();
  };

  /// Whether `a` is to be issued rather than `b`, which may be none.
  bool goes_before(const Candidate& a, const Candidate& b) const;
  /// The bank of `banks` to which `command` goes first.
  Candidate first_of(std::uint64_t banks, DramCommand command, const std::uint64_t* sequences,
                     std::int64_t clock) const;
  Candidate row_candidate(Direction direction, std::uint64_t banks, std::int64_t clock) const;
  std::uint64_t banks_to_refresh(std::int64_t clock) const;
  void choose_direction();
  Choice refresh_choice(std::int64_t clock) const;
  void refreshed(const Choice& choice);
  std::int64_t latency(Direction direction) const;
  Issued move(const Choice& choice, Direction direction);
  void account(int bank, Direction direction, std::int64_t clock);

  const parts::hbm::ControllerPolicy policy_;
  std::shared_ptr<const parts::hbm::CustomScheduler> scheduler_;  ///< nullptr: podsim's order
  const std::int64_t read_latency_, write_latency_, burst_clocks_, refresh_bank_clocks_, refresh_all_clocks_;
  const int index_;
  const std::uint64_t all_banks_;
  DramTimingState& timing_;
  BankQueues queues_;
  RefreshSchedule refresh_;
  Direction direction_ = Direction::read;
  std::int64_t drain_left_ = 0;            ///< bursts left in the drain
  std::int64_t reads_left_ = 0;            ///< bursts left of the reads that waited when the last drain ended
  std::int64_t overtaken_writes_ = 0;      ///< read bursts since the last drain that passed a waiting write
  std::vector<std::int64_t> refresh_end_;  ///< per bank, end of its last refresh

  Direction last_direction_ = Direction::read;  ///< direction of the last burst
  std::int64_t data_end_ = 0;
  std::int64_t waiting_since_ = 0;
  BusShares shares_;
  std::int64_t activates_ = 0, bursts_ = 0, refreshes_ = 0;
};

}  // namespace podsim::hw::memory::dram
