// SPDX-License-Identifier: Apache-2.0
#include "hw/memory/banks/bank_stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <vector>

#include "hw/memory/banks/bank_pipeline.h"
#include "hw/memory/dram/memory_traffic.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::memory::banks {
namespace {

using Completions = std::vector<timing::HbmStream::Completion>;

TEST(BankStream, ALoneBurstMovesItsDataFromTheArrivalOn) {
  const Machine machine = tpu_v3_with({"hbm.refresh=none"});
  for (Direction direction : {Direction::read, Direction::write}) {
    BankStream stream(machine);
    Completions completed;
    stream.submit(direction, base::Bytes(32), base::Cycles(500), 3);
    const base::Cycles end = stream.complete_next(completed);
    ASSERT_EQ(completed.size(), 1U);
    EXPECT_EQ(completed[0].tag, 3U);
    EXPECT_EQ(completed[0].cycle, end);
    // Two clocks of 1.11 ns for a burst are 2.1 cycles; then both clocks' next edges.
    EXPECT_GE(end, base::Cycles(502));
    EXPECT_LE(end, base::Cycles(505));
    EXPECT_TRUE(stream.idle());
  }
}

TEST(BankStream, ALongReadTakesWhatTheBanksSustain) {
  const Machine machine = tpu_v3();
  BankStream stream(machine);
  Completions completed;
  const base::Bytes bytes(4 << 20);
  stream.submit(Direction::read, bytes, base::Cycles(0), 0);
  const base::Cycles end = stream.complete_next(completed);
  const std::vector<dram::MemoryStream> alone{dram::MemoryStream::sequential(Direction::read, 0, bytes)};
  const base::Cycles clocks = dram::run_memory_traffic(machine.dram, alone, machine.dma.granules).clocks;
  const double expected = double(clocks.value()) / machine.dram.clock.si() * machine.clock.si();
  EXPECT_NEAR(double(end.value()), expected, 2);
}

RC_GTEST_PROP(BankStream, AnswersEveryRequestOnceAndNeverBeforeItArrived, ()) {
  const Machine machine = tpu_v3();
  BankStream stream(machine);
  std::map<std::uint64_t, base::Cycles> arrivals;
  Completions completed;
  base::Cycles now;
  for (std::uint64_t tag = 0; tag < 30; ++tag) {
    now += base::Cycles(*rc::gen::inRange(0, 300));
    stream.advance(now, completed);
    const Direction direction = *rc::gen::arbitrary<bool>() ? Direction::read : Direction::write;
    const base::Cycles arrival = now + base::Cycles(direction == Direction::read ? 207 : 160);
    stream.submit(direction, base::Bytes(*rc::gen::inRange(0, 20'000)), arrival, tag);
    arrivals[tag] = arrival;
  }
  while (!stream.idle()) stream.complete_next(completed);
  RC_ASSERT(completed.size() == 30U);
  base::Cycles last;
  for (const timing::HbmStream::Completion& completion : completed) {
    RC_ASSERT(arrivals.contains(completion.tag));
    // An open row saves tRCD, 14 cycles; nothing to move saves all of the banks' latency.
    const base::Cycles early(completion.bytes == base::Bytes(0) ? 30 : 14);
    RC_ASSERT(completion.cycle + early >= arrivals[completion.tag]);
    RC_ASSERT(completion.cycle >= last);
    last = completion.cycle;
    arrivals.erase(completion.tag);
  }
}

TileOp tiles(std::int64_t count, std::int64_t bytes, std::int64_t vector_loads) {
  TileWork work;
  work.reads.push_back({base::Bytes(bytes)});
  work.phases.push_back(TilePhase(VectorWork{vector_loads, 0, 0, 0}));
  return {"tiles", {{count, work}}, base::Bytes(0)};
}

TEST(BankPipeline, AnOpBoundByComputeTakesAsLongAsOverStreams) {
  const TileOp op = tiles(200, 64 << 10, 5000);
  const double streams = double(timing::simulate_op(tpu_v3(), op).cycles.value());
  EXPECT_NEAR(double(op_cycles_on_banks(tpu_v3(), op).value()) / streams, 1, 1e-3);
}

TEST(BankPipeline, AnOpBoundByReadsTakesTheirTimeAtTheRateOfTheBanks) {
  const Machine machine = tpu_v3();
  const std::int64_t bytes = 512 << 10, count = 300;
  const std::vector<dram::MemoryStream> alone{
      dram::MemoryStream::sequential(Direction::read, 0, base::Bytes(16 << 20))};
  const auto traffic = dram::run_memory_traffic(machine.dram, alone, machine.dma.granules);
  const double seconds_per_byte =
      double(traffic.clocks.value()) / machine.dram.clock.si() / double(traffic.moved().value());
  const double expected = double(bytes * count) * seconds_per_byte * machine.clock.si();
  EXPECT_NEAR(double(op_cycles_on_banks(machine, tiles(count, bytes, 100)).value()) / expected, 1, 0.02);
}

}  // namespace
}  // namespace podsim::hw::memory::banks
