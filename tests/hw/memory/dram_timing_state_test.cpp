// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram_timing_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw {
namespace {

using enum DramCommand;

std::vector<DramConstraint> table_of(const DramParameters& parameters) {
  return dram_constraints(parameters.organization, parameters.timing);
}

/// One row of a standard's table.
struct Row {
  DramOrganization organization;
  DramConstraint rule;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.rule.clocks.value() << " clocks"; }

std::vector<Row> rows_of(const DramStandard& standard) {
  const DramParameters parameters = standard.with();
  std::vector<Row> rows;
  for (const DramConstraint& rule : table_of(parameters)) rows.push_back({parameters.organization, rule});
  return rows;
}

std::string scope_name(DramScope scope) {
  return std::array{"channel", "pseudo_channel", "bank_group", "bank"}[std::size_t(scope)];
}

// Bank 0 of group 0, and a bank that shares with it the place of a scope but none below.
constexpr int first_bank = 0;
DramPlace neighbour(const DramTimingState& state, const Row& row, DramScope scope) {
  switch (scope) {
    case DramScope::channel:
      return state.place(1, first_bank);
    case DramScope::pseudo_channel:
      return state.place(0, int(row.organization.banks_per_group));
    case DramScope::bank_group:
      return state.place(0, 1);
    case DramScope::bank:
      return state.place(0, first_bank);
  }
  return {};
}

// A bank that shares nothing of a scope with the first one; none for the channel.
DramPlace stranger(const DramTimingState& state, const Row& row) {
  return neighbour(state, row, DramScope(std::uint8_t(row.rule.scope) - 1));
}

class EveryConstraint : public testing::TestWithParam<Row> {};

// Alone, so that no other rule hides it.
TEST_P(EveryConstraint, keeps_its_command_away_until_the_clock_it_says) {
  const DramConstraint rule = GetParam().rule;
  DramTimingState state({rule}, GetParam().organization);
  const DramPlace here = state.place(0, first_bank);
  constexpr std::int64_t start = 1000;
  for (int i = 0; i < rule.window; ++i) state.issue(rule.previous, here, start + i);
  const std::int64_t clock = start + rule.clocks.value();
  const DramPlace there = neighbour(state, GetParam(), rule.scope);
  EXPECT_FALSE(state.accepts(rule.next, there, clock - 1));
  EXPECT_TRUE(state.accepts(rule.next, there, clock));
  EXPECT_EQ(state.earliest(rule.next, there), clock);
  if (rule.scope != DramScope::channel) {
    EXPECT_TRUE(state.accepts(rule.next, stranger(state, GetParam()), start));
  }
}

TEST_P(EveryConstraint, of_several_commands_counts_the_last_or_that_of_its_window) {
  const DramConstraint rule = GetParam().rule;
  DramTimingState state({rule}, GetParam().organization);
  const DramPlace here = state.place(0, first_bank);
  std::int64_t clock = 1000;
  for (int i = 0; i < 10; ++i, clock += 1000) state.issue(rule.previous, here, clock);
  const std::int64_t counts = clock - 1000 * rule.window;
  EXPECT_EQ(state.earliest(rule.next, neighbour(state, GetParam(), rule.scope)), counts + rule.clocks.value());
}

std::string name_of(const testing::TestParamInfo<Row>& test) {
  const DramConstraint& rule = test.param.rule;
  return scope_name(rule.scope) + "_" + std::string(to_string(rule.previous)) + "_" +
         std::string(to_string(rule.next)) + (rule.window == 1 ? "" : "_of_" + std::to_string(rule.window));
}

INSTANTIATE_TEST_SUITE_P(Hbm2, EveryConstraint, testing::ValuesIn(rows_of(hbm2)), name_of);
INSTANTIATE_TEST_SUITE_P(Hbm3, EveryConstraint, testing::ValuesIn(rows_of(hbm3)), name_of);

// The table as a whole, command by command, against a look through all that happened.
struct Past {
  DramCommand command;
  DramPlace place;
  std::int64_t clock;
};

bool of_all_banks(DramCommand command) { return command == precharge_all || command == refresh_all; }

bool shares(DramScope scope, const Past& past, DramCommand command, const DramPlace& place) {
  if (scope == DramScope::channel) return true;
  if (scope == DramScope::pseudo_channel) return past.place.pseudo_channel == place.pseudo_channel;
  if (of_all_banks(past.command) || of_all_banks(command)) return false;
  return scope == DramScope::bank_group ? past.place.group == place.group : past.place.bank == place.bank;
}

std::int64_t looked_up(const std::vector<DramConstraint>& table, const std::vector<Past>& history, DramCommand command,
                       const DramPlace& place) {
  std::int64_t earliest = 0;
  for (const DramConstraint& rule : table) {
    if (rule.next != command) continue;
    int seen = 0;
    for (auto past = history.rbegin(); past != history.rend(); ++past) {
      if (past->command != rule.previous || !shares(rule.scope, *past, command, place)) continue;
      if (++seen < rule.window) continue;
      earliest = std::max(earliest, past->clock + rule.clocks.value());
      break;
    }
  }
  return earliest;
}

TEST(DramTimingState, says_what_a_look_through_the_whole_past_says) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const DramParameters parameters = (seed % 2 == 0 ? hbm2 : hbm3).with();
    const std::vector<DramConstraint> table = table_of(parameters);
    std::mt19937 random(seed);
    DramTimingState state(table, parameters.organization);
    std::vector<Past> history;
    std::int64_t clock = 0;
    for (int i = 0; i < 200; ++i) {
      const DramPlace place = state.place(int(random() % 2), int(random() % unsigned(parameters.organization.banks())));
      const auto command = DramCommand(random() % dram_command_count);
      const std::int64_t earliest = looked_up(table, history, command, place);
      ASSERT_EQ(state.earliest(command, place), earliest) << "seed " << seed << ", command " << i;
      clock = std::max(clock, earliest) + std::int64_t(random() % 3);
      state.issue(command, place, clock);
      history.push_back({command, place, clock});
    }
  }
}

}  // namespace
}  // namespace podsim::hw
