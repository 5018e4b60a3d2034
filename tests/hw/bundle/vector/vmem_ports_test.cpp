// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/vector/vmem_ports.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace podsim::hw::bundle::vector {
namespace {

/// Counts the distinct rows in the bank with the most of them.
std::int64_t max_in_a_bank(const RowSet& rows) {
  std::map<std::int64_t, std::set<std::int64_t>> banks;
  for (const std::int64_t row : rows.row) banks[((row % 8) + 8) % 8].insert(row);
  std::size_t most = 0;
  for (const auto& [bank, held] : banks) most = std::max(most, held.size());
  return std::int64_t(most);
}

RC_GTEST_PROP(VmemPorts, AStrideTakesACyclePerRowOfTheFullestBank, ()) {
  const auto stride = *rc::gen::inRange<std::int32_t>(-40, 40);
  const auto base = *rc::gen::inRange<std::int64_t>(0, 1000);
  RC_ASSERT(VmemPorts::cycles_of_stride(stride) == max_in_a_bank(RowSet::strided(base, stride)));
}

RC_GTEST_PROP(VmemPorts, AShuffleTakesACyclePerRowOfTheFullestBank, (std::uint32_t nibbles)) {
  RC_ASSERT(VmemPorts::cycles_of_shuffle(nibbles) == max_in_a_bank(RowSet::shuffled(0, nibbles)));
}

TEST(VmemPorts, WithoutDmaNothingDelays) {
  VmemPorts ports;
  for (int cycle = 0; cycle < 100; ++cycle) {
    EXPECT_FALSE(ports.delays(VmemPort::write, base::Cycles(cycle), 1));
    ports.access(VmemPort::write, base::Cycles(cycle), 1);
  }
}

/// Stores in every cycle against a DMA that brings one row per cycle from cycle 11 on: a row more waits in each cycle,
/// so the store of cycle 27 finds 17 and waits. In the cycle it waits one row comes and eight go: 10 are left, and the
/// next seven stores bring it to 17 again.
TEST(VmemPorts, AFullBufferDelaysTheCoreByOneCycle) {
  VmemPorts ports;
  ports.set_dma(VmemPort::write, {base::Cycles(10), VmemPorts::row, base::Cycles(1'000'000), 0});
  std::vector<int> delayed;
  for (int cycle = 0; cycle < 45; ++cycle) {
    if (ports.delays(VmemPort::write, base::Cycles(cycle), 1)) delayed.push_back(cycle++);
    EXPECT_FALSE(ports.delays(VmemPort::read, base::Cycles(cycle), 1));
    ports.access(VmemPort::write, base::Cycles(cycle), 1);
  }
  EXPECT_EQ(delayed, (std::vector<int>{27, 35, 43}));
}

/// With every other cycle free, eight rows can pass for two that come.
TEST(VmemPorts, AFreeCycleDrainsTheBuffer) {
  VmemPorts ports;
  ports.set_dma(VmemPort::read, {base::Cycles(0), VmemPorts::row, base::Cycles(1'000'000), 0});
  for (int cycle = 0; cycle < 1000; cycle += 2) {
    EXPECT_FALSE(ports.delays(VmemPort::read, base::Cycles(cycle), 1)) << cycle;
    ports.access(VmemPort::read, base::Cycles(cycle), 1);
  }
}

/// An access of eight cycles leaves none of them to DMA: the second one in a row would meet 16 rows, the third 24.
TEST(VmemPorts, AConflictingAccessHoldsTheBanksForAllItsCycles) {
  VmemPorts ports;
  ports.set_dma(VmemPort::read, {base::Cycles(0), VmemPorts::row, base::Cycles(1'000'000), 0});
  for (const int last : {8, 16}) {
    EXPECT_FALSE(ports.delays(VmemPort::read, base::Cycles(last), 8));
    ports.access(VmemPort::read, base::Cycles(last), 8);
  }
  EXPECT_TRUE(ports.delays(VmemPort::read, base::Cycles(24), 8));
}

/// A tenth of a row per cycle once the other direction moves too: the buffer never fills within the 160 cycles that 16
/// rows take.
TEST(VmemPorts, TheRateFallsWhenTheOtherDirectionHasWork) {
  VmemPorts ports;
  ports.set_dma(VmemPort::write, {base::Cycles(0), VmemPorts::row, base::Cycles(5), VmemPorts::row / 10});
  for (int cycle = 1; cycle < 100; ++cycle) {
    EXPECT_FALSE(ports.delays(VmemPort::write, base::Cycles(cycle), 1)) << cycle;
    ports.access(VmemPort::write, base::Cycles(cycle), 1);
  }
}

TEST(VmemPorts, WhatAFinishedTransferLeftIsForgotten) {
  VmemPorts ports;
  const VmemPorts::DmaRows rows{base::Cycles(0), VmemPorts::row, base::Cycles(1'000'000), 0};
  ports.set_dma(VmemPort::write, rows);
  for (int cycle = 1; cycle <= 16; ++cycle) ports.access(VmemPort::write, base::Cycles(cycle), 1);
  EXPECT_TRUE(ports.delays(VmemPort::write, base::Cycles(17), 1));
  ports.set_dma(VmemPort::write, {});
  EXPECT_FALSE(ports.delays(VmemPort::write, base::Cycles(17), 1));
  ports.set_dma(VmemPort::write, {base::Cycles(20), VmemPorts::row, base::Cycles(1'000'000), 0});
  EXPECT_FALSE(ports.delays(VmemPort::write, base::Cycles(21), 1));
}

}  // namespace
}  // namespace podsim::hw::bundle::vector
