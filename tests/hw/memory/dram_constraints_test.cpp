// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram_constraints.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "tests/hw/memory/dram_parameters.h"

namespace podsim::hw {
namespace {

using enum DramCommand;
using enum DramScope;

std::optional<std::int64_t> clocks(DramScope scope, DramCommand previous, DramCommand next) {
  static const DramParameters hbm2 = dram_with({});
  for (const DramConstraint& row : dram_constraints(hbm2.organization, hbm2.timing)) {
    if (row.scope == scope && row.previous == previous && row.next == next && row.window == 1) {
      return row.clocks.value();
    }
  }
  return std::nullopt;
}

// Figures worked out by hand from CL 13, CWL 5, two clocks per burst and the rest of the HBM2 table.
TEST(DramConstraints, of_hbm2_are_what_data_sheets_say) {
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
  EXPECT_EQ(clocks(channel, activate, read), std::nullopt);  // they have buses of their own
}

TEST(DramConstraints, five_activates_take_their_window) {
  const DramParameters hbm2 = dram_with({});
  const auto table = dram_constraints(hbm2.organization, hbm2.timing);
  const auto rule = std::ranges::find_if(table, [](const DramConstraint& row) { return row.window != 1; });
  ASSERT_NE(rule, table.end());
  EXPECT_EQ(rule->window, 4);
  EXPECT_EQ(rule->clocks, base::Cycles(15));
  EXPECT_EQ(rule->scope, pseudo_channel);
}

// The data pins of a pseudo-channel carry one burst at a time, whatever follows whatever.
TEST(DramConstraints, keep_bursts_apart_on_the_data_pins) {
  const auto data = [](DramCommand command) { return command == read || command == read_precharge ? 13 : 5; };
  for (const DramCommand first : {read, write, read_precharge, write_precharge}) {
    for (const DramCommand second : {read, write, read_precharge, write_precharge}) {
      const auto distance = clocks(pseudo_channel, first, second);
      ASSERT_TRUE(distance);
      EXPECT_GE(*distance + data(second), data(first) + 2) << to_string(first) << " " << to_string(second);
    }
  }
}

}  // namespace
}  // namespace podsim::hw
