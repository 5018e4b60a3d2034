// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/plan_search.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "tests/hw/test_machine.h"

namespace podsim::sw::codegen::families {
namespace {

/// Reads and writes `bytes` in `tiles` equal parts.
hw::TileOp copy_of(std::int64_t bytes, std::int64_t tiles) {
  hw::TileWork work;
  work.reads = work.writes = {{base::Bytes(bytes / tiles)}};
  return {"copy", {{tiles, work}}, base::Bytes(4 * bytes / tiles)};
}

TEST(PlanSearch, TinyTilesLoseToThoseThatCoverTheLatency) {
  const hw::TileOp plans[] = {copy_of(1 << 21, 1024), copy_of(1 << 21, 8), copy_of(1 << 21, 512)};
  EXPECT_EQ(fastest_plan(hw::tpu_v3(), plans), 1U);
}

TEST(PlanSearch, TransfersOfMoreThanHalfAMegabyteAreTheLastResort) {
  const hw::TileOp large = copy_of(1 << 21, 1), small = copy_of(1 << 21, 1024);
  const hw::TileOp plans[] = {large, small};
  EXPECT_EQ(fastest_plan(hw::tpu_v3(), plans), 1U);
  EXPECT_EQ(fastest_plan(hw::tpu_v3(), {&large, 1}), 0U);
}

TEST(PlanSearch, WhatDoesNotFitVmemIsNotChosenAndNothingLeftIsAnError) {
  hw::Machine machine = hw::tpu_v3();
  machine.vmem = base::Bytes(1 << 16);
  const hw::TileOp large = copy_of(1 << 21, 8), small = copy_of(1 << 21, 1024);
  const hw::TileOp plans[] = {large, small};
  EXPECT_EQ(fastest_plan(machine, plans), 1U);
  EXPECT_THROW(fastest_plan(machine, {&large, 1}), base::InputError);
}

TEST(PlanSearch, PartCountsFallFromTheNumberOfUnitsToOne) {
  EXPECT_TRUE(part_counts(0).empty());
  EXPECT_EQ(part_counts(1), std::vector<std::int64_t>{1});
  EXPECT_EQ(part_counts(10), (std::vector<std::int64_t>{10, 6, 4, 2, 1}));
  const std::vector<std::int64_t> many = part_counts(1'000'000);
  EXPECT_EQ(many.back(), 1);
  EXPECT_TRUE(std::ranges::is_sorted(many, std::greater<>()));
}

}  // namespace
}  // namespace podsim::sw::codegen::families
