// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/contention_agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/hw/test_machine.h"

namespace podsim::hw::chip {
namespace {

// The banks are the reference. `podsim calibrate contention` compares 200 pairs; these are other ones.
TEST(ContentionAgreement, TheLawTakesAsLongAsBanks) {
  const Machine machine = tpu_v3();
  double error = 0;
  constexpr std::uint64_t pairs = 24;
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    const ContentionComparison pair = compare_contention(machine, random_contention(machine, 7'000'000 + seed));
    error += std::abs(relative_error(pair.law.both(), pair.banks.both())) / double(pairs);
    EXPECT_GE(pair.law.op, pair.op_alone);
  }
  EXPECT_LT(error, 0.03);
}

TEST(ContentionAgreement, UnitsAndReplayTakeTheSameToThePicosecond) {
  const Machine machine = tpu_v3();
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const ContentionCase pair = random_contention(machine, seed);
    const ContentionTimes replay = replayed_contention(machine, pair), units = tiled_contention(machine, pair);
    EXPECT_EQ(replay.op, units.op) << seed;
    EXPECT_EQ(replay.traffic, units.traffic) << seed;
  }
}

}  // namespace
}  // namespace podsim::hw::chip
