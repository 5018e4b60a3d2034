// SPDX-License-Identifier: Apache-2.0
#include "hw/core_units.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/hw/test_machine.h"

namespace podsim::hw::timing {
namespace {

TEST(MxuTiming, ARegisterOf8RowsEntersIn8CyclesAndWeightsIn128) {
  const Mxu::Timing timing = Mxu::timing(plain_tpu_v3());
  const Mxu::Timing::Span span = timing.span({2 * 1, 1024}, 0);
  EXPECT_EQ(span.load, base::Cycles(128));
  EXPECT_EQ(span.stream, base::Cycles(1024));
  EXPECT_EQ(timing.span({2 * 1, 1032}, 0).stream - span.stream, base::Cycles(8));
  EXPECT_EQ(timing.span({2 * 1, 1025}, 0).stream - span.stream, base::Cycles(8));  // rows are padded to 8
}

TEST(MxuTiming, FewRowsWaitForTheNextWeights) {
  const Mxu::Timing timing = Mxu::timing(plain_tpu_v3());
  EXPECT_EQ(timing.span({2 * 10, 8}, 0).stream, base::Cycles(10 * 128));
  EXPECT_EQ(timing.span({2 * 10, 128}, 0).stream, base::Cycles(10 * 128));
  EXPECT_EQ(timing.span({2 * 10, 129}, 0).stream, base::Cycles(10 * 136));
}

TEST(MxuTiming, AShallowTileLoadsARowInACycle) {
  const Mxu::Timing timing = Mxu::timing(plain_tpu_v3());
  for (const std::int64_t depth : {8, 40, 120, 128}) {
    EXPECT_EQ(timing.span({.weight_tiles = 2 * 10, .rows = 8, .depth = depth}, 0).load, base::Cycles(depth));
    EXPECT_EQ(timing.span({.weight_tiles = 2 * 10, .rows = 8, .depth = depth}, 0).stream, base::Cycles(10 * depth));
    EXPECT_EQ(timing.span({.weight_tiles = 2 * 10, .rows = 136, .depth = depth}, 0).stream, base::Cycles(10 * 136));
  }
  EXPECT_EQ(timing.span({.weight_tiles = 2 * 10, .rows = 8, .depth = 200}, 0).stream, base::Cycles(10 * 128))
      << "no tile is deeper than the array";
}

TEST(MxuTiming, NoWorkTakesNoTime) {
  const Mxu::Timing timing = Mxu::timing(plain_tpu_v3());
  EXPECT_EQ(timing.duration({0, 100}), base::Cycles(0));
  EXPECT_EQ(timing.duration({100, 0}), base::Cycles(0));
}

TEST(MxuTiming, AnOddTileGoesToTheFirstUnitWhichDecides) {
  const Mxu::Timing timing = Mxu::timing(plain_tpu_v3());
  EXPECT_EQ(timing.tiles_on(0, 7), 4);
  EXPECT_EQ(timing.tiles_on(1, 7), 3);
  EXPECT_EQ(timing.duration({7, 256}), base::Cycles(128 + 4 * 256 + 135));
}

TEST(MxuTiming, FetchingTheFirstWeightsAndStoringTheLastSumsIsPaidOncePerPhase) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("tile_level.matrix_phase_cycles=50");
  const Mxu::Timing timing = Mxu::timing(read_machine(config));
  EXPECT_EQ(timing.span({2 * 3, 256}, 0).load, base::Cycles(50 + 128));
  EXPECT_EQ(timing.duration({7, 256}), base::Cycles(50 + 128 + 4 * 256 + 135));
  EXPECT_EQ(timing.duration({0, 256}), base::Cycles(0));
}

// 8 units take a register of rows each every 8 cycles, which is all that one load slot brings: weights, 16 registers a
// tile, come on top. A second slot brings both in time.
TEST(MxuTiming, ManyUnitsWaitForTheLoadSlotThatTheyShare) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("mxu.count=8");
  EXPECT_EQ(Mxu::timing(read_machine(config)).span({8 * 5, 1024}, 0).stream, base::Cycles(5 * (1024 + 128)));
  EXPECT_EQ(Mxu::timing(read_machine(config)).span({4, 1024}, 0).stream, base::Cycles(1024));  // four of them at work
  config.set("vector.loads=2");
  EXPECT_EQ(Mxu::timing(read_machine(config)).span({8 * 5, 1024}, 0).stream, base::Cycles(5 * 1024));
}

// 8 x 64 cells as many as in 2 x 128, but twice as many rows: half a register each, and a load for every one. A row of
// 512 cells is four registers.
TEST(MxuTiming, TheLoadSlotIsSharedByTheRowsOfTheArraysNotByTheirCells) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("mxu.count=8");
  config.set("mxu.size=64");
  EXPECT_EQ(Mxu::timing(read_machine(config)).span({8, 512}, 0).stream, base::Cycles(8 * (512 + 64) / 8));
  config.set("mxu.count=4");
  config.set("mxu.size=512");
  EXPECT_EQ(Mxu::timing(read_machine(config)).span({4, 512}, 0).stream, base::Cycles(4 * 4 * (512 + 512) / 8));
}

// Two products in a cell and cycle: two rows enter, and two rows of weights come in a word.
TEST(MxuTiming, ProductsOfATypeDivideTheCyclesOfRowsAndWeights) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("mxu.s8_products=2");
  config.set("mxu.f8_products=4");
  const Mxu::Timing timing = Mxu::timing(read_machine(config));
  const auto span = [&](std::int64_t rows, parts::mxu::Product product) {
    return timing.span({2 * 10, rows, product}, 0);
  };
  using enum parts::mxu::Product;
  EXPECT_EQ(span(1024, bf16).stream, base::Cycles(10 * 1024));
  EXPECT_EQ(span(1024, s8).stream, base::Cycles(10 * 512));
  EXPECT_EQ(span(1024, f8).stream, base::Cycles(10 * 256));
  EXPECT_EQ(span(8, s8).stream, base::Cycles(10 * 64)) << "weights";
  EXPECT_EQ(span(8, s8).load, base::Cycles(64));
  EXPECT_EQ(span(8, s8).drain, base::Cycles(135)) << "the depth of the array";
}

// Eight units and one load slot: (1024 + 128) / 8 registers of each, 16 rows to a register of s8 in place of 8.
TEST(MxuTiming, NarrowOperandsTakeFewerLoads) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("mxu.count=8");
  config.set("mxu.s8_products=2");
  const MxuWork work{8 * 5, 1024, parts::mxu::Product::s8};
  EXPECT_EQ(Mxu::timing(read_machine(config)).span(work, 0).stream, base::Cycles(5 * (1024 + 128) / 2));
}

TEST(MxuTiming, ALargeMatmulReachesThePublishedPeak) {
  const Machine machine = plain_tpu_v3();
  const Mxu::Timing timing = Mxu::timing(machine);
  const MxuWork work{64 * 64, 8192};  // 8192^3
  const double flops = 2.0 * 128 * 128 * double(work.weight_tiles) * double(work.rows);
  const double seconds = (timing.duration(work) / machine.clock).si();
  EXPECT_GT(flops / seconds, 0.9999 * 61.6e12);
  EXPECT_LE(flops / seconds, machine.peak_flops_per_core());
}

// The first result of any weight-stationary matmul is load + latency away; every other cycle streams a row.
RC_GTEST_PROP(MxuTiming, EqualsACountOfTheRowsThatPassEachArray, ()) {
  base::Config config = machine_file("tpu-v3");
  set_plain_code(config);
  config.set("mxu.count=" + std::to_string(*rc::gen::inRange(1, 5)));
  const Machine machine = read_machine(config);
  const std::int64_t tiles = *rc::gen::inRange<std::int64_t>(1, 40);
  const std::int64_t rows = *rc::gen::inRange<std::int64_t>(1, 1000);
  std::vector<std::int64_t> free_at(std::size_t(machine.mxu.count), 128);
  for (std::int64_t tile = 0; tile < tiles; ++tile) {
    std::int64_t cycles = 0;
    for (std::int64_t row = 0; row < rows; row += 8) cycles += 8;
    free_at[std::size_t(tile % machine.mxu.count)] += std::max<std::int64_t>(cycles, 128);
  }
  RC_ASSERT(Mxu::timing(machine).duration({tiles, rows}).value() == *std::ranges::max_element(free_at) + 135);
}

}  // namespace
}  // namespace podsim::hw::timing
