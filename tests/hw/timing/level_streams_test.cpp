// SPDX-License-Identifier: Apache-2.0
#include "hw/timing/level_streams.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "hw/chip/tile_chip.h"
#include "hw/memory/banks/bank_pipeline.h"
#include "hw/memory_levels.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/hw/random_op.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

using base::Bytes, base::Cycles;

constexpr int cmem = level::first_declared;

/// 1 GHz; HBM 100 B per cycle, latencies 20 and 10; a level of each core with 400 B per cycle and a latency of 7.
Machine with_level(bool shared = false) { return round_machine(level_text("cmem", "400 GB/s", "7 ns", shared)); }

/// `count` tiles that read and write these sizes at a memory; computing takes 10 cycles.
TileOp tiles_at(int memory, std::int64_t count, std::int64_t read, std::int64_t write) {
  TileWork work;
  if (read > 0) work.reads.push_back({Bytes(read), {}, memory});
  work.phases.push_back(TilePhase(VectorWork{4, 0, 0, 0}));
  if (write > 0) work.writes.push_back({Bytes(write), {}, memory});
  return {"tiles", {{count, work}}, Bytes(0)};
}

TEST(LevelStream, ARequestTakesItsBytesAtTheRateOfItsDirectionBehindTheOneBefore) {
  const Machine machine = with_level();
  LevelStream stream(machine.levels.front(), machine.clock);
  EXPECT_EQ(stream.submit(Direction::read, Bytes(4000), Cycles(100)), Cycles(110));
  EXPECT_EQ(stream.submit(Direction::read, Bytes(4000), Cycles(105)), Cycles(120)) << "behind the first";
  EXPECT_EQ(stream.submit(Direction::write, Bytes(4000), Cycles(105)), Cycles(115)) << "beside the reads";
  EXPECT_EQ(stream.submit(Direction::read, Bytes(100), Cycles(120)), Cycles(121)) << "a quarter of a cycle";
  EXPECT_EQ(stream.submit(Direction::read, Bytes(300), Cycles(120)), Cycles(121)) << "the rest of it";
  EXPECT_EQ(stream.submit(Direction::read, Bytes(0), Cycles(120)), Cycles(121));
}

// One tile: latency 7, 1000 B at 400 B per cycle rounded up, compute 10, latency 7, 500 B rounded up.
TEST(LevelStreams, ATileIsLoadedComputedAndStoredAtTheRateAndLatencyOfItsLevel) {
  EXPECT_EQ(simulate_op(with_level(), tiles_at(cmem, 1, 1000, 500)).cycles, Cycles(7 + 3 + 10 + 7 + 2));
  EXPECT_EQ(simulate_op(with_level(), tiles_at(level::hbm, 1, 1000, 500)).cycles, Cycles(20 + 10 + 10 + 10 + 5));
}

// Bound by reads: the latency, all bytes, and the compute of the last tile; the second read issues behind the first.
TEST(LevelStreams, AnOpBoundByALevelTakesItsBytesOverTheRateAndItsLatency) {
  EXPECT_EQ(simulate_op(with_level(), tiles_at(cmem, 50, 40'000, 0)).cycles, Cycles(7 + 50 * 100 + 10));
  EXPECT_EQ(simulate_op(with_level(), tiles_at(level::hbm, 50, 40'000, 0)).cycles, Cycles(20 + 50 * 400 + 10));
}

TEST(LevelStreams, NeitherBytesNorBusyTimeOfALevelAreTheHbms) {
  const OpResult result = simulate_op(with_level(), tiles_at(cmem, 5, 40'000, 40'000));
  EXPECT_EQ(result.read_bytes, Bytes(0));
  EXPECT_EQ(result.written_bytes, Bytes(0));
  EXPECT_EQ(result.hbm_busy, Cycles(0));
  EXPECT_EQ(level_cycles(with_level(), tiles_at(cmem, 5, 40'000, 20'000)), Cycles(500));
}

// Each core has 200 B per cycle of a shared level, whatever the other does: both read 50 x 40 KB in 7 + 50 x 200
// cycles.
TEST(LevelStreams, CoresThatShareALevelHaveEqualParts) {
  const Machine machine = with_level(true);
  const TileOp op = tiles_at(cmem, 50, 40'000, 0);
  EXPECT_EQ(simulate_op(machine, op).cycles, Cycles(7 + 50 * 200 + 10));
  ScriptedRuntime runtime({RunOp{&op}});
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  for (int core : {0, 1}) EXPECT_EQ(runtime.records(0, core).at(0).op.cycles, Cycles(7 + 50 * 200 + 10));
}

// Half of each tile from the HBM: 50 x 200 B at 100 B per cycle; the other half moves meanwhile.
TEST(LevelStreams, ALevelMovesBesideTheHbm) {
  TileOp op = tiles_at(level::hbm, 50, 20'000, 0);
  op.runs[0].work.reads.push_back({Bytes(20'000), {}, cmem});
  EXPECT_EQ(simulate_op(with_level(), op).cycles, Cycles(20 + 50 * 200 + 10));
}

/// Two levels in addition to tpu-v3's memories, one of them shared.
Machine two_levels() {
  base::Config config = cmem_file();
  config.add_text("near.toml", level_text("near", "777 GB/s", "31 ns", false));
  return read_machine(config);
}

/// Runs random ops on a core as modules, which wake on events, and by the recurrence.
void expect_agreement(const std::string& queue_depth) {
  base::Config config = cmem_file();
  config.add_text("near.toml", level_text("near", "777 GB/s", "31 ns", false));
  config.set("dma.queue_depth=" + queue_depth);
  const Machine machine = read_machine(config);
  RandomOps random(7);
  std::vector<TileOp> ops;
  for (int i = 0; i < 100; ++i) spread(ops.emplace_back(random.next(12)), {cmem, level::hbm, cmem + 1});
  for (std::size_t i = 0; i < ops.size(); i += 4) ops[i].in_turns = true;
  std::vector<Command> program;
  for (const TileOp& op : ops) program.push_back(RunOp{&op});
  ScriptedRuntime runtime(program);
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  ASSERT_EQ(runtime.records().size(), ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(runtime.records()[i].op, simulate_op(machine, ops[i])) << "op " << i;
  }
}

TEST(LevelStreams, ACoreTakesCycleForCycleWhatTheRecurrenceGives) { expect_agreement("64"); }

TEST(LevelStreams, ANarrowDescriptorQueueGivesTheSameOnACore) { expect_agreement("2"); }

// The oracle: no level moves faster than its rate, and everything waits for the phases in between.
RC_GTEST_PROP(LevelStreams, NeverBeatTheirTraffic, ()) {
  const Machine machine = two_levels();
  TileOp op = random_op(3, 20);
  spread(op, {cmem, level::hbm, cmem + 1});
  std::array<double, 2> most{};
  double tiles = 0;
  for (const TileRun& run : op.runs) {
    tiles += double(run.count);
    for (const TileTransfer& read : run.work.reads) {
      if (read.level < cmem) continue;
      most[std::size_t(read.level - cmem)] += double(run.count * read.bytes.value());
    }
  }
  const double shortest = std::max(most[0] / 1.8e12, most[1] / 777e9) * machine.clock.si();
  RC_ASSERT(double(simulate_op(machine, op).cycles.value()) >= shortest - tiles);
}

// Over the banks, what a level moves is as over streams: an op without traffic of the HBM takes the same time.
TEST(LevelStreams, AnOpWithoutHbmTakesTheSameTimeOverBanks) {
  const Machine machine = two_levels();
  const TileOp op = tiles_at(cmem, 40, 100'000, 50'000);
  EXPECT_EQ(memory::banks::op_cycles_on_banks(machine, op), simulate_op(machine, op).cycles);
}

}  // namespace
}  // namespace podsim::hw::timing
