// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/memory/dram_constraints.h"

namespace podsim::hw {

/// Where in a channel a command goes. Groups and banks are numbered through the channel:
/// group = pseudo_channel * bank_groups + group within it, bank = group * banks_per_group + bank within it.
struct DramPlace {
  int pseudo_channel = 0;
  int group = 0;
  int bank = 0;
};

/// When a channel may take which command next, by the table of constraints.
///
/// Every place of every scope (the channel, each pseudo-channel, group and bank) keeps, for each command, the earliest
/// clock at which its own rules allow it; a command waits for all the places it lies in. The table is resolved once
/// into arrays per scope and issued command; commands that a scope's rules treat alike share their clocks.
/// precharge_all and refresh_all concern the channel and the pseudo-channel only. Which rows are open is not known
/// here.
class DramTimingState {
 public:
  DramTimingState(const std::vector<DramConstraint>& constraints, const DramOrganization& organization);

  std::int64_t earliest(DramCommand command, const DramPlace& place) const;
  /// Whether the constraints allow it.
  bool accepts(DramCommand command, const DramPlace& place, std::int64_t clock) const {
    return earliest(command, place) <= clock;
  }
  /// Clocks of one channel must not run backwards.
  void issue(DramCommand command, const DramPlace& place, std::int64_t clock);

  // What the rules of one scope alone say.
  std::int64_t of_channel(DramCommand command) const { return *of(DramScope::channel, command); }
  std::int64_t of_pseudo_channel(DramCommand command, int pseudo_channel) const {
    return of(DramScope::pseudo_channel, command)[pseudo_channel];
  }
  /// Of the groups of a pseudo-channel, by their number in it; of the banks likewise.
  const std::int64_t* of_groups(DramCommand command, int pseudo_channel) const {
    return of(DramScope::bank_group, command) + (pseudo_channel << (bank_bits_ - group_bits_));
  }
  const std::int64_t* of_banks(DramCommand command, int pseudo_channel) const {
    return of(DramScope::bank, command) + (pseudo_channel << bank_bits_);
  }

  /// A bank by its number in its pseudo-channel.
  DramPlace place(int pseudo_channel, int bank) const {
    const int number = (pseudo_channel << bank_bits_) + bank;
    return {pseudo_channel, number >> group_bits_, number};
  }
  int group_of(int bank) const { return bank >> group_bits_; }

 private:
  struct Effect {
    DramScope scope;
    std::size_t offset;  ///< of the first place's clock
    std::int64_t clocks;
  };
  struct WindowRule {
    DramCommand previous;
    Effect effect;
    std::vector<std::vector<std::int64_t>> times;  ///< per place, the last clocks of the window, in a ring
    std::vector<std::size_t> oldest;               ///< per place
  };
  using Offsets = std::array<std::size_t, dram_command_count>;

  const std::int64_t* of(DramScope scope, DramCommand command) const {
    return earliest_.data() + offsets_[std::size_t(scope)][std::size_t(command)];
  }
  void resolve(DramScope scope, const std::vector<DramConstraint>& constraints, std::size_t places);
  void add(DramScope scope, std::size_t offset, const DramConstraint& rule, std::size_t places);
  void apply_window(WindowRule& rule, std::size_t place, std::int64_t clock);

  int group_bits_;                      ///< that number a bank in its group
  int bank_bits_;                       ///< that number a bank in its pseudo-channel
  std::vector<std::int64_t> earliest_;  ///< the clocks of all places of a scope for one command lie together
  std::array<Offsets, dram_scope_count> offsets_{};              ///< into earliest_
  std::array<std::vector<Effect>, dram_command_count> effects_;  ///< of commands, those of wide scopes first
  std::array<std::size_t, dram_command_count> wide_effects_{};   ///< how many are of no bank or group
  std::vector<WindowRule> windows_;
};

}  // namespace podsim::hw
