// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/contention_agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/hw/test_machine.h"

namespace podsim::hw::chip {
namespace {

// The banks are the reference. `podsim calibrate contention` compares 200 pairs; these are other ones.
TEST(ContentionAgreement, StreamsAndReplayTakeAsLongAsBanks) {
  const Machine machine = tpu_v3();
  double replay = 0, streams = 0;
  constexpr std::uint64_t pairs = 24;
  for (std::uint64_t seed = 0; seed < pairs; ++seed) {
    const ContentionComparison pair = compare_contention(machine, random_contention(machine, 7'000'000 + seed));
    replay += std::abs(relative_error(pair.replay.both(), pair.banks.both())) / double(pairs);
    streams += std::abs(relative_error(pair.streams.both(), pair.banks.both())) / double(pairs);
  }
  EXPECT_LT(replay, 0.05);
  EXPECT_LT(streams, 0.05);
}

TEST(ContentionAgreement, NoOpEndsEarlierForTrafficBesideIt) {
  const Machine machine = tpu_v3();
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const ContentionComparison pair = compare_contention(machine, random_contention(machine, seed));
    EXPECT_GE(pair.replay.op, pair.op_alone);
    EXPECT_GE(pair.streams.op, pair.op_alone);
  }
}

}  // namespace
}  // namespace podsim::hw::chip
