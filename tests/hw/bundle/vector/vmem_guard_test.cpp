// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vmem_guard.h"

#include <gtest/gtest.h>

namespace podsim::hw::bundle::vector {
namespace {

using Fault = VmemGuard::Fault;

RowSet rows_from(std::int64_t base) { return RowSet::strided(base, 1); }

struct VmemGuardTest : ::testing::Test {
  VmemGuard guard{64, base::Cycles(8)};
};

TEST_F(VmemGuardTest, KnowsTheFirstAndTheLastRow) {
  EXPECT_EQ(guard.check_load(rows_from(0), base::Cycles(0)).fault, Fault::none);
  EXPECT_EQ(guard.check_load(rows_from(56), base::Cycles(0)).fault, Fault::none);
  const VmemGuard::Finding beyond = guard.check_load(rows_from(57), base::Cycles(0));
  EXPECT_EQ(beyond.fault, Fault::out_of_range);
  EXPECT_EQ(beyond.row, 64);
  const VmemGuard::Finding before = guard.check_store(RowSet::strided(3, -1));
  EXPECT_EQ(before.fault, Fault::out_of_range);
  EXPECT_EQ(before.row, -1);
}

TEST_F(VmemGuardTest, AStoreIsSeenAfterEightCyclesAndNotAfterSeven) {
  guard.store(rows_from(8), base::Cycles(100));
  EXPECT_EQ(guard.check_load(rows_from(15), base::Cycles(107)).fault, Fault::store_not_seen);
  EXPECT_EQ(guard.check_load(rows_from(15), base::Cycles(107)).row, 15);
  EXPECT_EQ(guard.check_load(rows_from(15), base::Cycles(108)).fault, Fault::none);
  EXPECT_EQ(guard.check_load(rows_from(16), base::Cycles(101)).fault, Fault::none) << "other rows";
  EXPECT_EQ(guard.all_seen(), base::Cycles(108));
}

TEST_F(VmemGuardTest, DmaReadsNoRowWithAStoreOnItsWay) {
  guard.store(rows_from(8), base::Cycles(100));
  const Region inside{8 * 128 + 5, 1, 1, 0};
  EXPECT_EQ(guard.check_dma_read(inside, base::Cycles(107)).fault, Fault::store_not_seen);
  EXPECT_EQ(guard.check_dma_read(inside, base::Cycles(108)).fault, Fault::none);
  EXPECT_EQ(guard.check_dma_read({0, 8 * 128, 1, 0}, base::Cycles(101)).fault, Fault::none);
}

TEST_F(VmemGuardTest, RowsThatDmaWritesAreOutOfBoundsUntilItEnds) {
  const Region tile{16 * 128 + 127, 2, 2, 512};  // rows 16, 17 and 20, 21
  guard.begin_dma(tile, true);
  for (const std::int64_t row : {16, 17, 20, 21}) {
    EXPECT_EQ(guard.check_load(RowSet::strided(row, 0), base::Cycles(0)).fault, Fault::dma_writes) << row;
    EXPECT_EQ(guard.check_store(RowSet::strided(row, 0)).fault, Fault::dma_writes) << row;
  }
  for (const std::int64_t row : {15, 18, 19, 22}) {
    EXPECT_EQ(guard.check_load(RowSet::strided(row, 0), base::Cycles(0)).fault, Fault::none) << row;
  }
  guard.end_dma(tile, true);
  EXPECT_EQ(guard.check_load(rows_from(16), base::Cycles(0)).fault, Fault::none);
}

TEST_F(VmemGuardTest, RowsThatDmaReadsMayBeLoadedButNotStored) {
  guard.begin_dma({0, 128, 1, 0}, false);
  EXPECT_EQ(guard.check_load(rows_from(0), base::Cycles(0)).fault, Fault::none);
  EXPECT_EQ(guard.check_store(rows_from(0)).fault, Fault::dma_reads);
  EXPECT_EQ(guard.check_store(rows_from(1)).fault, Fault::none);
}

TEST_F(VmemGuardTest, ARowStaysMarkedUntilTheLastDmaEnds) {
  guard.begin_dma({0, 64, 1, 0}, true);
  guard.begin_dma({64, 64, 1, 0}, true);
  guard.end_dma({0, 64, 1, 0}, true);
  EXPECT_EQ(guard.check_store(rows_from(0)).fault, Fault::dma_writes);
  guard.end_dma({64, 64, 1, 0}, true);
  EXPECT_EQ(guard.check_store(rows_from(0)).fault, Fault::none);
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
