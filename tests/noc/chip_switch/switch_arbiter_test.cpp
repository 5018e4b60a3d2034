// SPDX-License-Identifier: Apache-2.0
#include "noc/chip_switch/switch_arbiter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace podsim::noc::chip_switch {
namespace {

using Match = SwitchArbiter::Match;

bool wants(const std::vector<std::uint64_t>& wanted, int input, int output) {
  return (wanted[std::size_t(output)] >> input & 1) != 0;
}

TEST(SwitchArbiter, GoesRoundTheInputsThatWantAnOutput) {
  SwitchArbiter arbiter(4);
  const std::vector<std::uint64_t> wanted{0, 0, 0b1011, 0};
  std::vector<int> order;
  for (int slot = 0; slot < 6; ++slot) order.push_back(arbiter.match(wanted, 0b1111, 0b1111).at(0).input);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 3, 0, 1, 3}));
}

TEST(SwitchArbiter, MatchesNeitherPortsThatAreTakenNorWhatNobodyWants) {
  SwitchArbiter arbiter(3);
  EXPECT_TRUE(arbiter.match({0b111, 0b111, 0b111}, 0b111, 0).empty());
  EXPECT_TRUE(arbiter.match({0b111, 0b111, 0b111}, 0, 0b111).empty());
  EXPECT_TRUE(arbiter.match({0, 0, 0}, 0b111, 0b111).empty());
  EXPECT_EQ(arbiter.match({0b011, 0b011, 0b011}, 0b110, 0b100), (std::vector<Match>{{1, 2}}));
}

TEST(SwitchArbiter, JoinsEveryPortOnceTheyAllWantEachOther) {
  // The property that iSLIP is known for: under full load its pointers spread out until every slot is a permutation.
  for (int ports : {1, 2, 5, 9, 64}) {
    SwitchArbiter arbiter(ports);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - ports);
    const std::vector<std::uint64_t> wanted(std::size_t(ports), all);
    for (int slot = 0; slot < ports; ++slot) arbiter.match(wanted, all, all);
    std::vector<int> joined(std::size_t(ports * ports));
    for (int slot = 0; slot < ports; ++slot) {
      const auto& matches = arbiter.match(wanted, all, all);
      EXPECT_EQ(int(matches.size()), ports);
      for (const Match& match : matches) ++joined[std::size_t(match.input * ports + match.output)];
    }
    EXPECT_EQ(std::ranges::count(joined, 1), ports * ports);  // every pair once in as many slots as there are ports
  }
}

RC_GTEST_PROP(SwitchArbiter, LeavesNoFreePairApartAndJoinsNoPortTwice, ()) {
  const int ports = *rc::gen::inRange(1, 10);
  SwitchArbiter arbiter(ports);
  for (int slot = 0; slot < 20; ++slot) {
    const auto bits = rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << ports);
    const auto wanted = *rc::gen::container<std::vector<std::uint64_t>>(std::size_t(ports), bits);
    std::uint64_t inputs = *bits, outputs = *bits;
    for (const Match& match : arbiter.match(wanted, inputs, outputs)) {
      RC_ASSERT(wants(wanted, match.input, match.output));
      RC_ASSERT((inputs >> match.input & 1) != 0);
      RC_ASSERT((outputs >> match.output & 1) != 0);
      inputs &= ~(std::uint64_t{1} << match.input);
      outputs &= ~(std::uint64_t{1} << match.output);
    }
    for (int output = 0; output < ports; ++output) {
      RC_ASSERT((outputs >> output & 1) == 0 || (wanted[std::size_t(output)] & inputs) == 0);
    }
  }
}

}  // namespace
}  // namespace podsim::noc::chip_switch
