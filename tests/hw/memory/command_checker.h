// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "hw/memory/dram/channel_controller.h"

namespace podsim::hw::memory {

/// Checks every command of a channel against the table of constraints and the state of its bank. Keeps the last clocks
/// of every command in every unit and searches them.
class CommandChecker : public dram::CommandObserver {
 public:
  explicit CommandChecker(const parts::hbm::DramParameters& parameters)
      : table_(dram::dram_constraints(parameters.organization, parameters.timing)),
        organization_(parameters.organization) {}

  void issued(dram::DramCommand command, const dram::DramTarget& target, std::int64_t row,
              base::Cycles clock) override {
    EXPECT_GE(clock.value(), last_);
    last_ = clock.value();
    check_rules(command, target, clock.value());
    check_state(command, target, row);
    for (const dram::DramScope scope : scopes) {
      std::deque<std::int64_t>& clocks = past_[{command, where(scope, command, target)}];
      clocks.push_front(clock.value());
      if (clocks.size() > 4) clocks.pop_back();
    }
    ++counts[std::size_t(command)];
  }

  std::array<std::int64_t, dram::dram_command_count> counts{};
  std::int64_t count(dram::DramCommand command) const { return counts[std::size_t(command)]; }

 private:
  using Where = std::pair<dram::DramScope, int>;
  static constexpr std::array scopes = {dram::DramScope::channel, dram::DramScope::pseudo_channel,
                                        dram::DramScope::bank_group, dram::DramScope::bank};

  static bool of_all_banks(dram::DramCommand command) {
    return command == dram::DramCommand::precharge_all || command == dram::DramCommand::refresh_all;
  }
  static Where where(dram::DramScope scope, dram::DramCommand command, const dram::DramTarget& target) {
    if (scope == dram::DramScope::channel) return {scope, 0};
    if (scope == dram::DramScope::pseudo_channel) return {scope, target.pseudo_channel};
    if (of_all_banks(command)) return {scope, -1};
    return {scope, scope == dram::DramScope::bank_group ? target.group : target.bank};
  }

  void check_rules(dram::DramCommand command, const dram::DramTarget& target, std::int64_t clock) {
    for (const dram::DramConstraint& rule : table_) {
      if (rule.next != command || (of_all_banks(command) && rule.scope > dram::DramScope::pseudo_channel)) continue;
      const auto found = past_.find({rule.previous, where(rule.scope, command, target)});
      if (found == past_.end() || found->second.size() < std::size_t(rule.window)) continue;
      const std::int64_t before = found->second[std::size_t(rule.window) - 1];
      EXPECT_GE(clock, before + rule.clocks.value())
          << dram::to_string(command) << " " << clock - before << " clocks after " << dram::to_string(rule.previous);
    }
  }

  void check_state(dram::DramCommand command, const dram::DramTarget& target, std::int64_t row) {
    using enum dram::DramCommand;
    const int first = target.pseudo_channel * int(organization_.banks());
    const bool open = rows_.contains(target.bank);
    switch (command) {
      case activate:
        EXPECT_FALSE(open);
        rows_[target.bank] = row;
        break;
      case read:
      case write:
      case read_precharge:
      case write_precharge:
        EXPECT_TRUE(open);
        EXPECT_EQ(rows_[target.bank], row);
        if (command == read_precharge || command == write_precharge) rows_.erase(target.bank);
        break;
      case precharge:
        EXPECT_TRUE(open);
        rows_.erase(target.bank);
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

  std::vector<dram::DramConstraint> table_;
  parts::hbm::DramOrganization organization_;
  std::map<std::pair<dram::DramCommand, Where>, std::deque<std::int64_t>> past_;  ///< the latest first
  std::map<int, std::int64_t> rows_;                                              ///< open, by bank
  std::int64_t last_ = 0;
};

}  // namespace podsim::hw::memory
