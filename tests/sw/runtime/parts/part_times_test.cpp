// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/parts/part_times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <random>

#include "sw/collectives/engine/collective_simulation.h"
#include "sw/collectives/schedule/collective_estimate.h"
#include "tests/sw/collectives/tpu_v3.h"

namespace podsim::sw::runtime::parts {
namespace {

constexpr std::int64_t cycle_ps = 1064;  // of 940 MHz, rounded up

/// An all-gather along the rows of a 4x4 slice.
struct Rows {
  sw::TargetMachine machine = collectives::tpu_v3();
  noc::Topology slice{{4, 4}, {false, false}};
  collectives::CollectiveGroups groups = collectives::CollectiveGroups::parse("x", slice, 2);
  collectives::schedule::CollectiveRequest request{collectives::CollectiveKind::all_gather, hlo::ElementType::bf16,
                                                   1 << 20};
  std::shared_ptr<const collectives::schedule::CollectiveSchedule> schedule =
      std::make_shared<const collectives::schedule::CollectiveSchedule>(
          slice, 2, groups, request, collectives::Algorithm::y_then_x,
          collectives::schedule::segment_lengths(machine, request.type));
  std::vector<collectives::engine::SlicePart> parts = collectives::engine::all_parts(slice, 2, groups);
};

PartTimes::Times row_of(const PartTimes::Times& of_slice, std::size_t row) {
  return {of_slice.begin() + std::ptrdiff_t(8 * row), of_slice.begin() + std::ptrdiff_t(8 * row + 8)};
}

// The oracle is the simulation of the whole slice, in which no row meets another one.
TEST(PartTimes, AreThoseOfTheWholeSlice) {
  Rows rows;
  ASSERT_EQ(rows.parts.size(), 4);
  std::mt19937 random(1);
  PartTimes::Times starts(32);
  for (base::Time& start : starts) start = base::Time(std::int64_t(random() % 100'000'000));
  const auto whole =
      collectives::engine::simulate_collective(rows.machine, rows.schedule, {.fold = false, .starts = starts});
  PartTimes times(rows.machine, *rows.schedule, rows.parts[0]);
  const PartTimes::Times busy(std::size_t(rows.parts[0].slice.link_ids()));
  for (std::size_t row = 0; row < 4; ++row) {
    const PartTimes::Times finishes = times.result({0}, row_of(starts, row), busy).finishes;
    for (std::size_t core = 0; core < 8; ++core) {
      EXPECT_LE(std::abs((finishes[core] - whole.finish[8 * row + core]).value()), cycle_ps);
    }
  }
  EXPECT_EQ(times.simulated(), 4);
}

TEST(PartTimes, OfStartsThatAreAlikeDifferByLessThanTheStarts) {
  Rows rows;
  PartTimes times(rows.machine, *rows.schedule, rows.parts[0]);
  const PartTimes::Times busy(std::size_t(rows.parts[0].slice.link_ids()));
  PartTimes::Times starts(8), later(8);
  for (std::size_t core = 0; core < 8; ++core) {
    starts[core] = base::Time(1'000'000) * std::int64_t(core);
    later[core] = starts[core] + base::Time(7'000'000 + (core % 2 == 0 ? 0 : cycle_ps));
  }
  const PartTimes::Times first = times.result({0}, starts, busy).finishes;
  const PartTimes::Times second = times.result({0}, later, busy).finishes;
  EXPECT_EQ(times.simulated(), 1);
  for (std::size_t core = 0; core < 8; ++core) EXPECT_EQ(second[core] - first[core], base::Time(7'000'000 + 532));
  later[0] += base::Time(1'000'000'000);  // longer than the collective
  times.result({0}, later, busy);
  EXPECT_EQ(times.simulated(), 2);
}

TEST(PartTimes, AreLongerBehindTrafficOfItsLinks) {
  Rows rows;
  PartTimes times(rows.machine, *rows.schedule, rows.parts[0]);
  const PartTimes::Times starts(8);
  const base::Time until(50'000'000);
  const PartTimes::Times idle(std::size_t(rows.parts[0].slice.link_ids())), busy(idle.size(), until);
  const PartTimes::Times alone = times.result({0}, starts, idle).finishes;
  const PartTimes::Times behind = times.result({0}, starts, busy).finishes;
  for (std::size_t core = 0; core < 8; ++core) {
    EXPECT_GT(behind[core], alone[core]);
    EXPECT_LE(behind[core], alone[core] + until);
  }
}

}  // namespace
}  // namespace podsim::sw::runtime::parts
