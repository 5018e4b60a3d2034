// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_costs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "sw/compiler/tiles/tile_maker.h"
#include "tests/hw/random_op.h"
#include "tests/sw/compiler/cache_file.h"
#include "tests/sw/compiler/core_ops.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

using testing::CacheFile;

std::vector<tiles::OpWork> some_works(const sw::TargetMachine& machine) {
  std::vector<tiles::OpWork> works = testing::works_of(testing::matrix_product(1024, 512, 2048), machine);
  for (const testing::ConvolutionCase& c : {testing::ConvolutionCase{8, 28, 64, 128, 3}, {8, 56, 64, 64, 1}}) {
    for (const tiles::OpWork& work : testing::works_of(testing::convolution_with_statistics(c), machine))
      works.push_back(work);
    for (const tiles::OpWork& work : testing::works_of(testing::kernel_gradient(c), machine)) works.push_back(work);
  }
  return works;
}

auto fields(const tiles::Tiling& tiling) {
  return std::tuple(tiling.batch, tiling.rows, tiling.lanes, tiling.contraction, tiling.rows_outer);
}

TEST(OpCosts, AreWhatSearchAndPipelineSay) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const testing::CacheFile file;
  const std::vector<tiles::OpWork> works = some_works(machine);
  ASSERT_GE(works.size(), 6U);
  for (const bool known : {false, true}) {
    OpCache cache(file.path());
    OpCosts costs(machine, &cache);
    for (const tiles::OpWork& work : works) {
      const tiles::Tiling expected = tiles::choose_tiling(work, machine, "op");
      EXPECT_EQ(fields(costs.tiling(work, "op")), fields(expected));
      const hw::TileOp tiles = tiles::make_tiles(work, expected, machine, "op");
      EXPECT_EQ(costs.simulate(tiles), hw::timing::simulate_op(machine, tiles));
      EXPECT_EQ(costs.estimate(tiles), hw::timing::estimate_cycles(machine, tiles));
    }
    cache.save();
    const OpCacheUse use = cache.take_use();
    EXPECT_EQ(use.hits + use.misses, 3 * std::int64_t(works.size()));
    EXPECT_EQ(use.misses == 0, known);
  }
}

hlo::Module large_sum() {
  hlo::build::GraphBuilder b("sum");
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {64, 1024, 1024});
  return std::move(b).build(b.add(b.parameter(shape, "x"), b.parameter(shape, "y")));
}

// A sum is bound by the HBM. In turns it moves its bytes at the rates of reads and of writes alone, less the latencies
// of a tile, which are a few per cent of it; concurrently at less by the turnarounds.
TEST(OpCosts, TransfersTakeTurnsWhereThatIsFasterAndAllowed) {
  sw::TargetMachine machine = sw::tpu_v3();
  const tiles::OpWork sum = testing::works_of(large_sum(), machine).front();
  const tiles::OpWork product = testing::works_of(testing::matrix_product(4096, 4096, 4096), machine).front();
  const auto tiles_of = [&](const tiles::OpWork& work) {
    OpCosts costs(machine);
    return costs.tiles(work, costs.tiling(work, "op"), "op");
  };
  EXPECT_FALSE(tiles_of(sum).in_turns);
  machine.compiler.transfers_in_turns = true;
  EXPECT_TRUE(tiles_of(sum).in_turns);
  EXPECT_FALSE(tiles_of(product).in_turns) << "it is bound by its products";
  const double array = 64.0 * 1024 * 1024 * 4;
  const double alone = array * (2 + machine.hbm.write_cost) / machine.hbm.stream_rate.si();
  const double taken = (OpCosts(machine).cycles(sum, "op") / machine.clock).si();
  EXPECT_GT(taken, alone);
  EXPECT_LT(taken, alone * 1.06);
}

RC_GTEST_PROP(OpCosts, AreTheSameFromAFile, ()) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const testing::CacheFile file;
  std::vector<hw::TileOp> ops;
  for (int i = 0; i < 5; ++i) ops.push_back(hw::random_op(3, 6));
  {
    OpCache cache(file.path());
    OpCosts costs(machine, &cache);
    for (const hw::TileOp& op : ops) costs.simulate(op);
    cache.save();
  }
  OpCache cache(file.path());
  OpCosts costs(machine, &cache);
  for (hw::TileOp op : ops) {
    op.name = "another name";
    RC_ASSERT(costs.simulate(op) == hw::timing::simulate_op(machine, op));
  }
  RC_ASSERT(cache.take_use().misses == 0);
}

TEST(OpCosts, OfAnotherMachineAreOthers) {
  const testing::CacheFile file;
  OpCache cache(file.path());
  sw::TargetMachine machine = sw::tpu_v3();
  const tiles::OpWork work = some_works(machine).front();
  OpCosts(machine, &cache).tiling(work, "op");
  machine.vmem = machine.vmem / 4;
  const tiles::Tiling tiling = OpCosts(machine, &cache).tiling(work, "op");
  EXPECT_EQ(fields(tiling), fields(tiles::choose_tiling(work, machine, "op")));
  EXPECT_EQ(cache.take_use().hits, 0);
}

TEST(OpCosts, NeedNoCache) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const tiles::OpWork work = some_works(machine).front();
  OpCosts costs(machine);
  EXPECT_EQ(fields(costs.tiling(work, "op")), fields(tiles::choose_tiling(work, machine, "op")));
}

}  // namespace
}  // namespace podsim::sw::compiler
