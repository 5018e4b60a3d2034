// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/tile_loop.h"
#include "sw/codegen/builder/register_size.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/diagnostic.h"
#include "hw/bundle/bundle_run.h"
#include "hw/timing/tile_pipeline.h"
#include "tests/hw/test_machine.h"

namespace podsim::sw::codegen::builder {
namespace {

constexpr std::uint32_t output_address = 1 << 20;

/// Words 0, 1, 2, ... in HBM, and the words at `output_address` after a program.
struct Outcome {
  std::vector<std::uint32_t> words;
  hw::bundle::BundleRunResult run;
};
Outcome run_program(const hw::Machine& machine, const hw::isa::Program& program, std::int64_t words) {
  hw::memory::DeviceMemory hbm(machine.hbm.capacity_per_core);
  std::vector<std::uint32_t> input(static_cast<std::size_t>(words));
  std::iota(input.begin(), input.end(), 0U);
  hbm.write(0, input);
  Outcome outcome{input, hw::bundle::run_bundles(machine, program, hbm)};
  hbm.read(output_address, outcome.words);
  return outcome;
}

/// Copies the registers of stream 0's tile to stream 1's.
void copy_tile(KernelBuilder& builder, const TileLoop::Tile& tile, std::int64_t registers) {
  const registers::ScalarReg from = tile.row(0), to = tile.row(1);
  builder.loop(std::int32_t(registers), {registers::LoopSchedule::pipelined, {tile.buffer(0), tile.buffer(1)}}, [&] {
    builder.store({to, 0, tile.buffer(1)}, builder.load({from, 0, tile.buffer(0)}));
    builder.assign(from, hw::isa::Opcode::s_add, from, register_rows);
    builder.assign(to, hw::isa::Opcode::s_add, to, register_rows);
  });
}

/// An array of `lines` x `columns` registers in tiles of lines x columns.
TilePlan copy_plan(std::int64_t lines, std::int64_t columns, std::int64_t tile_lines, std::int64_t tile_columns) {
  TilePlan plan;
  plan.counts = {base::divide_round_up(columns, tile_columns), base::divide_round_up(lines, tile_lines)};
  TileStream stream;
  stream.rows = TileWindow::tiled(1, tile_lines, lines);
  stream.words = TileWindow::tiled(0, tile_columns * register_words, columns * register_words);
  stream.hbm_stride = columns * register_words;
  stream.vmem_stride = tile_columns * register_words;
  stream.vmem_rows = tile_lines * tile_columns * register_rows;
  plan.streams = {stream, stream};
  plan.streams[1].role = TileRole::output;
  plan.streams[1].address = output_address;
  return plan;
}

hw::isa::Program copy_program(const hw::Machine& machine, const TilePlan& plan) {
  KernelBuilder builder(machine, "copy");
  TileLoop loop(builder, plan);
  loop.run([&](const TileLoop::Tile& tile) { copy_tile(builder, tile, plan.streams[0].vmem_rows / register_rows); });
  return std::move(builder).finish();
}

TEST(TileLoop, MovesEveryWordOfArraysCutInTwoDimensions) {
  const hw::Machine machine = hw::tpu_v3();
  for (const auto& [lines, columns] : {std::pair{2, 3}, std::pair{1, 5}, std::pair{7, 1}, std::pair{8, 6}}) {
    const TilePlan plan = copy_plan(7, 5, lines, columns);
    const Outcome outcome = run_program(machine, copy_program(machine, plan), 7 * 5 * register_words);
    for (std::size_t i = 0; i < outcome.words.size(); ++i) ASSERT_EQ(outcome.words[i], i) << lines << " x " << columns;
  }
}

TEST(TileLoop, MovesTheBytesOfTheTileLevelInAsManyDmas) {
  const hw::Machine machine = hw::tpu_v3();
  const TilePlan plan = copy_plan(9, 5, 2, 2);
  const hw::TileOp op =
      make_tile_op(plan, "copy", [](std::span<const std::int64_t>) { return std::vector<hw::TilePhase>(); });
  const hw::bundle::BundleRunResult bundles =
      run_program(machine, copy_program(machine, plan), 9 * 5 * register_words).run;
  const hw::OpResult tiles = hw::timing::simulate_op(machine, op);
  EXPECT_EQ(bundles.hbm_read, tiles.read_bytes);
  EXPECT_EQ(bundles.hbm_written, tiles.written_bytes);
  EXPECT_EQ(bundles.dmas, 2 * plan.tiles());
}

TEST(TileLoop, HidesTheWorkOnATileBehindTheDmaOfOthers) {
  const hw::Machine machine = hw::tpu_v3();
  const TilePlan plan = copy_plan(64, 16, 4, 16);
  const hw::bundle::BundleRunResult run_of_copy =
      run_program(machine, copy_program(machine, plan), 64 * 16 * register_words).run;
  const double bytes_per_cycle = machine.hbm.stream_rate.si() / machine.clock.si();
  const double bytes = 64 * 16 * register_words * 4;
  // Reads and writes share the HBM; the first read and the last write, a sixteenth of each, have it to themselves.
  const double shared = bytes * (2 + machine.hbm.turnaround) / bytes_per_cycle;
  EXPECT_LT(double(run_of_copy.cycles.value()), 1.1 * shared);
}

TEST(TileLoop, MovesATileInPiecesThatItWaitsForTogether) {
  const hw::Machine machine = hw::tpu_v3();
  TilePlan plan = copy_plan(6, 1, 2, 1);
  for (TileStream& stream : plan.streams) {  // the halves of every row, the second one first
    stream.words = TileWindow::whole(register_words / 2);
    stream.pieces = {{register_words / 2, register_words / 2}, {0, 0}};
  }
  const Outcome outcome = run_program(machine, copy_program(machine, plan), 6 * register_words);
  for (std::size_t i = 0; i < outcome.words.size(); ++i) ASSERT_EQ(outcome.words[i], i);
  EXPECT_EQ(outcome.run.dmas, 2 * 2 * 3);
}

TEST(TileLoop, KeepsThePlaceOfLinesThatAWindowHasOutsideOfTheArray) {
  const hw::Machine machine = hw::tpu_v3();
  constexpr std::int64_t lines = 10, tile_lines = 4;
  for (std::int64_t tiles : {1, 3}) {
    const std::int64_t step = tiles == 1 ? lines : tile_lines;
    TilePlan plan = copy_plan(lines, 1, step, 1);
    plan.counts = {1, tiles};
    plan.streams[0].rows = {1, step, step, 1, lines};  // line i of a tile is line i - 1 of the array
    const Outcome outcome = run_program(machine, copy_program(machine, plan), lines * register_words);
    for (std::size_t i = register_words; i < outcome.words.size(); ++i) {
      ASSERT_EQ(outcome.words[i], i - register_words) << tiles << " tiles";
    }
  }
}

TEST(TileLoop, KnowsWhichDataAnEarlierTileHad) {
  const hw::Machine machine = hw::tpu_v3();
  // One line of input for three of output: each output line is 1 where its input was in VMEM already, otherwise 0.
  TilePlan plan = copy_plan(6, 1, 1, 1);
  plan.counts = {2, 3};
  plan.streams[0].rows = TileWindow::tiled(0, 1, 2);
  plan.streams[1].rows = TileWindow::tiled(1, 1, 3);
  plan.streams[0].words = plan.streams[1].words = TileWindow::whole(register_words);
  plan.streams[1].steps = {3 * register_words, 0};
  KernelBuilder builder(machine, "reuse");
  TileLoop loop(builder, plan);
  loop.run([&](const TileLoop::Tile& tile) {
    const registers::ScalarOperand reused = tile.reused(0);
    ASSERT_FALSE(reused.literal);
    const registers::ScalarReg before = builder.op(hw::isa::Opcode::s_min, registers::ScalarReg{reused.value}, 1);
    builder.store({tile.row(1), 0, tile.buffer(1)}, builder.splat(before));
  });
  const Outcome outcome = run_program(machine, std::move(builder).finish(), 6 * register_words);
  for (std::size_t line = 0; line < 6; ++line) {
    EXPECT_EQ(outcome.words[line * register_words], line % 3 == 0 ? 0U : 1U) << line;
  }
  EXPECT_EQ(outcome.run.hbm_read, base::Bytes(2 * register_words * 4));
}

TEST(TileLoop, RefusesAPlanThatNeedsMoreFlagsThanThereAre) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set("core.sync_flags=4");
  const hw::Machine machine = hw::read_machine(config);
  KernelBuilder builder(machine, "copy");
  TilePlan plan = copy_plan(4, 1, 1, 1);
  EXPECT_NO_THROW(TileLoop(builder, plan));
  plan.streams.push_back(plan.streams[0]);
  EXPECT_THROW(TileLoop(builder, plan), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
