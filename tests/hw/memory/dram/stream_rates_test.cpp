// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/dram/stream_rates.h"

#include <gtest/gtest.h>

#include "hw/memory/dram/memory_traffic.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::dram {
namespace {

double measured(const Machine& machine, const std::vector<MemoryStream>& streams) {
  const MemoryTrafficResult result = run_memory_traffic(machine.dram, streams, machine.dma.granules);
  return double(result.moved().value()) / double(result.clocks.value()) * machine.dram.clock.si();
}

TEST(StreamRates, AShapeAloneHasTheRateOfALongRunOverTheBanks) {
  const Machine machine = tpu_v3();
  StreamRates rates(machine.dram, machine.dma.granules);
  const base::Bytes bytes(8 << 20), row(2048), span(1 << 28);
  for (const Direction direction : {Direction::read, Direction::write}) {
    EXPECT_NEAR(rates.alone(direction, {}).si() / measured(machine, {MemoryStream::sequential(direction, 0, bytes)}), 1,
                0.02);
    const auto rows = MemoryStream::strided(direction, 1 << 20, row, bytes / row, 6144);
    EXPECT_NEAR(rates.alone(direction, AccessShape::rows(row, 6144)).si() / measured(machine, {rows}), 1, 0.04);
    const auto scattered = MemoryStream::scattered(direction, 0, row, bytes / row, span, 7);
    EXPECT_NEAR(rates.alone(direction, AccessShape::scattered(row, span)).si() / measured(machine, {scattered}), 1,
                0.04);
  }
}

TEST(StreamRates, RowsAsShortAsABurstAreBoundByOneGranuleAClockOutsideOfRefresh) {
  const Machine machine = tpu_v3();
  StreamRates rates(machine.dram, machine.dma.granules);
  const double issue = 32 * machine.dram.clock.si();
  const double rate = rates.alone(Direction::read, AccessShape::rows(base::Bytes(32), 96)).si();
  EXPECT_LE(rate, issue);
  EXPECT_GE(rate,
            issue * (1 - 1.2 * double(machine.dram.timing.rfc_all.value()) / double(machine.dram.timing.refi.value())));
}

TEST(StreamRates, StreamsSideBySideShareWhatThePinsCanMove) {
  const Machine machine = tpu_v3();
  StreamRates rates(machine.dram, machine.dma.granules);
  for (const AccessShape& shape : {AccessShape{}, AccessShape::rows(base::Bytes(1024), 5120)}) {
    const auto together = rates.together(shape, {});
    EXPECT_GT(together[0].si(), 0);
    EXPECT_GT(together[1].si(), 0);
    EXPECT_LT((together[0] + together[1]).si(), machine.dram.pin_rate().si());
    EXPECT_LT(together[1].si(), rates.alone(Direction::write, {}).si());
  }
}

TEST(StreamRates, DoNotDependOnWhatWasAskedBefore) {
  const Machine machine = tpu_v3();
  StreamRates fresh(machine.dram, machine.dma.granules), used(machine.dram, machine.dma.granules);
  const AccessShape shape = AccessShape::scattered(base::Bytes(64), base::Bytes(1 << 24));
  used.together({}, {});
  used.alone(Direction::write, shape);
  EXPECT_EQ(fresh.alone(Direction::read, shape).si(), used.alone(Direction::read, shape).si());
}

}  // namespace
}  // namespace podsim::hw::memory::dram
