// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/chip_parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "base/diagnostic.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime {
namespace {

using base::Time;

/// Two ops, the first of them twice, named layer0 to layer2, and an all-reduce.
compiler::Program program_of_two_ops() {
  testing::ProgramMaker maker;
  const int first = maker.define(testing::tile_op("first", 20, 1 << 20, 0, 8, 1 << 18));
  const int second = maker.define(testing::tile_op("second", 12, 1 << 19, 0, 8, 0));
  maker.op(first).op(second).op(first).all_reduce(1 << 20);
  compiler::Program program = maker.program();
  for (int item = 0; item < 3; ++item) program.items[std::size_t(item)].op_name = "layer" + std::to_string(item);
  return program;
}

TEST(ChipParts, ChoosesOpsByName) {
  const compiler::Program program = program_of_two_ops();
  const ChipParts all(program, {}), some(program, {"layer0", "*2"});
  for (int item = 0; item < 3; ++item) {
    EXPECT_TRUE(all.chosen(item));
    EXPECT_EQ(some.chosen(item), item != 1);
  }
  EXPECT_FALSE(all.chosen(3));  // a collective is no op
}

TEST(ChipParts, APatternThatMatchesNothingIsAnErrorWithTheNearestName) {
  const compiler::Program program = program_of_two_ops();
  try {
    ChipParts::check(program, "layer0");
    ChipParts::check(program, "layr1");
    FAIL() << "not refused";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string(error.what()).find("'layr1' matches no op"), std::string::npos) << error.what();
  }
}

TEST(ChipParts, AddsUpEqualOpsAndPutsTheMostChangedFirst) {
  const compiler::Program program = program_of_two_ops();
  const ChipParts parts(program, {});
  std::vector<ItemResult> items(4);
  for (int item = 0; item < 4; ++item) items[std::size_t(item)].item = item;
  items[0].duration = Time(110);
  items[1].duration = Time(300);
  items[2].duration = Time(120);
  items[2].times = 3;
  const auto streams = [](int op) { return Time(op == 0 ? 100 : 500); };
  const PartsResult result = parts.result(items, streams);
  ASSERT_EQ(result.ops.size(), 2U);
  EXPECT_EQ(result.ops[0].item, 1);
  EXPECT_EQ(result.ops[0].parts, Time(300));
  EXPECT_EQ(result.ops[0].streams, Time(500));
  EXPECT_EQ(result.ops[1].count, 4);
  EXPECT_EQ(result.ops[1].parts, Time(110 + 3 * 120));
  EXPECT_EQ(result.ops[1].streams, Time(4 * 100));
}

RunResult run_at(Detail detail, const std::vector<std::string>& chip_ops = {}) {
  testing::RunOptions options;
  options.detail = detail;
  options.chip_ops = chip_ops;
  return testing::run(program_of_two_ops(), sw::the_tpu_v3(), testing::open_2x2(), options);
}

// Streams have the rates that the banks sustain, to a few per cent for ops of many tiles (BankSimulation, with
// silicon's figures).
TEST(ChipParts, AStepThroughThePartsTakesAboutAsLongAsOverStreams) {
  const RunResult streams = run_at(Detail::automatic), parts = run_at(Detail::chip);
  EXPECT_NEAR(double(parts.step_time.value()), double(streams.step_time.value()),
              0.04 * double(streams.step_time.value()));
  EXPECT_EQ(parts.real_chips, std::vector<std::string>{"(0,0)"});
  ASSERT_EQ(parts.step_times.size(), 2U);
  EXPECT_TRUE(streams.parts.ops.empty());
  // A core runs an op through the parts once and replays it. Edges of cycles are whole picoseconds.
  EXPECT_NEAR(double(parts.items[0].duration.value()), double(parts.items[2].duration.value()), 2);
  ASSERT_EQ(parts.parts.ops.size(), 2U);
  for (const PartsResult::Op& op : parts.parts.ops) {
    EXPECT_EQ(op.count, op.item == 0 ? 2 : 1);
    const Time one = streams.items[std::size_t(op.item)].duration;  // to the picosecond of a cycle's edge
    EXPECT_NEAR(double(op.streams.value()), double((one * op.count).value()), 2.0 * double(op.count));
  }
}

// Without the all-reduce cores do not wait for each other, so that all of them take the same time.
TEST(ChipParts, OnlyTheLastStepGoesThroughThem) {
  compiler::Program program = program_of_two_ops();
  program.items.pop_back();
  const auto run = [&](Detail detail) {
    testing::RunOptions options;
    options.detail = detail;
    return testing::run(program, sw::the_tpu_v3(), testing::open_2x2(), options);
  };
  const RunResult streams = run(Detail::automatic), parts = run(Detail::chip);
  ASSERT_EQ(parts.step_times.size(), 2U);
  EXPECT_EQ(parts.step_times[0], streams.step_times[0]);
  // Edges of cycles are whole picoseconds, by which equal steps may differ.
  EXPECT_GT(std::abs((parts.step_times[1] - parts.step_times[0]).value()), 1000);
}

TEST(ChipParts, OpsThatAreNotChosenTakeWhatStreamsTake) {
  const RunResult streams = run_at(Detail::automatic), some = run_at(Detail::chip, {"layer1"});
  ASSERT_EQ(some.parts.ops.size(), 1U);
  EXPECT_EQ(some.parts.ops[0].item, 1);
  for (const int item : {0, 2}) {
    EXPECT_NEAR(double(some.items[std::size_t(item)].duration.value()),
                double(streams.items[std::size_t(item)].duration.value()), 2);  // edges of cycles
  }
}

}  // namespace
}  // namespace podsim::sw::runtime
