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
/// into arrays per scope and issued command. precharge_all and refresh_all concern the channel and the pseudo-channel
/// only. Which rows are open is not known here.
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
  std::int64_t of_channel(DramCommand command) const { return channel_.earliest[std::size_t(command)]; }
  std::int64_t of_pseudo_channel(int index, DramCommand command) const {
    return pseudo_channels_[std::size_t(index)].earliest[std::size_t(command)];
  }
  std::int64_t of_group(int index, DramCommand command) const {
    return groups_[std::size_t(index)].earliest[std::size_t(command)];
  }
  std::int64_t of_bank(int index, DramCommand command) const {
    return banks_[std::size_t(index)].earliest[std::size_t(command)];
  }

  DramPlace place(int pseudo_channel, int bank_in_pseudo_channel) const {
    const int bank = pseudo_channel * banks_per_pseudo_channel_ + bank_in_pseudo_channel;
    return {pseudo_channel, bank / banks_per_group_, bank};
  }

 private:
  struct Node {
    std::array<std::int64_t, dram_command_count> earliest{};
  };
  struct Effect {
    DramCommand next;
    std::int64_t clocks;
  };
  struct WindowRule {
    DramScope scope;
    DramCommand previous, next;
    std::int64_t clocks;
    std::size_t window;
    std::vector<std::vector<std::int64_t>> times;  ///< per place, the last `window` clocks, in a ring
    std::vector<std::size_t> oldest;               ///< per place
  };
  using Effects = std::array<std::vector<Effect>, dram_command_count>;

  void apply(DramScope scope, Node& node, DramCommand command, std::int64_t clock) const;
  void apply_window(WindowRule& rule, const DramPlace& place, std::int64_t clock);
  Node& node(DramScope scope, const DramPlace& place);
  std::size_t places(DramScope scope) const;

  int banks_per_group_;
  int banks_per_pseudo_channel_;
  std::array<Effects, dram_scope_count> effects_;
  std::vector<WindowRule> windows_;
  Node channel_;
  std::vector<Node> pseudo_channels_, groups_, banks_;
};

}  // namespace podsim::hw
