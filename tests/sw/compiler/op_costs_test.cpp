// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/op_costs.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <tuple>

#include "sw/compiler/tile_maker.h"
#include "tests/hw/random_op.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/compiler/cache_file.h"
#include "tests/sw/compiler/core_ops.h"

namespace podsim::sw {
namespace {

using testing::CacheFile;

std::vector<OpWork> some_works(const hw::Machine& machine) {
  std::vector<OpWork> works = testing::works_of(testing::matrix_product(1024, 512, 2048), machine);
  for (const testing::ConvolutionCase& c : {testing::ConvolutionCase{8, 28, 64, 128, 3}, {8, 56, 64, 64, 1}}) {
    for (const OpWork& work : testing::works_of(testing::convolution_with_statistics(c), machine))
      works.push_back(work);
    for (const OpWork& work : testing::works_of(testing::kernel_gradient(c), machine)) works.push_back(work);
  }
  return works;
}

auto fields(const TileCuts& cuts) {
  return std::tuple(cuts.batch, cuts.rows, cuts.lanes, cuts.contraction, cuts.rows_outer);
}

TEST(OpCosts, AreWhatSearchAndPipelineSay) {
  const hw::Machine machine = hw::tpu_v3();
  const CacheFile file;
  const std::vector<OpWork> works = some_works(machine);
  ASSERT_GE(works.size(), 6U);
  for (const bool known : {false, true}) {
    OpCache cache(file.path());
    OpCosts costs(machine, &cache);
    for (const OpWork& work : works) {
      const TileCuts expected = choose_cuts(work, machine, "op");
      EXPECT_EQ(fields(costs.cuts(work, "op")), fields(expected));
      const hw::TileOp tiles = make_tiles(work, expected, machine, "op");
      EXPECT_EQ(costs.simulate(tiles), hw::simulate_op(machine, tiles));
      EXPECT_EQ(costs.estimate(tiles), hw::estimate_cycles(machine, tiles));
    }
    cache.save();
    const OpCacheUse use = cache.take_use();
    EXPECT_EQ(use.hits + use.misses, 3 * std::int64_t(works.size()));
    EXPECT_EQ(use.misses == 0, known);
  }
}

RC_GTEST_PROP(OpCosts, AreTheSameFromAFile, ()) {
  const hw::Machine machine = hw::tpu_v3();
  const CacheFile file;
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
    RC_ASSERT(costs.simulate(op) == hw::simulate_op(machine, op));
  }
  RC_ASSERT(cache.take_use().misses == 0);
}

TEST(OpCosts, OfAnotherMachineAreOthers) {
  const CacheFile file;
  OpCache cache(file.path());
  hw::Machine machine = hw::tpu_v3();
  const OpWork work = some_works(machine).front();
  OpCosts(machine, &cache).cuts(work, "op");
  machine.vmem = machine.vmem / 4;
  const TileCuts cuts = OpCosts(machine, &cache).cuts(work, "op");
  EXPECT_EQ(fields(cuts), fields(choose_cuts(work, machine, "op")));
  EXPECT_EQ(cache.take_use().hits, 0);
}

TEST(OpCosts, NeedNoCache) {
  const hw::Machine machine = hw::tpu_v3();
  const OpWork work = some_works(machine).front();
  OpCosts costs(machine);
  EXPECT_EQ(fields(costs.cuts(work, "op")), fields(choose_cuts(work, machine, "op")));
}

}  // namespace
}  // namespace podsim::sw
