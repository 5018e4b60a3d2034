// SPDX-License-Identifier: Apache-2.0
#include "hw/chip/bank_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/diagnostic.h"
#include "base/systemc/systemc_time.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/hw/random_op.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::chip {
namespace {

TileOp tiles(std::int64_t count, std::int64_t read, std::int64_t write, std::int64_t lane_moves = 0) {
  TileWork work;
  if (read > 0) work.reads = {{base::Bytes(read)}};
  if (write > 0) work.writes = {{base::Bytes(write)}};
  work.phases = {TilePhase(CrossLaneWork{lane_moves})};
  return {"op", {{count, work}}, base::Bytes(0)};
}

double seconds(const Machine& machine, const TileOp& op) {
  return (simulate_op_on_banks(machine, op).cycles / machine.clock).si();
}

TEST(BankSimulation, TheSmallestOpsTakeWhatSiliconTakes) {
  // One register of 8 x 128 words, through DMA engine, switch and banks. MLPerf v0.7 profiles: 0.17 to 0.20 us for the
  // smallest op that only writes, 0.41 us for the smallest that reads, computes and writes.
  const Machine machine = tpu_v3();
  const double write_only = seconds(machine, tiles(1, 0, 4096));
  EXPECT_GE(write_only, 0.17e-6);
  EXPECT_LE(write_only, 0.20e-6);
  TileOp read_compute_write = tiles(1, 4096, 4096);
  read_compute_write.runs[0].work.phases = {TilePhase(VectorWork{1, 1, 2, 0})};
  EXPECT_NEAR(seconds(machine, read_compute_write), 0.41e-6, 0.041e-6);
}

TEST(BankSimulation, OpsThatComputeLongestTakeAsLongAsWithStreams) {
  const Machine machine = tpu_v3();
  for (const TileOp& op : {tiles(20, 100'000, 100'000, 200), tiles(6, 1'000'000, 0, 1000)}) {
    const auto streams = double(timing::simulate_op(machine, op).cycles.value());
    EXPECT_NEAR(double(simulate_op_on_banks(machine, op).cycles.value()), streams, 0.02 * streams);
  }
}

TEST(BankSimulation, LongStreamsTakeWhatSiliconTakes) {
  // 411.8 GB/s of reads alone; mixed, 0.4 bytes more for every byte of the lesser direction (MLPerf v0.7 profiles).
  const Machine machine = tpu_v3();
  const auto silicon = [](double read, double write) {
    return (read + write + 0.4 * std::min(read, write)) * double(1 << 20) / 411.8e9;
  };
  EXPECT_NEAR(seconds(machine, tiles(16, 1 << 20, 0)), silicon(16, 0), 0.02 * silicon(16, 0));
  EXPECT_NEAR(seconds(machine, tiles(16, 0, 1 << 20)), silicon(0, 16), 0.02 * silicon(0, 16));
  EXPECT_NEAR(seconds(machine, tiles(16, 2 << 20, 1 << 20)), silicon(32, 16), 0.04 * silicon(32, 16));
  EXPECT_NEAR(seconds(machine, tiles(16, 1 << 20, 1 << 20)), silicon(16, 16), 0.04 * silicon(16, 16));
}

TEST(BankSimulation, MovesTheOpsTrafficAndComputesItsTiles) {
  const Machine machine = tpu_v3();
  RandomOps random(1);
  for (int i = 0; i < 12; ++i) {
    const TileOp op = random.next(6);
    const OpResult streams = timing::simulate_op(machine, op), banks = simulate_op_on_banks(machine, op);
    EXPECT_EQ(banks.read_bytes, streams.read_bytes);
    EXPECT_EQ(banks.written_bytes, streams.written_bytes);
    EXPECT_EQ(banks.tiles, streams.tiles);
    EXPECT_EQ(banks.compute, streams.compute);
    EXPECT_EQ(banks.busy, streams.busy);
    EXPECT_EQ(banks.cycles,
              banks.start_up + banks.compute + banks.read_wait + banks.write_wait + banks.control + banks.drain);
    EXPECT_LE(banks.hbm_busy, banks.cycles);
  }
}

TEST(BankSimulation, NeverBeatsThePins) {
  const Machine machine = tpu_v3();
  const double pins = machine.dram.pin_rate().si();
  for (const TileOp& op : {tiles(8, 1 << 20, 0), tiles(8, 0, 1 << 20), tiles(8, 1 << 20, 1 << 20)}) {
    const OpResult result = simulate_op_on_banks(machine, op);
    EXPECT_LT(double((result.read_bytes + result.written_bytes).value()) / (result.cycles / machine.clock).si(), pins);
  }
}

TEST(BankSimulation, GivesTheSameEveryTimeInsideOfAnotherSimulationAsWell) {
  const Machine machine = tpu_v3();
  const TileOp op = tiles(5, 30'000, 10'000, 3);
  const OpResult first = simulate_op_on_banks(machine, op);
  sc_core::sc_start(sc_core::sc_time(123, sc_core::SC_NS));
  EXPECT_EQ(simulate_op_on_banks(machine, op), first);
  EXPECT_EQ(base::systemc::now(), base::Time(123'000));
}

TEST(BankSimulation, AnOpBeyondVmemIsAnError) {
  const TileOp op{"too large", {}, base::Bytes((16 << 20) + 1)};
  EXPECT_THROW(simulate_op_on_banks(tpu_v3(), op), base::SimulationError);
}

}  // namespace
}  // namespace podsim::hw::chip
