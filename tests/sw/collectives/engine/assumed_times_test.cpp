// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/engine/assumed_times.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::collectives::engine {
namespace {

// The oracle is the simulation on the box that is assumed. The formula misses it by less than 1.7 times, as the choice
// of algorithms relies on.
RC_GTEST_PROP(AssumedTimes, AreNearTheSimulatedTimes, ()) {
  const sw::TargetMachine& machine = sw::the_tpu_v3();
  const auto [x, y] = *rc::gen::elementOf(std::vector<std::pair<int, int>>{{2, 1}, {2, 2}, {4, 2}, {4, 4}, {8, 4}});
  const CollectiveKind kind =
      *rc::gen::element(CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather);
  const std::int64_t elements = std::int64_t(1) << *rc::gen::inRange(8, 24);
  const noc::Topology slice({x, y}, {false, false});
  const base::Duration time = AssumedTimes(machine, 2 * x * y).of({kind, hlo::ElementType::bf16, elements}, {});
  const base::Duration simulated = CollectiveTimes(machine).min_time(slice, CollectiveGroups::all(slice, 2),
                                                                     {kind, hlo::ElementType::bf16, elements});
  RC_ASSERT(time.si() > simulated.si() / 1.7);
  RC_ASSERT(time.si() < simulated.si() * 1.7);
}

// All links of a chip carry an all-reduce that is large; two chips have one link in each direction, half of it for a
// phase.
TEST(AssumedTimes, KnowHowManyLinksAGroupHas) {
  const sw::TargetMachine& machine = sw::the_tpu_v3();
  const schedule::CollectiveRequest large{CollectiveKind::all_reduce, hlo::ElementType::bf16, 500'000'000};
  const double link = 1e9 / machine.ici.payload_rate().si();
  EXPECT_NEAR(AssumedTimes(machine, 1).of(large, {}).si(), 2 * link / 4, 0.15 * link / 2) << "a pod";
  EXPECT_NEAR(AssumedTimes(machine, 8).of(large, {{0, 1, 2, 3}, {4, 5, 6, 7}}).si(), link, 0.15 * link);
}

TEST(AssumedTimes, OfAPermuteAreThoseOfItsBusiestLink) {
  const sw::TargetMachine& machine = sw::the_tpu_v3();
  const double link = 1e9 / machine.ici.payload_rate().si();
  const schedule::CollectiveRequest large{CollectiveKind::collective_permute, hlo::ElementType::bf16, 500'000'000};
  EXPECT_NEAR(AssumedTimes(machine, 8).of(large, {{0, 2}, {2, 0}}).si(), link, 0.01 * link);
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
