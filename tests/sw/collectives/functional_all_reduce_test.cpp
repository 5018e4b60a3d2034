// SPDX-License-Identifier: Apache-2.0
#include "sw/collectives/functional_all_reduce.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "sw/graph/literal.h"

namespace podsim::sw {
namespace {

AllReduceSchedule any_schedule(ElementType type) {
  std::vector<std::int64_t> sizes;
  std::vector<bool> wraps;
  int dimensions = *rc::gen::inRange(1, 4);
  for (int d = 0; d < dimensions; ++d) {
    sizes.push_back(dimensions == 3 ? *rc::gen::inRange(1, 4) : *rc::gen::inRange(1, 9));
    wraps.push_back(*rc::gen::arbitrary<bool>());
  }
  return AllReduceSchedule(noc::Topology(sizes, wraps), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 300), type,
                           *rc::gen::inRange(1, 40));
}

std::size_t cores(const AllReduceSchedule& schedule) {
  return std::size_t(schedule.topology().nodes()) * schedule.cores_per_chip();
}

// Integers so small that every partial sum is exact in the element type: any order gives the same sum.
void every_core_has_the_sum(ElementType type, int largest) {
  AllReduceSchedule schedule = any_schedule(type);
  CoreVectors inputs(cores(schedule));
  std::vector<double> sum(std::size_t(schedule.elements()), 0.0);
  for (auto& values : inputs) {
    values = *rc::gen::container<std::vector<double>>(
        std::size_t(schedule.elements()),
        rc::gen::map(rc::gen::inRange(0, largest + 1), [](int i) { return double(i); }));
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i];
  }
  for (const auto& result : run_functional(schedule, inputs)) RC_ASSERT(result == sum);
}

RC_GTEST_PROP(FunctionalAllReduce, EveryCoreEndsWithTheSumInF32, ()) { every_core_has_the_sum(ElementType::f32, 1000); }

RC_GTEST_PROP(FunctionalAllReduce, EveryCoreEndsWithTheSumInBf16, ()) {
  every_core_has_the_sum(ElementType::bf16, 1);  // up to 192 cores, exact in 8 bits
}

RC_GTEST_PROP(FunctionalAllReduce, RealNumbersDifferByOneRoundingPerHopAndAreEqualOnAllCores, ()) {
  AllReduceSchedule schedule = any_schedule(ElementType::bf16);
  CoreVectors inputs(cores(schedule));
  std::vector<double> sum(std::size_t(schedule.elements()), 0.0);
  for (auto& values : inputs) {
    for (std::size_t i = 0; i < sum.size(); ++i) {
      values.push_back(round_to(ElementType::bf16, *rc::gen::inRange(1, 100000) * 1e-5));
      sum[i] += values[i];
    }
  }
  auto results = run_functional(schedule, inputs);
  // A summand is rounded at most once per chip of each dimension on its way, to half a unit in 8 bits; all are
  // positive.
  double hops = 1;
  for (int d = 0; d < schedule.topology().dimensions(); ++d) hops += schedule.topology().size(d);
  double bound = std::pow(1 + std::ldexp(1.0, -8), hops) - 1 + 1e-5;
  for (std::size_t i = 0; i < sum.size(); ++i) RC_ASSERT(std::abs(results[0][i] - sum[i]) <= bound * sum[i]);
  for (const auto& result : results) RC_ASSERT(result == results[0]);
}

TEST(FunctionalAllReduce, AccumulatesInF32WithinAHopAndRoundsWhatTravels) {
  // 256 + 1 is not a bf16 value and rounds to even, 256; in f32 the two ones of a chip first make 2: 256 + 2 = 258.
  AllReduceSchedule schedule(noc::Topology({2}, {false}), 2, 1, ElementType::bf16, 8);
  auto results = run_functional(schedule, {{256}, {0}, {1}, {1}});
  EXPECT_EQ(results[0][0], 258);
  AllReduceSchedule line(noc::Topology({3}, {false}), 1, 1, ElementType::bf16, 8);
  // The only real element is owned by chip 0: the ones of chips 2 and 1 meet as 2 before they reach it.
  EXPECT_EQ(run_functional(line, {{256}, {1}, {1}})[0][0], 258);
  // From chip 2 comes 256, chip 1 adds one and must round before it sends on, then chip 0 adds one.
  EXPECT_EQ(run_functional(line, {{1}, {1}, {256}})[0][0], 256);
}

}  // namespace
}  // namespace podsim::sw
