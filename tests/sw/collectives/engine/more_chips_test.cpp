// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "noc/slice.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/tpu_v3.h"

// A collective of few bytes on more chips takes no less time: it has more hops, and its launch reaches more hosts.
// Larger ones may take less, where a dimension closes to a ring.
namespace podsim::sw::collectives::engine {
namespace {

/// Every slice of a pod, and the two whose sides are half as long.
void expect_more_with_more_chips(CollectiveKind kind, std::int64_t bytes) {
  const sw::TargetMachine machine = tpu_v3();
  std::map<std::pair<std::int64_t, std::int64_t>, double> times;
  for (std::int64_t x = 1; x <= 32; x *= 2) {
    for (std::int64_t y = 1; y <= 32; y *= 2) {
      if (x * y == 1) continue;
      const noc::Topology slice = noc::slice_topology({machine.pod.dimensions, machine.pod.pods}, {x, y});
      const double time =
          seconds(simulate(machine, automatic(machine, slice, {kind, hlo::ElementType::bf16, bytes / 2})));
      times[{x, y}] = time;
      for (const auto& half : {std::pair(x / 2, y), std::pair(x, y / 2)}) {
        if (times.contains(half)) {
          EXPECT_GT(time, times[half]) << to_string(kind) << " of " << bytes << " bytes on " << x << "x" << y;
        }
      }
    }
  }
}

class MoreChips : public ::testing::TestWithParam<CollectiveKind> {};

TEST_P(MoreChips, TakeLonger) {
  for (const std::int64_t bytes : {512, 4096, 65536}) expect_more_with_more_chips(GetParam(), bytes);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MoreChips,
                         ::testing::Values(CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                                           CollectiveKind::all_gather, CollectiveKind::broadcast),
                         [](const auto& kind) {
                           std::string name(to_string(kind.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace podsim::sw::collectives::engine
