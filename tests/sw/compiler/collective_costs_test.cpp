// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/collective_costs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/hw/test_machine.h"
#include "tests/sw/collectives/collective_cases.h"

namespace podsim::sw::compiler {
namespace {

using collectives::CollectiveKind;

// The oracle is the simulation on the box that is assumed.
RC_GTEST_PROP(CollectiveCosts, AreNearTheSimulatedTimes, ()) {
  const hw::Machine& machine = hw::the_tpu_v3();
  const auto [x, y] = *rc::gen::elementOf(std::vector<std::pair<int, int>>{{2, 1}, {2, 2}, {4, 2}, {4, 4}, {8, 4}});
  const CollectiveKind kind =
      *rc::gen::element(CollectiveKind::all_reduce, CollectiveKind::reduce_scatter, CollectiveKind::all_gather);
  const std::int64_t elements = std::int64_t(1) << *rc::gen::inRange(8, 24);
  const noc::Topology slice({x, y}, {false, false});
  const base::Duration time =
      CollectiveCosts(machine, 2 * x * y).of({.kind = kind, .bytes = base::Bytes(2 * elements)});
  const base::Duration simulated = collectives::engine::CollectiveTimes(machine).least_time(
      slice, collectives::CollectiveGroups::all(slice, 2), {kind, ir::ElementType::bf16, elements});
  RC_ASSERT(time.si() > simulated.si() / 1.3);
  RC_ASSERT(time.si() < simulated.si() * 1.3);
}

// All links of a chip carry an all-reduce that is large; a ring of four neighbours has two, a pair one.
TEST(CollectiveCosts, KnowHowManyLinksAGroupHas) {
  const hw::Machine& machine = hw::the_tpu_v3();
  const double bytes = 1e9, link = machine.ici.payload_rate().si();
  const auto seconds = [&](std::int64_t devices, std::vector<std::vector<std::int32_t>> groups) {
    return CollectiveCosts(machine, devices).of({.bytes = base::Bytes(std::int64_t(bytes)), .groups = groups}).si();
  };
  EXPECT_NEAR(seconds(1, {}), 2 * bytes / (4 * link), 0.15 * 2 * bytes / (4 * link)) << "a pod";
  EXPECT_NEAR(seconds(8, {{0, 1, 2, 3}, {4, 5, 6, 7}}), bytes / link, 0.15 * bytes / link);
}

TEST(CollectiveCosts, OfAPermuteAreThoseOfItsBusiestLink) {
  const hw::Machine& machine = hw::the_tpu_v3();
  const double bytes = 1e9, link = machine.ici.payload_rate().si();
  const CollectiveOp permute{
      .kind = CollectiveKind::collective_permute, .bytes = base::Bytes(1'000'000'000), .groups = {{0, 2}, {2, 0}}};
  EXPECT_NEAR(CollectiveCosts(machine, 8).of(permute).si(), bytes / link, 0.01 * bytes / link);
}

}  // namespace
}  // namespace podsim::sw::compiler
