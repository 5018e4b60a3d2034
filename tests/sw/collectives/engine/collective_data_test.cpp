// SPDX-License-Identifier: Apache-2.0
// Collectives on numbers: every kind, algorithm, type and shape of group follows its definition.
#include "sw/collectives/engine/collective_data.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sw/collectives/engine/expected_results.h"
#include "tests/sw/collectives/collective_cases.h"
#include "tests/sw/collectives/engine/any_collective.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::collectives::engine {
namespace {

using noc::Topology;

using testing::any_case;
using testing::Case;

CoreVectors perform(const Case& sample, const CoreVectors& operands) {
  CollectiveData data(*sample.schedule, operands);
  simulate_collective(sample.machine, sample.schedule, {.starts = sample.starts, .data = &data});
  return data.results();
}

// Integers so small that every partial sum is exact in the element type: any order gives the same sum.
RC_GTEST_PROP(CollectiveData, EveryRankEndsWithWhatTheKindSays, ()) {
  const Case sample = any_case();
  const bool bf16 = sample.schedule->request().type == hlo::ElementType::bf16;
  const bool sums = traits(sample.schedule->request().kind).reduces;
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  const CoreVectors operands = operands_of(*sample.schedule, [&] {
    state = state * 1664525U + 1013904223U;
    return double((state >> 16) % (sums && bf16 ? 2 : 200));
  });
  CoreVectors expected = expected_results(*sample.schedule, operands);
  RC_ASSERT(perform(sample, operands) == expected);
}

RC_GTEST_PROP(CollectiveData, RealNumbersDifferByOneRoundingPerHop, ()) {
  const Case sample = any_case();
  std::uint32_t state = *rc::gen::arbitrary<std::uint32_t>();
  const hlo::ElementType type = sample.schedule->request().type;
  const CoreVectors operands = operands_of(*sample.schedule, [&] {
    state = state * 1664525U + 1013904223U;
    return hlo::round_to(type, double(1 + (state >> 16)) * 1e-5);
  });
  const CoreVectors results = perform(sample, operands), expected = expected_results(*sample.schedule, operands);
  // A summand is rounded at most once per member of its group, to half a unit; all are positive.
  const double unit = type == hlo::ElementType::bf16 ? std::ldexp(1.0, -8) : std::ldexp(1.0, -23);
  for (std::int32_t core = 0; core < sample.schedule->cores(); ++core) {
    if (!sample.schedule->takes_part(core)) continue;
    const double bound = std::pow(1 + unit, double(sample.schedule->ranks(core).size()) + 2) - 1 + 1e-5;
    const auto &got = results[std::size_t(core)], &want = expected[std::size_t(core)];
    RC_ASSERT(got.size() == want.size());
    for (std::size_t i = 0; i < got.size(); ++i) RC_ASSERT(std::abs(got[i] - want[i]) <= bound * want[i]);
  }
}

CoreVectors all_reduced(const noc::Topology& slice, int cores, const CoreVectors& operands) {
  Case sample;
  sample.machine.cores_per_chip = cores;
  sample.schedule = std::make_shared<const schedule::CollectiveSchedule>(
      slice, cores, CollectiveGroups::all(slice, cores),
      schedule::CollectiveRequest{CollectiveKind::all_reduce, hlo::ElementType::bf16, std::int64_t(operands[0].size())},
      Algorithm::y_then_x, SegmentLengths{8, 8});
  return perform(sample, operands);
}

TEST(CollectiveData, AccumulatesInF32WithinAHopAndRoundsWhatTravels) {
  // 256 + 1 is not a bf16 value and rounds to even, 256; in f32 the two ones of a chip first make 2: 256 + 2 = 258.
  EXPECT_EQ(all_reduced(noc::Topology({2}, {false}), 2, {{256}, {0}, {1}, {1}})[0][0], 258);
  // The only real element is owned by chip 0: the ones of chips 2 and 1 meet as 2 before they reach it.
  EXPECT_EQ(all_reduced(noc::Topology({3}, {false}), 1, {{256}, {1}, {1}})[0][0], 258);
  // From chip 2 comes 256, chip 1 adds one and must round before it sends on, then chip 0 adds one.
  EXPECT_EQ(all_reduced(noc::Topology({3}, {false}), 1, {{1}, {1}, {256}})[0][0], 256);
}

}  // namespace
}  // namespace podsim::sw::collectives::engine
