// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/matrix/matrix_unit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <string>

#include "base/diagnostic.h"
#include "tests/hw/bundle/matrix_unit_driver.h"

/// The equations of hw/bundle/matrix/matrix_unit.h in closed form, for both views.
namespace podsim::hw::bundle::matrix {
namespace {

using enum isa::Opcode;
using Kind = results::Readiness::Kind;

class MatrixUnits : public ::testing::TestWithParam<MatrixUnitView> {};
INSTANTIATE_TEST_SUITE_P(Views, MatrixUnits, ::testing::Values(MatrixUnitView::event, MatrixUnitView::rows),
                         [](const auto& view) { return view.param == MatrixUnitView::event ? "event" : "rows"; });

/// Pushed from cycle 0 on, weight register j starts at 1 + 8 j, so the tile is in at 129.
constexpr std::int64_t first_latch = 129;
constexpr std::int64_t latency = 135;

TEST_P(MatrixUnits, GivesTheFirstResultATileLoadAndALatencyAfterTheFirstPush) {
  MatrixUnitDriver core(GetParam());
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  EXPECT_EQ(core.ready_to_pop().cycle.value(), first_latch + latency);
  core.wait_until(first_latch + latency - 1);
  EXPECT_EQ(core.ready_to_pop().cycle.value(), first_latch + latency);
  core.wait_until(first_latch + latency + 5);
  EXPECT_EQ(core.ready_to_pop().cycle.value(), first_latch + latency + 5);
}

TEST_P(MatrixUnits, TakesATileLongerToLoadTransposedWeights) {
  MatrixUnitDriver core(GetParam());
  core.push_tile(mxu_weights_transposed);
  core.push(mxu_latch);
  core.push(mxu_lhs);
  EXPECT_EQ(core.pop(), first_latch + 128 + latency);
}

TEST_P(MatrixUnits, DelaysResultsByTheSkewOfTheMachine) {
  MatrixUnitDriver core(GetParam(), {.skew = 20});
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  EXPECT_EQ(core.pop(), first_latch + 128 + 20);
}

TEST_P(MatrixUnits, LoadsWeightsAsFastAsTheMachineTakesRows) {
  for (const int rows : {2, 4, 8}) {
    MatrixUnitDriver core(GetParam(), {.weight_rows = rows});
    core.push_tile();
    core.push(mxu_latch);
    core.push(mxu_lhs);
    // With 8 rows per cycle the pushes are the limit: the LHS register is the 18th, in cycle 17.
    EXPECT_EQ(core.pop(), std::max(1 + 128 / rows, 18) + latency) << rows << " rows per cycle";
  }
}

TEST_P(MatrixUnits, AcceptsAPushInTheCycleInWhichRoomComes) {
  MatrixUnitDriver core(GetParam());
  // Four registers find room at once, the fifth as the first has left in cycle 1; from then on one per 8 cycles.
  const std::int64_t expected[] = {0, 1, 2, 3, 4, 9, 17, 25, 33, 41, 49, 57, 65, 73, 81, 89};
  for (const std::int64_t cycle : expected) EXPECT_EQ(core.push(mxu_weights), cycle);
  // The latch waits in the LHS FIFO for the weights and takes one of its four slots.
  EXPECT_EQ(core.push(mxu_latch), 90);
  for (const std::int64_t cycle : {91, 92, 93}) EXPECT_EQ(core.push(mxu_lhs), cycle);
  // In 129 the latch leaves and the first LHS register with it.
  EXPECT_EQ(core.push(mxu_lhs), first_latch);
  EXPECT_EQ(core.push(mxu_lhs), first_latch + 1);
  EXPECT_EQ(core.push(mxu_lhs), first_latch + 8);
}

TEST_P(MatrixUnits, StartsALoneRegisterACycleAfterItsPush) {
  MatrixUnitDriver core(GetParam());
  core.push_tile();
  core.push(mxu_latch);
  core.wait_until(1000);
  core.push(mxu_lhs);
  EXPECT_EQ(core.busy(1001), 0);
  EXPECT_EQ(core.pop(), 1001 + latency);
  core.wait_until(2000);
  core.push(mxu_lhs);
  EXPECT_EQ(core.busy(2001), 8);
  EXPECT_EQ(core.busy(2004), 8 + 3);
  EXPECT_EQ(core.busy(2009), 8 + 8);
  EXPECT_EQ(core.busy(2100), 8 + 8);
}

/// `tiles` weight tiles of `registers` LHS registers each; a tile's weights are pushed among the LHS registers of the
/// previous tile, and results are popped 20 registers later. Returns the cycle of the last pop.
std::int64_t run_tiles(MatrixUnitDriver& core, int tiles, int registers, isa::Opcode weights) {
  core.push_tile(weights);
  core.push(mxu_latch);
  int pushed = 0, popped = 0;
  for (int tile = 1; tile <= tiles; ++tile) {
    int loaded = 0;
    for (int i = 0; i < registers; ++i) {
      core.push(mxu_lhs);
      if (++pushed > 20) core.pop(), ++popped;
      if (tile < tiles && loaded < 16) core.push(weights), ++loaded;
    }
    if (tile == tiles) break;
    for (; loaded < 16; ++loaded) core.push(weights);
    core.push(mxu_latch);
  }
  std::int64_t last = 0;
  for (; popped < pushed; ++popped) last = core.pop();
  return last;
}

TEST_P(MatrixUnits, StreamTilesOf128RowsWithoutABubble) {
  MatrixUnitDriver core(GetParam());
  constexpr int tiles = 6, registers = 16;
  EXPECT_EQ(run_tiles(core, tiles, registers, mxu_weights), first_latch + 8 * (tiles * registers - 1) + latency);
  EXPECT_EQ(core.busy(core.now()), 8 * tiles * registers);
}

TEST_P(MatrixUnits, StreamTilesOfMoreRowsWithoutABubble) {
  MatrixUnitDriver core(GetParam());
  constexpr int tiles = 3, registers = 40;
  EXPECT_EQ(run_tiles(core, tiles, registers, mxu_weights), first_latch + 8 * (tiles * registers - 1) + latency);
}

TEST_P(MatrixUnits, AreHeldUpByTheWeightsOfTilesOfFewerRows) {
  for (const int registers : {1, 8, 15}) {
    MatrixUnitDriver core(GetParam());
    constexpr int tiles = 5;
    EXPECT_EQ(run_tiles(core, tiles, registers, mxu_weights),
              first_latch + 128 * (tiles - 1) + 8 * (registers - 1) + latency)
        << registers << " registers";
  }
}

TEST_P(MatrixUnits, TakeTwoTileLoadsForATransposedTile) {
  MatrixUnitDriver core(GetParam());
  constexpr int tiles = 4, registers = 16;
  EXPECT_EQ(run_tiles(core, tiles, registers, mxu_weights_transposed),
            first_latch + 128 + 256 * (tiles - 1) + 8 * (registers - 1) + latency);
}

TEST_P(MatrixUnits, StopWhenTheirResultsHaveNoRoomAndGoOnWithAPop) {
  MatrixUnitDriver core(GetParam(), {.operand_fifo = 3, .result_fifo = 5});
  core.push_tile();
  core.push(mxu_latch);
  // Five registers have a slot for their results, three more wait at the input.
  for (int i = 0; i < 5 + 3; ++i) core.push(mxu_lhs);
  EXPECT_EQ(core.ready_to_push(mxu_lhs).kind, Kind::never);
  EXPECT_EQ(core.ready_to_push(mxu_latch).kind, Kind::illegal);
  EXPECT_EQ(core.ready_to_push(mxu_weights).kind, Kind::at);
  core.wait_until(2000);
  EXPECT_EQ(core.ready_to_push(mxu_lhs).kind, Kind::never);
  EXPECT_EQ(core.pop(), 2000);
  // There is room for a result from the cycle after the pop: the register at the head starts then and leaves its slot.
  EXPECT_EQ(core.push(mxu_lhs), 2001);
  EXPECT_EQ(core.ready_to_push(mxu_lhs).kind, Kind::never);
  for (int i = 0; i < 4; ++i) core.pop();
  EXPECT_EQ(core.pop(), 2001 + latency);
}

TEST_P(MatrixUnits, LetWeightsWaitForALatchThatWaitsForAPop) {
  MatrixUnitDriver core(GetParam(), {.operand_fifo = 2, .result_fifo = 1});
  core.push_tile();
  core.push(mxu_latch);
  core.push(mxu_lhs);
  core.push_tile();
  core.push(mxu_lhs);
  core.push(mxu_latch);
  core.push(mxu_weights);
  core.push(mxu_weights);
  EXPECT_EQ(core.ready_to_push(mxu_weights).kind, Kind::never);
  core.wait_until(3000);
  core.pop();
  // The LHS register starts at 3001, the latch follows at 3009, and the weights with it.
  EXPECT_EQ(core.push(mxu_weights), 3009);
}

TEST_P(MatrixUnits, KnowMistakesFromWaiting) {
  MatrixUnitDriver core(GetParam());
  EXPECT_EQ(core.ready_to_push(mxu_lhs).kind, Kind::illegal) << "before any latch";
  EXPECT_EQ(core.ready_to_push(mxu_latch).kind, Kind::illegal) << "without weights";
  EXPECT_EQ(core.ready_to_pop().kind, Kind::illegal) << "of nothing";
  for (int i = 0; i < 15; ++i) core.push(mxu_weights);
  EXPECT_EQ(core.ready_to_push(mxu_weights_transposed).kind, Kind::illegal) << "in a plain tile";
  EXPECT_EQ(core.ready_to_push(mxu_latch).kind, Kind::illegal) << "after 15 registers";
  core.push(mxu_weights);
  EXPECT_EQ(core.ready_to_push(mxu_weights).kind, Kind::illegal) << "a 17th register";
  EXPECT_EQ(core.ready_to_push(mxu_lhs).kind, Kind::illegal) << "still no latch";
  core.push(mxu_latch);
  core.push(mxu_weights_transposed);
  EXPECT_EQ(core.ready_to_push(mxu_weights).kind, Kind::illegal) << "in a transposed tile";
  core.push(mxu_lhs);
  EXPECT_EQ(core.ready_to_pop().kind, Kind::at);
  core.pop();
  EXPECT_EQ(core.ready_to_pop().kind, Kind::illegal) << "of nothing more";
}

float lhs_value(int m, int k) { return float((m * 7 + k * 3) % 11 - 5); }
float weight(int k, int n) { return float((k * 5 + n * 13) % 17 - 8); }

TEST_P(MatrixUnits, MultiplyRowsByATilePushedFromItsLastRowsOrByColumns) {
  for (const isa::Opcode opcode : {mxu_weights, mxu_weights_transposed}) {
    MatrixUnitDriver core(GetParam());
    vector::VectorRegister x;
    for (int j = 0; j < 16; ++j) {
      for (int s = 0; s < 8; ++s) {
        for (int l = 0; l < 128; ++l) {
          const float value = opcode == mxu_weights ? weight(120 - 8 * j + s, l) : weight(l, 8 * j + s);
          x.words[std::size_t(s * 128 + l)] = std::bit_cast<std::uint32_t>(value);
        }
      }
      core.push(opcode, &x);
    }
    core.push(mxu_latch);
    for (int m = 0; m < 8; ++m) {
      for (int k = 0; k < 128; ++k) x.words[std::size_t(m * 128 + k)] = std::bit_cast<std::uint32_t>(lhs_value(m, k));
    }
    core.push(mxu_lhs, &x);
    vector::VectorRegister result;
    core.pop(&result);
    for (int m = 0; m < 8; ++m) {
      for (int n = 0; n < 128; ++n) {
        float sum = 0;  // of whole numbers: exact in any order
        for (int k = 0; k < 128; ++k) sum += lhs_value(m, k) * weight(k, n);
        ASSERT_EQ(std::bit_cast<float>(result.words[std::size_t(m * 128 + n)]), sum) << m << ' ' << n;
      }
    }
  }
}

TEST_P(MatrixUnits, RefuseOtherArrays) {
  const auto make = [](const char* setting) {
    base::Config config = machine_file("tpu-v3");
    config.set(setting);
    const Machine machine = read_machine(config);
    const CoreTime time(machine.clock);
    make_matrix_unit(GetParam(), "mxu", machine, time, {});
  };
  EXPECT_THROW(make("mxu.size=256"), base::InputError);
  EXPECT_THROW(make("mxu.weight_rows_per_cycle=3"), base::InputError);
  EXPECT_THROW(make("mxu.weight_rows_per_cycle=16"), base::InputError);
}

}  // namespace
}  // namespace podsim::hw::bundle::matrix
