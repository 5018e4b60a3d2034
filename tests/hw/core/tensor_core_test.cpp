// SPDX-License-Identifier: Apache-2.0
#include "hw/core/tensor_core.h"

#include <gtest/gtest.h>

#include "hw/chip/replay_chip.h"
#include "hw/chip/tile_chip.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/hw/random_op.h"
#include "tests/hw/scripted_runtime.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::core {
namespace {

/// Runs a program on a chip at tile detail and on one without units, with the same machine.
struct BothDetails {
  BothDetails(const Machine& machine, std::vector<Command> program)
      : tile_runtime(program),
        replay_runtime(program),
        tile("tile", machine, 0, tile_runtime),
        replay("replay", machine, 0, replay_runtime) {}

  ScriptedRuntime tile_runtime, replay_runtime;
  chip::TileChip tile;
  chip::ReplayChip replay;
};

void expect_equal(const ScriptedRuntime& a, const ScriptedRuntime& b, int core) {
  const auto& left = a.records(0, core);
  const auto& right = b.records(0, core);
  ASSERT_EQ(left.size(), right.size());
  for (std::size_t i = 0; i < left.size(); ++i) {
    EXPECT_EQ(left[i].start, right[i].start) << "command " << i;
    EXPECT_EQ(left[i].end, right[i].end) << "command " << i;
    EXPECT_EQ(left[i].end_time, right[i].end_time) << "command " << i;
    EXPECT_EQ(left[i].waiting, right[i].waiting) << "command " << i;
  }
}

TEST(TensorCore, TakesCycleForCycleWhatTheRecurrenceGivesForRandomOps) {
  const Machine machine = tpu_v3();
  RandomOps random(1);
  std::vector<TileOp> ops;
  for (int i = 0; i < 300; ++i) ops.push_back(random.next(12));
  for (std::size_t i = 0; i < ops.size(); i += 4) ops[i].in_turns = true;
  std::vector<Command> program;
  for (const TileOp& op : ops) program.push_back(RunOp{&op});
  ScriptedRuntime runtime(program);
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  ASSERT_EQ(runtime.records().size(), ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(runtime.records()[i].op, timing::simulate_op(machine, ops[i])) << "op " << i;
  }
}

TEST(TensorCore, ANarrowDescriptorQueueGivesTheSameInBoth) {
  base::Config config = machine_file("tpu-v3");
  config.set("dma.queue_depth=2");
  config.set("dma.issue_interval_cycles=300");
  const Machine machine = read_machine(config);
  RandomOps random(2);
  std::vector<TileOp> ops;
  for (int i = 0; i < 100; ++i) ops.push_back(random.next(8));
  std::vector<Command> program;
  for (const TileOp& op : ops) program.push_back(RunOp{&op});
  ScriptedRuntime runtime(program);
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  for (std::size_t i = 0; i < ops.size(); ++i) {
    EXPECT_EQ(runtime.records()[i].op, timing::simulate_op(machine, ops[i])) << "op " << i;
  }
}

TEST(TensorCore, AnOpLastsEquallyLongWhereverItStarts) {
  const Machine machine = tpu_v3();
  RandomOps random(3);
  const TileOp op = random.next(20);
  std::vector<Command> program;
  for (int i = 0; i < 50; ++i) {
    program.push_back(RunOp{&op});
    program.push_back(Delay{base::Cycles(random.below(100'000'000))});
  }
  ScriptedRuntime runtime(program);
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  for (std::size_t i = 0; i < program.size(); i += 2) {
    EXPECT_EQ(runtime.records()[i].op, runtime.records()[0].op);
    EXPECT_EQ(runtime.records()[i].end_time, chip.core(0).time_of(runtime.records()[i].end));
  }
}

TEST(TensorCore, ReplayingRecordedOpsEndsAtTheSamePicosecond) {
  const Machine machine = tpu_v3();
  RandomOps random(4);
  std::vector<TileOp> ops;
  for (int i = 0; i < 40; ++i) ops.push_back(random.next(10));
  std::vector<Command> tiles, replayed;
  for (int i = 0; i < 200; ++i) {
    const TileOp& op = ops[std::size_t(random.below(40))];
    tiles.push_back(RunOp{&op});
    replayed.push_back(RunFor{&op, timing::simulate_op(machine, op)});
  }
  ScriptedRuntime tile_runtime(tiles), replay_runtime(replayed), abstract_runtime(replayed);
  chip::TileChip tile("tile", machine, 0, tile_runtime), replay("replay", machine, 0, replay_runtime);
  chip::ReplayChip abstract("abstract", machine, 0, abstract_runtime);
  sc_core::sc_start();
  for (int core : {0, 1}) {
    expect_equal(tile_runtime, replay_runtime, core);
    expect_equal(tile_runtime, abstract_runtime, core);
  }
}

TEST(TensorCore, BothDetailsWaitForTheHostAlike) {
  const Machine machine = tpu_v3();
  RandomOps random(5);
  const TileOp op = random.next(40);
  std::vector<Command> program;
  for (int i = 0; i < 6; ++i) {
    program.push_back(Infeed{base::Bytes(20'000'000), 2});
    program.push_back(RunOp{&op});
    program.push_back(Delay{base::Cycles(1'000'000)});
  }
  BothDetails both(machine, program);
  for (int core : {0, 1}) {
    both.tile.host().prepare(core, {base::Bytes(20'000'000)});
    both.replay.host().prepare(core, {base::Bytes(20'000'000)});
  }
  sc_core::sc_start();
  for (int core : {0, 1}) expect_equal(both.tile_runtime, both.replay_runtime, core);
  EXPECT_GT(both.tile_runtime.records()[0].waiting, base::Cycles(0));
}

TEST(TensorCore, AnInfeedWaitsForPcieThenReadsAndWritesEveryByte) {
  const Machine machine = tpu_v3();
  ScriptedRuntime runtime({Infeed{base::Bytes(38'500'000), 1}});
  chip::TileChip chip("chip", machine, 0, runtime);
  chip.host().prepare(0, {base::Bytes(38'500'000)});
  sc_core::sc_start();
  const auto& record = runtime.records().front();
  const double wait = (record.waiting / machine.clock).si();
  EXPECT_NEAR(wait, 38.5e6 / 16e9 + 1e-6, 2e-9);
  // Without the wait: a byte read and one written take (2 + turnaround) / stream_rate. ResNet-50's 38.5 MB measure 210
  // us.
  const double copy = ((record.end - record.start - record.waiting) / machine.clock).si();
  EXPECT_NEAR(copy / (38.5e6 * (2 + machine.hbm.turnaround) / machine.hbm.stream_rate.si() + 1e-6), 1, 0.003);
  EXPECT_NEAR(copy / 210e-6, 1, 0.09);
}

TEST(TensorCore, OutfeedsWaitForRoomAlikeAtBothDetailsAndReachTheHost) {
  const Machine machine = tpu_v3();
  const std::vector<Command> program(6, Outfeed{base::Bytes(1'000'000), 2});
  BothDetails both(machine, program);
  sc_core::sc_start();
  for (int core : {0, 1}) {
    expect_equal(both.tile_runtime, both.replay_runtime, core);
    EXPECT_EQ(both.tile.host().received(core), base::Bytes(6'000'000));
    EXPECT_EQ(both.replay.host().received(core), base::Bytes(6'000'000));
  }
  const auto& records = both.tile_runtime.records();
  // A copy takes 1 MB / 172 GB/s + 2 us = 7.8 us, the link 62.5 us for each core's: two slots fill, then cores wait.
  EXPECT_EQ(records[1].waiting, base::Cycles(0));
  EXPECT_NEAR(((records[0].end - records[0].start) / machine.clock).si(), 1e6 / 172e9 + 2e-6, 3e-9);
  EXPECT_GT(records[4].waiting, base::Cycles(0));
  // The link limits: from the first send to the last byte, 12 transfers in a row.
  const double sent = 12 * 1e6 / 16e9 + 1e6 / 172e9 + 2e-6;
  EXPECT_NEAR(base::to_duration(base::systemc::now()).si(), sent + 1e-6, 1e-8);
}

TEST(TensorCore, AnExternalCommandHoldsTheCoreUntilTheNextEdgeAfterItsCompletion) {
  const Machine machine = tpu_v3();
  ScriptedRuntime tile_runtime({External{7, "all-reduce"}, Delay{base::Cycles(10)}});
  ScriptedRuntime replay_runtime({External{7, "all-reduce"}, Delay{base::Cycles(10)}});
  chip::TileChip tile("tile", machine, 0, tile_runtime);
  chip::ReplayChip replay("replay", machine, 0, replay_runtime);
  const sc_core::sc_time completion(123'457, sc_core::SC_PS);
  sc_core::sc_start(completion);
  for (ScriptedRuntime* runtime : {&tile_runtime, &replay_runtime}) {
    ASSERT_EQ(runtime->externals().size(), 2u);
    for (auto& [core, token] : runtime->externals()) {
      EXPECT_EQ(token, 7u);
      core->complete_external();
    }
  }
  sc_core::sc_start();
  for (int core : {0, 1}) expect_equal(tile_runtime, replay_runtime, core);
  const auto& records = tile_runtime.records();
  EXPECT_EQ(records[0].end, machine.core_clock().edge_at_or_after(base::Time(123'457)));
  EXPECT_EQ(records[1].end - records[1].start, base::Cycles(10));
}

/// Completes every external command at once, from within the call that announces it.
class PromptRuntime : public ScriptedRuntime {
 public:
  using ScriptedRuntime::ScriptedRuntime;
  void start_external(Core& core, const External&) override { core.complete_external(); }
};

TEST(TensorCore, AnExternalCommandThatIsOverAtOnceTakesNoTime) {
  const Machine machine = tpu_v3();
  PromptRuntime tile_runtime({Delay{base::Cycles(3)}, External{}, External{}, Delay{base::Cycles(4)}});
  PromptRuntime replay_runtime({Delay{base::Cycles(3)}, External{}, External{}, Delay{base::Cycles(4)}});
  chip::TileChip tile("tile", machine, 0, tile_runtime);
  chip::ReplayChip replay("replay", machine, 0, replay_runtime);
  sc_core::sc_start();
  expect_equal(tile_runtime, replay_runtime, 0);
  EXPECT_EQ(tile_runtime.records().back().end, base::Cycles(7));
}

TEST(TensorCore, AnOpBeyondVmemStopsItsCoreWithAVerdictAtBothDetails) {
  const Machine machine = tpu_v3();
  const TileOp op{"too large", {}, base::Bytes((16 << 20) + 1)};
  BothDetails both(machine, {RunOp{&op}});
  sc_core::sc_start();
  for (const ScriptedRuntime* runtime : {&both.tile_runtime, &both.replay_runtime}) {
    EXPECT_NE(runtime->failure().find("'too large'"), std::string::npos) << runtime->failure();
    EXPECT_FALSE(runtime->has_records(0, 0));
  }
}

TEST(TensorCore, VmemIsFreeAgainAfterEachOp) {
  const Machine machine = tpu_v3();
  const TileOp op{"whole", {{1, {{{base::Bytes(100)}}, {}, {}}}}, base::Bytes(16 << 20)};
  ScriptedRuntime runtime({RunOp{&op}, RunOp{&op}});
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  EXPECT_EQ(runtime.failure(), "");
  EXPECT_EQ(runtime.records().size(), 2u);
  EXPECT_EQ(chip.core(0).vmem().account().used(), base::Bytes(0));
  EXPECT_EQ(chip.core(0).vmem().account().peak(), base::Bytes(16 << 20));
}

TEST(TensorCore, BytesMovedAreThoseOfTheProgram) {
  const Machine machine = tpu_v3();
  const TileOp op{"copy", {{10, {{{base::Bytes(1000)}, {base::Bytes(24)}}, {}, {{base::Bytes(512)}}}}}, base::Bytes(0)};
  ScriptedRuntime runtime({RunOp{&op}});
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  EXPECT_EQ(chip.memory().moved(1, Direction::read), base::Bytes(10240));
  EXPECT_EQ(chip.memory().moved(1, Direction::write), base::Bytes(5120));
  EXPECT_EQ(runtime.records(0, 1)[0].op.tiles, 10);
}

TEST(TensorCore, A256CubedMatmulOnOneTileIsNearSilicon) {
  const Machine machine = tpu_v3();
  const TileOp op{
      "matmul",
      {{1, {{{base::Bytes(2 * 256 * 256 * 4)}}, {TilePhase(MxuWork{4, 256})}, {{base::Bytes(256 * 256 * 4)}}}}},
      base::Bytes(1 << 20)};
  ScriptedRuntime runtime({RunOp{&op}});
  chip::TileChip chip("chip", machine, 0, runtime);
  sc_core::sc_start();
  EXPECT_NEAR(double(runtime.records()[0].op.cycles.value()), 3101, 0.06 * 3101);  // measured
}

}  // namespace
}  // namespace podsim::hw::core
