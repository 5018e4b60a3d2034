// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "hw/memory/channel_controller.h"

namespace podsim::hw {

/// Holds every command of a channel against the table of constraints and the state that its bank is in. Keeps the
/// last clocks of every command in every place and looks through them.
class CommandChecker : public CommandObserver {
 public:
  explicit CommandChecker(const DramParameters& parameters)
      : table_(dram_constraints(parameters.organization, parameters.timing)), organization_(parameters.organization) {}

  void issued(DramCommand command, const DramPlace& place, std::int64_t row, base::Cycles clock) override {
    EXPECT_GE(clock.value(), last_);
    last_ = clock.value();
    check_rules(command, place, clock.value());
    check_state(command, place, row);
    for (const DramScope scope : scopes) {
      std::deque<std::int64_t>& clocks = past_[{command, where(scope, command, place)}];
      clocks.push_front(clock.value());
      if (clocks.size() > 4) clocks.pop_back();
    }
    ++counts[std::size_t(command)];
  }

  std::array<std::int64_t, dram_command_count> counts{};
  std::int64_t count(DramCommand command) const { return counts[std::size_t(command)]; }

 private:
  using Where = std::pair<DramScope, int>;
  static constexpr std::array scopes = {DramScope::channel, DramScope::pseudo_channel, DramScope::bank_group,
                                        DramScope::bank};

  static bool of_all_banks(DramCommand command) {
    return command == DramCommand::precharge_all || command == DramCommand::refresh_all;
  }
  static Where where(DramScope scope, DramCommand command, const DramPlace& place) {
    if (scope == DramScope::channel) return {scope, 0};
    if (scope == DramScope::pseudo_channel) return {scope, place.pseudo_channel};
    if (of_all_banks(command)) return {scope, -1};
    return {scope, scope == DramScope::bank_group ? place.group : place.bank};
  }

  void check_rules(DramCommand command, const DramPlace& place, std::int64_t clock) {
    for (const DramConstraint& rule : table_) {
      if (rule.next != command || (of_all_banks(command) && rule.scope > DramScope::pseudo_channel)) continue;
      const auto found = past_.find({rule.previous, where(rule.scope, command, place)});
      if (found == past_.end() || found->second.size() < std::size_t(rule.window)) continue;
      const std::int64_t before = found->second[std::size_t(rule.window) - 1];
      EXPECT_GE(clock, before + rule.clocks.value())
          << to_string(command) << " " << clock - before << " clocks after " << to_string(rule.previous);
    }
  }

  void check_state(DramCommand command, const DramPlace& place, std::int64_t row) {
    using enum DramCommand;
    const int first = place.pseudo_channel * int(organization_.banks());
    const bool open = rows_.contains(place.bank);
    switch (command) {
      case activate:
        EXPECT_FALSE(open);
        rows_[place.bank] = row;
        break;
      case read:
      case write:
      case read_precharge:
      case write_precharge:
        EXPECT_TRUE(open);
        EXPECT_EQ(rows_[place.bank], row);
        if (command == read_precharge || command == write_precharge) rows_.erase(place.bank);
        break;
      case precharge:
        EXPECT_TRUE(open);
        rows_.erase(place.bank);
        break;
      case refresh_bank:
        EXPECT_FALSE(open);
        break;
      case precharge_all:
        for (int bank = 0; bank < int(organization_.banks()); ++bank) rows_.erase(first + bank);
        break;
      case refresh_all:
        for (int bank = 0; bank < int(organization_.banks()); ++bank) EXPECT_FALSE(rows_.contains(first + bank));
        break;
    }
  }

  std::vector<DramConstraint> table_;
  DramOrganization organization_;
  std::map<std::pair<DramCommand, Where>, std::deque<std::int64_t>> past_;  ///< the latest first
  std::map<int, std::int64_t> rows_;                                        ///< open, by bank
  std::int64_t last_ = 0;
};

}  // namespace podsim::hw
