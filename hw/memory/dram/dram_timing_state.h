// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "hw/memory/dram/dram_constraints.h"

namespace podsim::hw::memory::dram {

/// The unit of a channel that a command addresses. Groups and banks are numbered across the channel:
struct DramTarget {
  int pseudo_channel = 0;
  int group = 0;
  int bank = 0;
};

/// Computes when a channel may take each command next, from the table of constraints.
///
/// Every unit of every scope (the channel, each pseudo-channel, bank group and bank) keeps, for each command, the
/// earliest clock at which its own rules allow that command. A command waits for all the units that contain its target.
/// The constructor resolves the table into arrays per scope and issued command; commands with the same rules in a scope
/// share their clocks. precharge_all and refresh_all concern only the channel and the pseudo-channel. Open rows are not
/// tracked here (see BankQueues).
class DramTimingState {
 public:
  DramTimingState(const std::vector<DramConstraint>& constraints, const parts::hbm::DramOrganization& organization);

  std::int64_t earliest(DramCommand command, const DramTarget& target) const;
  /// Returns whether the constraints allow the command at `clock`.
  bool accepts(DramCommand command, const DramTarget& target, std::int64_t clock) const {
    return earliest(command, target) <= clock;
  }
  /// Records a command. Clocks must not decrease.
  void issue(DramCommand command, const DramTarget& target, std::int64_t clock);

  // Earliest clocks by the rules of one scope alone.
  std::int64_t of_channel(DramCommand command) const { return *of(DramScope::channel, command); }
  std::int64_t of_pseudo_channel(DramCommand command, int pseudo_channel) const {
    return of(DramScope::pseudo_channel, command)[pseudo_channel];
  }
  /// By bank group, and by bank, of a pseudo-channel, numbered within it.
  const std::int64_t* of_groups(DramCommand command, int pseudo_channel) const {
    return of(DramScope::bank_group, command) + (pseudo_channel << (bank_bits_ - group_bits_));
  }
  const std::int64_t* of_banks(DramCommand command, int pseudo_channel) const {
    return of(DramScope::bank, command) + (pseudo_channel << bank_bits_);
  }

  /// Target for a bank given by its number within its pseudo-channel.
  DramTarget target(int pseudo_channel, int bank) const {
    const int number = (pseudo_channel << bank_bits_) + bank;
    return {pseudo_channel, number >> group_bits_, number};
  }
  int group_of(int bank) const { return bank >> group_bits_; }

 private:
  struct Effect {
    DramScope scope;
    std::size_t offset;  ///< index in earliest_ of the clock of the scope's first unit
    std::int64_t clocks;
  };
  struct WindowRule {
    DramCommand previous;
    Effect effect;
    std::vector<std::vector<std::int64_t>> times;  ///< per unit, a ring of the last clocks of the window
    std::vector<std::size_t> oldest;               ///< per unit, index into its ring
  };
  using Offsets = std::array<std::size_t, dram_command_count>;

  const std::int64_t* of(DramScope scope, DramCommand command) const {
    return earliest_.data() + offsets_[std::size_t(scope)][std::size_t(command)];
  }
  void resolve(DramScope scope, const std::vector<DramConstraint>& constraints, std::size_t places);
  void add(DramScope scope, std::size_t offset, const DramConstraint& rule, std::size_t places);
  void apply_window(WindowRule& rule, std::size_t target, std::int64_t clock);

  int group_bits_;                                   ///< bits that number a bank in its group
  int bank_bits_;                                    ///< bits that number a bank in its pseudo-channel
  std::vector<std::int64_t> earliest_;               ///< all units of a scope are contiguous for one command
  std::array<Offsets, dram_scope_count> offsets_{};  ///< into earliest_
  std::array<std::vector<Effect>, dram_command_count> effects_;  ///< by issued command, wide scopes first
  std::array<std::size_t, dram_command_count> wide_effects_{};   ///< number of them that are not for a bank or group
  std::vector<WindowRule> windows_;
};

}  // namespace podsim::hw::memory::dram
