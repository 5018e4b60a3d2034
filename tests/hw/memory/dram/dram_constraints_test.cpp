// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/dram_constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw::memory::dram {
namespace {

using enum DramCommand;
using enum DramScope;

std::optional<std::int64_t> clocks(DramScope scope, DramCommand previous, DramCommand next) {
  static const parts::hbm::DramParameters parameters = hbm2.with();
  for (const DramConstraint& row : dram_constraints(parameters.organization, parameters.timing)) {
    if (row.scope == scope && row.previous == previous && row.next == next && row.window == 1) {
      return row.clocks.value();
    }
  }
  return std::nullopt;
}

// Figures computed by hand from CL 13, CWL 5, two clocks per burst and the rest of the HBM2 table.
TEST(DramConstraints, OfHbm2AreWhatDataSheetsSay) {
  EXPECT_EQ(clocks(bank, activate, read), 13);
  EXPECT_EQ(clocks(bank, activate, write), 11);
  EXPECT_EQ(clocks(bank, activate, precharge), 31);
  EXPECT_EQ(clocks(bank, activate, activate), 44);
  EXPECT_EQ(clocks(bank, precharge, activate), 13);
  EXPECT_EQ(clocks(bank, read, precharge), 5);
  EXPECT_EQ(clocks(bank, write, precharge), 5 + 2 + 15);
  EXPECT_EQ(clocks(bank, read_precharge, activate), 5 + 13);
  EXPECT_EQ(clocks(bank, write_precharge, activate), 5 + 2 + 15 + 13);
  EXPECT_EQ(clocks(pseudo_channel, read, read), 2);
  EXPECT_EQ(clocks(bank_group, read, read), 4);
  EXPECT_EQ(clocks(bank_group, write, write), 4);
  EXPECT_EQ(clocks(pseudo_channel, read, write), 13 + 2 + 1 - 5);
  EXPECT_EQ(clocks(pseudo_channel, write, read), 5 + 2 + 6);
  EXPECT_EQ(clocks(bank_group, write, read), 5 + 2 + 8);
  EXPECT_EQ(clocks(pseudo_channel, activate, activate), 4);
  EXPECT_EQ(clocks(bank_group, activate, activate), 5);
  EXPECT_EQ(clocks(pseudo_channel, precharge_all, refresh_all), 13);
  EXPECT_EQ(clocks(pseudo_channel, refresh_all, activate), 315);
  EXPECT_EQ(clocks(bank, refresh_bank, activate), 144);
  EXPECT_EQ(clocks(pseudo_channel, refresh_bank, activate), 8);
  EXPECT_EQ(clocks(channel, activate, precharge), 2);
  EXPECT_EQ(clocks(channel, precharge, activate), 1);
  EXPECT_EQ(clocks(channel, read, write), 1);
  EXPECT_EQ(clocks(channel, activate, read), std::nullopt);  // they have separate buses
}

TEST(DramConstraints, FiveActivatesTakeTheirWindow) {
  const parts::hbm::DramParameters parameters = hbm2.with();
  const auto table = dram_constraints(parameters.organization, parameters.timing);
  const auto rule = std::ranges::find_if(table, [](const DramConstraint& row) { return row.window != 1; });
  ASSERT_NE(rule, table.end());
  EXPECT_EQ(rule->window, 4);
  EXPECT_EQ(rule->clocks, base::Cycles(15));
  EXPECT_EQ(rule->scope, pseudo_channel);
}

class TableOfEveryStandard : public ::testing::TestWithParam<DramStandard> {};
INSTANTIATE_TEST_SUITE_P(DramConstraints, TableOfEveryStandard, ::testing::Values(hbm2, hbm3),
                         [](const auto& test) { return test.param.name; });

// The data pins of a pseudo-channel carry one burst at a time, for any sequence of commands.
TEST_P(TableOfEveryStandard, KeepsBurstsApartOnTheDataPins) {
  const parts::hbm::DramParameters parameters = GetParam().with();
  const auto data = [&](DramCommand command) {
    return command == read || command == read_precharge ? parameters.timing.cl : parameters.timing.cwl;
  };
  const auto columns = {read, write, read_precharge, write_precharge};
  std::size_t pairs = 0;
  for (const DramConstraint& row : dram_constraints(parameters.organization, parameters.timing)) {
    if (row.scope != pseudo_channel || std::ranges::count(columns, row.previous) == 0) continue;
    if (std::ranges::count(columns, row.next) == 0) continue;
    ++pairs;
    EXPECT_GE(row.clocks + data(row.next), data(row.previous) + parameters.organization.burst_clocks)
        << to_string(row.previous) << " " << to_string(row.next);
  }
  EXPECT_EQ(pairs, 16u);
}

}  // namespace
}  // namespace podsim::hw::memory::dram
