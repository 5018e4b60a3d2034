// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/tile_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "base/diagnostic.h"
#include "hw/timing/tile_pipeline.h"
#include "sw/compiler/tiles/tile_maker.h"
#include "tests/sw/compiler/core_ops.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::tiles {
namespace {

using base::Bytes;
using base::divide_round_up;
using base::round_up;
using testing::ConvolutionCase;

struct Totals {
  std::int64_t tiles = 0;
  std::int64_t streamed_rows = 0;  ///< weight tiles x rows
  Bytes read, written;
  hw::VectorWork vector;
  std::int64_t lane_moves = 0;
};

Totals totals_of(const hw::TileOp& op) {
  Totals sum;
  for (const hw::TileRun& run : op.runs) {
    sum.tiles += run.count;
    for (const hw::TileTransfer& transfer : run.work.reads) sum.read += run.count * transfer.bytes;
    for (const hw::TileTransfer& transfer : run.work.writes) sum.written += run.count * transfer.bytes;
    for (const hw::TilePhase& phase : run.work.phases) {
      sum.streamed_rows += run.count * phase.of<hw::Mxu>().weight_tiles * phase.of<hw::Mxu>().rows;
      sum.vector.loads += run.count * phase.of<hw::Vector>().loads;
      sum.vector.stores += run.count * phase.of<hw::Vector>().stores;
      sum.vector.alu_ops += run.count * phase.of<hw::Vector>().alu_ops;
      sum.vector.transcendentals += run.count * phase.of<hw::Vector>().transcendentals;
      sum.lane_moves += run.count * phase.of<hw::CrossLane>().operations;
    }
  }
  return sum;
}

std::int64_t between(std::int64_t low, std::int64_t high) {
  return *rc::gen::resize(100, rc::gen::inRange(low, high + 1));
}

/// A matrix product of random sizes, small enough to try every tiling.
OpWork random_product(const sw::TargetMachine& machine) {
  hlo::ElementType type = *rc::gen::element(hlo::ElementType::bf16, hlo::ElementType::f32);
  return testing::works_of(testing::matrix_product(between(1, 1500), between(1, 700), between(1, 1500), type), machine)
      .front();
}

OpWork random_convolution(const sw::TargetMachine& machine) {
  // With a batch of 128 and channels that pad badly, the batch is in the lanes and pixels are stationary.
  testing::ConvolutionCase c{.batch = *rc::gen::element<std::int64_t>(8, 24, 128),
                             .size = between(4, 10),
                             .in = between(1, 4) * 40,
                             .out = between(1, 4) * 40,
                             .window = *rc::gen::element<std::int64_t>(1, 3)};
  if (*rc::gen::arbitrary<bool>()) return testing::works_of(testing::kernel_gradient(c), machine).back();
  return testing::works_of(testing::convolution_with_statistics(c), machine).front();
}

OpWork random_work(const sw::TargetMachine& machine) {
  switch (between(0, 2)) {
    case 0:
      return random_product(machine);
    case 1:
      return random_convolution(machine);
    default:
      return testing::works_of(testing::scaled_relu({between(1, 2000), between(1, 1000)}), machine).front();
  }
}

/// Every tiling that the header allows: powers of two, at most 1024 tiles, no more columns per tile than a prologue is
/// computed for, and both orders of loops where the order matters.
std::vector<Tiling> all_tilings(const OpWork& work, const sw::TargetMachine& machine) {
  std::vector<Tiling> tiling;
  MatmulProblem problem = work.matmul.value_or(MatmulProblem{.rows = 8 * 1024, .stationary = {}});
  std::int64_t columns = base::divide_round_up(problem.lanes, machine.mxu.size);
  bool pixels = problem.stationary_blocks > 1;
  for (std::int64_t b = 1; b <= problem.batch; b *= 2) {
    for (std::int64_t r = 1; r <= problem.rows / 8; r *= 2) {
      for (std::int64_t l = 1; l <= (pixels ? problem.stationary_blocks : columns); l *= 2) {
        for (std::int64_t k = 1; k <= problem.contraction_tiles; k *= 2) {
          bool too_wide =
              !pixels && base::divide_round_up(columns, l) * machine.mxu.size > machine.compiler.prologue_columns;
          if (b * r * l * k > 1024 || (work.matmul && too_wide)) continue;
          tiling.push_back({b, r, l, k, true});
          if (r > 1 && l > 1) tiling.push_back({b, r, l, k, false});
        }
      }
    }
  }
  return tiling;
}

Tiling random_tiling(const OpWork& work, const sw::TargetMachine& machine) {
  std::vector<Tiling> all = all_tilings(work, machine);
  return all[std::size_t(between(0, std::int64_t(all.size()) - 1))];
}

RC_GTEST_PROP(TileSearch, TilesStreamAllRowsPastAllWeightsAndNoMoreThanCutsRoundUp, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = *rc::gen::arbitrary<bool>() ? random_product(machine) : random_convolution(machine);
  Tiling tiling = random_tiling(work, machine);
  Totals sum = totals_of(make_tiles(work, tiling, machine, "op"));
  const MatmulProblem& p = *work.matmul;
  RC_ASSERT(sum.tiles == tiling.tiles());
  RC_ASSERT(sum.streamed_rows >= p.weight_tiles(machine.mxu.size) * p.rows);
  // The last block of each split may be short; rows are padded to the sublanes on each of the MXUs.
  double rows = double(p.rows + tiling.rows * 8 * (1 + machine.mxu.count));
  std::int64_t columns = base::divide_round_up(p.lanes, machine.mxu.size);
  double blocks = p.stationary_blocks > 1 ? double(p.stationary_blocks + tiling.lanes - 1) : 1;
  double stationary = blocks * double(columns + std::min(tiling.lanes, columns) - 1);
  double weights =
      double(p.batch + tiling.batch - 1) * stationary * double(p.contraction_tiles + tiling.contraction - 1);
  RC_ASSERT(double(sum.streamed_rows) <= rows * weights);
}

RC_GTEST_PROP(TileSearch, ResultsAreWrittenOnceUpToRoundingPerTile, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = random_work(machine);
  Tiling tiling = random_tiling(work, machine);
  Totals sum = totals_of(make_tiles(work, tiling, machine, "op"));
  RC_ASSERT(sum.written >= work.written_bytes);
  RC_ASSERT(sum.written <= work.written_bytes + Bytes(tiling.tiles()));
}

/// Number of times that a loop nest of batches, rows and lanes (in either order) and the contraction loads the blocks
/// of an operand, which stay until another block is needed; counted one by one.
std::int64_t loads(const Tiling& c, bool of_rows) {
  std::int64_t count = 0;
  std::vector<std::int64_t> held;
  for (std::int64_t b = 0; b < c.batch; ++b) {
    for (std::int64_t outer = 0; outer < (c.rows_outer ? c.rows : c.lanes); ++outer) {
      for (std::int64_t inner = 0; inner < (c.rows_outer ? c.lanes : c.rows); ++inner) {
        for (std::int64_t k = 0; k < c.contraction; ++k) {
          std::vector<std::int64_t> needed{b, of_rows == c.rows_outer ? outer : inner, k};
          count += needed == held ? 0 : 1;
          held = needed;
        }
      }
    }
  }
  return count;
}

RC_GTEST_PROP(TileSearch, AProductReadsEachBlockAsOftenAsTheLoopsReturnToIt, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = random_product(machine);
  Tiling tiling = random_tiling(work, machine);
  Totals sum = totals_of(make_tiles(work, tiling, machine, "op"));
  double row_times = double(loads(tiling, true)) / double(tiling.batch * tiling.rows * tiling.contraction);
  double lane_times = double(loads(tiling, false)) / double(tiling.batch * tiling.lanes * tiling.contraction);
  double expected = double(work.row_bytes.total().value()) * row_times +
                    double(work.lane_bytes.total().value()) * lane_times +
                    double((work.output_side_bytes + work.small_bytes).total().value());
  RC_ASSERT(double(sum.read.value()) >= expected - 1);
  RC_ASSERT(double(sum.read.value()) <= expected + 4.0 * double(tiling.tiles()));
  RC_ASSERT(sum.read >= work.read_bytes());
}

RC_GTEST_PROP(TileSearch, AConvolutionReadsItsOperandsAtLeastOnceAndExactlyOnceUncut, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = random_convolution(machine);
  Tiling tiling = random_tiling(work, machine);
  RC_ASSERT(totals_of(make_tiles(work, tiling, machine, "op")).read >= work.read_bytes());
  RC_ASSERT(totals_of(make_tiles(work, {}, machine, "op")).read == work.read_bytes());
}

RC_GTEST_PROP(TileSearch, VectorWorkIsDoneOncePerBlockThatNeedsIt, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = random_work(machine);
  Tiling tiling = random_tiling(work, machine);
  Totals sum = totals_of(make_tiles(work, tiling, machine, "op"));
  // The row prologue is repeated for every block of lanes, and the lane prologue for every block of rows. Partial sums
  // of several contraction tiles are added up, with one operation per register that the MXUs stream.
  double times_rows = work.matmul ? double(tiling.lanes) : 0, times_lanes = work.matmul ? double(tiling.rows) : 0;
  double once = double(work.row_prologue.alu_ops) * times_rows + double(work.lane_prologue.alu_ops) * times_lanes +
                double(work.epilogue.alu_ops);
  double sums = double(sum.streamed_rows) / 8, rounding = 6.0 * double(tiling.tiles());
  bool must_add = work.matmul && work.matmul->contraction_tiles > 1;
  RC_ASSERT(double(sum.vector.alu_ops) >= once + (must_add ? sums : 0) - rounding);
  RC_ASSERT(double(sum.vector.alu_ops) <= once + sums + rounding);
  // Relayouts are repeated with the vector work that waits for them; three phases of a tile may round up.
  double moves = double(work.lane_moves) + double(work.row_relayouts) * times_rows +
                 double(work.lane_relayouts) * times_lanes + double(work.output_relayouts);
  RC_ASSERT(double(sum.lane_moves) >= moves - 1e-6 * moves);
  RC_ASSERT(double(sum.lane_moves) <= moves + 3.0 * double(tiling.tiles()));
}

/// Cycles, and among equal ones the number of tiles.
using Cost = std::pair<base::Cycles, std::int64_t>;

Cost cost(const sw::TargetMachine& machine, const OpWork& work, const Tiling& tiling) {
  return {hw::timing::estimate_cycles(machine, make_tiles(work, tiling, machine, "op")), tiling.tiles()};
}

RC_GTEST_PROP(TileSearch, TheChosenCutsFitAndNoOthersThatFitAreBetter, ()) {
  sw::TargetMachine machine = sw::tpu_v3();
  machine.vmem = Bytes(std::int64_t(256 * 1024) << between(0, 6));
  OpWork work = random_work(machine);
  // Tilings that fit, with tiles of compiler.min_tile on average, and those with the fewest tiles.
  std::vector<Tiling> fitting;
  std::int64_t fewest = std::numeric_limits<std::int64_t>::max();
  for (const Tiling& tiling : all_tilings(work, machine)) {
    if (make_tiles(work, tiling, machine, "op").vmem > machine.vmem) continue;
    fitting.push_back(tiling);
    fewest = std::min(fewest, tiling.tiles());
  }
  std::optional<Cost> best;
  for (const Tiling& tiling : fitting) {
    const Totals sum = totals_of(make_tiles(work, tiling, machine, "op"));
    // The blocks of a tiling round up, tile by tile.
    const bool clearly_small = sum.read + sum.written < tiling.tiles() * machine.compiler.min_tile;
    if (tiling.tiles() != fewest && clearly_small) continue;
    const Cost found = cost(machine, work, tiling);
    best = best ? std::min(*best, found) : found;
  }
  if (!best) {
    // More tiles are needed, or finer ones than registers and weight tiles.
    RC_ASSERT(make_tiles(work, choose_tiling(work, machine, "op"), machine, "op").vmem <= machine.vmem);
    return;
  }
  Tiling chosen = choose_tiling(work, machine, "op");
  RC_ASSERT(make_tiles(work, chosen, machine, "op").vmem <= machine.vmem);
  RC_ASSERT(cost(machine, work, chosen) <= *best);
}

// Two input halves, two output halves and the fp32 sums of a tile.
RC_GTEST_PROP(TileSearch, VmemHoldsTwoOfEveryBlockThatATileMoves, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = random_product(machine);
  Tiling tiling = random_tiling(work, machine);
  hw::TileOp op = make_tiles(work, tiling, machine, "op");
  Bytes most;
  for (const hw::TileRun& run : op.runs) {
    Bytes moved;
    for (const hw::TileTransfer& transfer : run.work.reads) moved += transfer.bytes;
    for (const hw::TileTransfer& transfer : run.work.writes) moved += transfer.bytes;
    most = std::max(most, moved);
  }
  RC_ASSERT(op.vmem >= most);
  Bytes sums(4 * work.matmul->output_rows * base::round_up(work.matmul->lanes, 128) /
             (tiling.batch * tiling.rows * tiling.lanes));
  RC_ASSERT(op.vmem >= sums);
}

// 32 rows of 7 overlap from tile to tile: 224 columns of 1024 channels and 128 images are 14 MB a row in f32.
TEST(TileSearch, AConvolutionWhoseRowsDoNotFitIsCutWithinThem) {
  const sw::TargetMachine machine = sw::tpu_v3();
  for (const OpWork& work : testing::works_of(testing::convolution_with_statistics({128, 224, 1024, 64, 7}), machine)) {
    const hw::TileOp op = make_tiles(work, choose_tiling(work, machine, "op"), machine, "op");
    EXPECT_LE(op.vmem, machine.vmem);
    EXPECT_GE(totals_of(op).read, work.read_bytes());
  }
}

// Every array is below compiler.small_operand, all together are twice VMEM.
TEST(TileSearch, VeryManySmallArraysAreStreamed) {
  const sw::TargetMachine machine = sw::tpu_v3();
  hlo::build::GraphBuilder b("many");
  hlo::InstructionId sum = b.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 1792}), "x");
  for (int i = 0; i < 600; ++i) {
    sum = b.add(sum, b.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 1792}), "y" + std::to_string(i)));
  }
  for (const OpWork& work : testing::works_of(std::move(b).build(sum), machine)) {
    EXPECT_LE(make_tiles(work, choose_tiling(work, machine, "op"), machine, "op").vmem, machine.vmem);
  }
}

TEST(TileSearch, AnOpThatDoesNotFitIsAVerdictThatNamesIt) {
  sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = testing::works_of(testing::matrix_product(4096, 4096, 4096), machine).front();
  machine.vmem = Bytes(1024);
  try {
    choose_tiling(work, machine, "fusion.42");
    FAIL() << "it fits";
  } catch (const base::SimulationError& error) {
    EXPECT_NE(std::string(error.what()).find("'fusion.42'"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("VMEM"), std::string::npos);
  }
}

TEST(TileSearch, ExposedVectorWorkStandsBesideTheMatrixWorkAndHiddenWorkInItsPhase) {
  sw::TargetMachine machine = sw::tpu_v3();
  machine.compiler.op_launch = base::Cycles(0);
  OpWork work;
  work.matmul =
      MatmulProblem{.lanes = 128, .contraction_tiles = 2, .rows = 1024, .output_rows = 1024, .stationary = {}};
  work.row_bytes = work.lane_bytes = work.written_bytes = Bytes(1 << 20);
  work.row_prologue.alu_ops = 1000;
  work.epilogue.alu_ops = 2000;
  hw::TileOp op = make_tiles(work, {}, machine, "op");
  ASSERT_EQ(op.runs.size(), 1U);
  const std::vector<hw::TilePhase>& phases = op.runs[0].work.phases;
  ASSERT_EQ(phases.size(), 3U);
  EXPECT_EQ(phases[0].of<hw::Vector>().alu_ops, 730);
  EXPECT_EQ(phases[0].of<hw::Mxu>(), hw::MxuWork{});
  EXPECT_EQ(phases[2].of<hw::Vector>().alu_ops, 1460);
  // 0.27 x 3000 hidden, and an addition for every register of partial sums.
  EXPECT_EQ(phases[1].of<hw::Vector>().alu_ops,
            810 + phases[1].of<hw::Mxu>().weight_tiles * phases[1].of<hw::Mxu>().rows / 8);
  EXPECT_EQ(phases[1].of<hw::Mxu>().weight_tiles * phases[1].of<hw::Mxu>().rows, 2 * 1024);
}

// A product before the last one has few weight tiles: its tiles divide the rows, and together stream as many.
TEST(TileSearch, TilesShareTheRowsOfAnEarlierProductWithFewWeights) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work;
  work.matmul = MatmulProblem{.lanes = 256, .rows = 1 << 16, .output_rows = 1 << 16, .stationary = {}};
  work.earlier_matmuls = {MatmulProblem{.lanes = 64, .contraction_tiles = 6, .rows = 1 << 16, .stationary = {}}};
  work.row_bytes = work.lane_bytes = work.written_bytes = Bytes(1 << 24);
  for (const std::int64_t rows : {1, 16, 64}) {
    std::int64_t streamed = 0;
    for (const hw::TileRun& run : make_tiles(work, {.rows = rows}, machine, "op").runs) {
      const hw::MxuWork& earlier = run.work.phases.front().of<hw::Mxu>();
      streamed += run.count * earlier.weight_tiles * earlier.rows;
    }
    EXPECT_EQ(streamed, 6 << 16) << rows;
  }
}

TEST(TileSearch, TheFirstTileHasTheCodeThatBeginsAnOp) {
  const sw::TargetMachine machine = sw::tpu_v3();
  sw::TargetMachine without = machine;
  without.compiler.op_launch = base::Cycles(0);
  OpWork work = testing::works_of(testing::scaled_relu({512, 1024}), machine).front();
  auto cycles = [&](const sw::TargetMachine& m) {
    return hw::timing::simulate_op(m, make_tiles(work, {}, m, "op")).cycles.value();
  };
  EXPECT_EQ(cycles(machine), cycles(without) + machine.compiler.op_launch.value());
  EXPECT_EQ(totals_of(make_tiles(work, {.rows = 8}, machine, "op")).tiles, 8);
}

TEST(TileSearch, SmallOpsAreNotCut) {
  const sw::TargetMachine machine = sw::tpu_v3();
  // 1.5 MiB of traffic is less than a tile may have. 64 MiB are divided into tiles of at least 2 MiB.
  OpWork small = testing::works_of(testing::scaled_relu({384, 512}), machine).front();
  EXPECT_EQ(choose_tiling(small, machine, "op").tiles(), 1);
  OpWork large = testing::works_of(testing::scaled_relu({8192, 1024}), machine).front();
  const std::int64_t tiles = choose_tiling(large, machine, "op").tiles();
  EXPECT_GT(tiles, 1);
  EXPECT_GE(large.read_bytes() + large.written_bytes, tiles * machine.compiler.min_tile);
}

struct Measured {
  const char* name;
  hlo::Module module;
  double microseconds;
};

/// Time of the last op of a module with the tiling that the compiler chooses.
double modelled(const hlo::Module& module) {
  const sw::TargetMachine machine = sw::tpu_v3();
  OpWork work = testing::works_of(module, machine).back();
  Tiling tiling = choose_tiling(work, machine, "op");
  hw::OpResult result = hw::timing::simulate_op(machine, make_tiles(work, tiling, machine, "op"));
  return double(result.cycles.value()) / machine.clock.si() * 1e6;
}

// Op times of MLPerf v0.7 ResNet-50 and BERT on TPU v3, one core.
TEST(TileSearch, PlainOpsTakeTheTimeThatTheyTakeOnSilicon) {
  const std::vector<Measured> table = {
      {"BERT QKV 16384 x 1024 x 1024", testing::matrix_product(16384, 1024, 1024), 596},
      {"3x3, 56 x 56, 64", testing::convolution_with_statistics({128, 56, 64, 64, 3}), 1004},
      {"3x3, 28 x 28, 128", testing::convolution_with_statistics({128, 28, 128, 128, 3}), 512},
      {"3x3, 14 x 14, 256", testing::convolution_with_statistics({128, 14, 256, 256, 3}), 502},
      {"3x3, 7 x 7, 512", testing::convolution_with_statistics({128, 7, 512, 512, 3}), 515},
      {"1x1, 56 x 56, 64 to 256", testing::convolution_with_statistics({128, 56, 64, 256, 1}), 692},
      {"1x1, 56 x 56, 256 to 64", testing::convolution_with_statistics({128, 56, 256, 64, 1}), 677},
      {"3x3 kernel gradient, 56 x 56, 64", testing::kernel_gradient({128, 56, 64, 64, 3}), 1012},
      {"relu, 112 x 112, 64", testing::scaled_relu({112, 112, 64, 128}), 1197},
  };
  for (const Measured& op : table) {
    double error = modelled(op.module) / op.microseconds - 1;
    EXPECT_LE(std::abs(error), 0.05) << op.name << ": " << 100 * error << " %";
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
