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

}  // namespace
}  // namespace podsim::sw::runtime
