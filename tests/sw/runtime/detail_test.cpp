// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/detail.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"

namespace podsim::sw::runtime {
namespace {

std::string hint_for(const char* name) {
  try {
    parse_detail(name);
  } catch (const base::InputError& error) {
    return error.diagnostics().front().hint;
  }
  return "accepted";
}

TEST(Detail, NamesAreReadAndWritten) {
  for (const char* name : {"auto", "tile", "replay", "chip"}) EXPECT_EQ(to_string(parse_detail(name)), name);
}

TEST(Detail, AnUnknownNameIsAnInputErrorWithTheNearestOneOrAll) {
  EXPECT_NE(hint_for("reply").find("replay"), std::string::npos);
  EXPECT_NE(hint_for("bundle-accurate").find("tile, replay"), std::string::npos);
}

TEST(Detail, TheRealChipsAreThoseNamedOrTheFirst) {
  const noc::FoldedTopology open(noc::Topology({2, 2}, {false, false}));
  EXPECT_EQ(real_chips(Detail::automatic, {}, open), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(real_chips(Detail::automatic, {"chip(1,*)"}, open), (std::vector<bool>{false, true, false, true}));
  EXPECT_EQ(real_chips(Detail::tile, {}, open), std::vector<bool>(4, true));
  EXPECT_EQ(real_chips(Detail::replay, {"chip*"}, open), std::vector<bool>(4, false));
}

TEST(Detail, AFoldedChipIsRealIfItsRepresentativeIs) {
  const noc::Topology torus({4, 2}, {true, false});
  const noc::FoldedTopology folded(torus, {true, false});
  EXPECT_EQ(real_chips(Detail::automatic, {"chip(3,1)"}, folded), (std::vector<bool>{false, true}));
}

}  // namespace
}  // namespace podsim::sw::runtime
