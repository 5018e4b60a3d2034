// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/dram_timing_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::memory::dram {
namespace {

using enum DramCommand;

std::vector<DramConstraint> table_of(const parts::hbm::DramParameters& parameters) {
  return dram_constraints(parameters.organization, parameters.timing);
}

/// One row of a standard's table.
struct Row {
  parts::hbm::DramOrganization organization;
  DramConstraint rule;
};

void PrintTo(const Row& row, std::ostream* out) { *out << row.rule.clocks.value() << " clocks"; }

std::vector<Row> rows_of(const DramStandard& standard) {
  const parts::hbm::DramParameters parameters = standard.with();
  std::vector<Row> rows;
  for (const DramConstraint& rule : table_of(parameters)) rows.push_back({parameters.organization, rule});
  return rows;
}

std::string scope_name(DramScope scope) {
  return std::array{"channel", "pseudo_channel", "bank_group", "bank"}[std::size_t(scope)];
}

// Bank 0 of group 0, and a bank that shares its unit of this scope but of no narrower one.
constexpr int first_bank = 0;
DramTarget neighbour(const DramTimingState& state, const Row& row, DramScope scope) {
  switch (scope) {
    case DramScope::channel:
      return state.target(1, first_bank);
    case DramScope::pseudo_channel:
      return state.target(0, int(row.organization.banks_per_group));
    case DramScope::bank_group:
      return state.target(0, 1);
    case DramScope::bank:
      return state.target(0, first_bank);
  }
  return {};
}

// A bank that does not share the first one's unit of a scope; none for the channel.
DramTarget stranger(const DramTimingState& state, const Row& row) {
  return neighbour(state, row, DramScope(std::uint8_t(row.rule.scope) - 1));
}

class EveryConstraint : public ::testing::TestWithParam<Row> {};

// Alone, so that no other rule hides it.
TEST_P(EveryConstraint, KeepsItsCommandAwayUntilTheClockItSays) {
  const DramConstraint rule = GetParam().rule;
  DramTimingState state({rule}, GetParam().organization);
  const DramTarget here = state.target(0, first_bank);
  constexpr std::int64_t start = 1000;
  for (int i = 0; i < rule.window; ++i) state.issue(rule.previous, here, start + i);
  const std::int64_t clock = start + rule.clocks.value();
  const DramTarget there = neighbour(state, GetParam(), rule.scope);
  EXPECT_FALSE(state.accepts(rule.next, there, clock - 1));
  EXPECT_TRUE(state.accepts(rule.next, there, clock));
  EXPECT_EQ(state.earliest(rule.next, there), clock);
  if (rule.scope != DramScope::channel) {
    EXPECT_TRUE(state.accepts(rule.next, stranger(state, GetParam()), start));
  }
}

TEST_P(EveryConstraint, OfSeveralCommandsCountsTheLastOrThatOfItsWindow) {
  const DramConstraint rule = GetParam().rule;
  DramTimingState state({rule}, GetParam().organization);
  const DramTarget here = state.target(0, first_bank);
  std::int64_t clock = 1000;
  for (int i = 0; i < 10; ++i, clock += 1000) state.issue(rule.previous, here, clock);
  const std::int64_t counts = clock - 1000 * rule.window;
  EXPECT_EQ(state.earliest(rule.next, neighbour(state, GetParam(), rule.scope)), counts + rule.clocks.value());
}

std::string row_name(const ::testing::TestParamInfo<Row>& test) {
  const DramConstraint& rule = test.param.rule;
  return scope_name(rule.scope) + "_" + std::string(to_string(rule.previous)) + "_" +
         std::string(to_string(rule.next)) + (rule.window == 1 ? "" : "_of_" + std::to_string(rule.window));
}

INSTANTIATE_TEST_SUITE_P(Hbm2, EveryConstraint, ::testing::ValuesIn(rows_of(hbm2)), row_name);
INSTANTIATE_TEST_SUITE_P(Hbm3, EveryConstraint, ::testing::ValuesIn(rows_of(hbm3)), row_name);

// The whole table, command by command, against a search through all earlier commands.
struct Past {
  DramCommand command;
  DramTarget target;
  std::int64_t clock;
};

bool of_all_banks(DramCommand command) { return command == precharge_all || command == refresh_all; }

bool shares(DramScope scope, const Past& past, DramCommand command, const DramTarget& target) {
  if (scope == DramScope::channel) return true;
  if (scope == DramScope::pseudo_channel) return past.target.pseudo_channel == target.pseudo_channel;
  if (of_all_banks(past.command) || of_all_banks(command)) return false;
  return scope == DramScope::bank_group ? past.target.group == target.group : past.target.bank == target.bank;
}

std::int64_t looked_up(const std::vector<DramConstraint>& table, const std::vector<Past>& history, DramCommand command,
                       const DramTarget& target) {
  std::int64_t earliest = 0;
  for (const DramConstraint& rule : table) {
    if (rule.next != command) continue;
    int seen = 0;
    for (auto past = history.rbegin(); past != history.rend(); ++past) {
      if (past->command != rule.previous || !shares(rule.scope, *past, command, target)) continue;
      if (++seen < rule.window) continue;
      earliest = std::max(earliest, past->clock + rule.clocks.value());
      break;
    }
  }
  return earliest;
}

TEST(DramTimingState, SaysWhatALookThroughTheWholePastSays) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const parts::hbm::DramParameters parameters = (seed % 2 == 0 ? hbm2 : hbm3).with();
    const std::vector<DramConstraint> table = table_of(parameters);
    std::mt19937 random(seed);
    DramTimingState state(table, parameters.organization);
    std::vector<Past> history;
    std::int64_t clock = 0;
    for (int i = 0; i < 200; ++i) {
      const DramTarget target =
          state.target(int(random() % 2), int(random() % unsigned(parameters.organization.banks())));
      const auto command = DramCommand(random() % dram_command_count);
      const std::int64_t earliest = looked_up(table, history, command, target);
      ASSERT_EQ(state.earliest(command, target), earliest) << "seed " << seed << ", command " << i;
      clock = std::max(clock, earliest) + std::int64_t(random() % 3);
      state.issue(command, target, clock);
      history.push_back({command, target, clock});
    }
  }
}

}  // namespace
}  // namespace podsim::hw::memory::dram
