// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/reshard/halo.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include <random>

#include "hlo/spmd/reshard/halo_plan.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/spmd/one_op.h"

namespace podsim::hlo::spmd::reshard {
namespace {

using testing::random_integers;

using hlo::testing::f32;

/// Every partition's window of a [2, size] array split over `sub_axes`.
std::vector<hlo::Literal> windows_of(const mesh::Mesh& mesh, const hlo::Literal& whole, const mesh::SubAxes& sub_axes,
                                     const ShardWindow& window, double fill) {
  mesh::AxisSharding sharding = mesh::replicated(2);
  sharding.dimensions[1] = sub_axes;
  build::GraphBuilder b("halo");
  LocalProgram program(b, mesh);
  const hlo::InstructionId x = b.parameter(mesh::local_shape(mesh, whole.shape, sharding), "x");
  const hlo::InstructionId root =
      exchange_halo(program, {x, whole.shape, sharding, {}, hlo::Opcode::add}, 1, window, b.constant(f32, fill));
  hlo::Module module = std::move(b).build(b.copy(root));
  module.partitions = mesh.partitions();
  build::verify(module);
  std::vector<std::vector<hlo::Literal>> arguments;
  for (hlo::Literal& shard : partition::split_into_shards(mesh, whole, {sharding}, std::nan("")))
    arguments.push_back({std::move(shard)});
  return eval::evaluate_partitions(module, arguments);
}

TEST(Halo, WindowsHaveTheElementsOfTheWholeArrayAndTheFillBeyondIt) {
  for (unsigned seed = 0; seed < 4000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const mesh::Mesh mesh = testing::random_mesh(random);
    const std::int64_t size = 1 + random() % 30;
    const mesh::SubAxes sub_axes = random() % 2 == 0 ? mesh.all() : mesh.sub_axes(0);
    const std::int64_t shards = mesh.size(sub_axes);
    const hlo::Literal whole = testing::random_integers(hlo::make_shape(f32, {2, size}), random, -99, 99);
    const auto number = [&](int low, int high) { return low + std::int64_t(random() % unsigned(high - low + 1)); };
    ShardWindow window = ShardWindow::linear(shards, number(-6, 12), number(-6, 9), number(1, 12));
    if (random() % 4 == 0) {
      for (std::int64_t& start : window.starts) start = number(-9, 30);
    }
    const std::vector<hlo::Literal> results = windows_of(mesh, whole, sub_axes, window, 1000);
    for (std::int64_t p = 0; p < mesh.partitions(); ++p) {
      const std::int64_t start = window.starts[std::size_t(mesh.position(p, sub_axes))];
      ASSERT_EQ(results[std::size_t(p)].shape.dimensions, (std::vector<std::int64_t>{2, window.size}));
      for (std::int64_t i = 0; i < 2 * window.size; ++i) {
        const std::int64_t at = start + i % window.size, row = i / window.size;
        const double expected = at < 0 || at >= size ? 1000 : whole.values[std::size_t(row * size + at)];
        ASSERT_EQ(results[std::size_t(p)].values[std::size_t(i)], expected) << p << " " << i;
      }
    }
  }
}

TEST(Halo, AWindowOfKThatMovesByOneTakesKLessOneElements) {
  for (const std::int64_t k : {1, 3, 5, 9}) {
    EXPECT_EQ(halo_elements(64, 8, ShardWindow::linear(8, -(k - 1) / 2, 8, 8 + k - 1)), k - 1);
    // The number is the same for any number of shards.
    EXPECT_EQ(halo_elements(8 * 2048, 2048, ShardWindow::linear(2048, -(k - 1) / 2, 8, 8 + k - 1)), k - 1);
  }
}

TEST(Halo, WhereStepsAreShardsNothingMoves) {
  EXPECT_EQ(halo_elements(64, 8, ShardWindow::linear(8, 0, 8, 8)), 0);
  EXPECT_EQ(plan_halo(64, 8, ShardWindow::linear(8, 0, 8, 8)).transfers.size(), 1u);
}

TEST(Halo, AReversedArrayMovesOnceWhateverTheNumberOfShards) {
  for (const std::int64_t shards : {4, 16, 1024}) {
    const HaloPlan plan = plan_halo(4 * shards, shards, ShardWindow::linear(shards, 4 * shards - 4, -4, 4));
    EXPECT_EQ(plan.elements, 4);
    EXPECT_EQ(plan.transfers.size(), 1u) << shards;
  }
}

TEST(Halo, HalfOfAnArrayMovesInABoundedNumberOfPieces) {
  // Position i needs [i s / 2, (i + 1) s / 2): every shard serves two.
  const std::int64_t shards = 256, shard = 8;
  const HaloPlan plan = plan_halo(shards * shard, shards, ShardWindow::linear(shards, 0, shard / 2, shard / 2));
  EXPECT_EQ(plan.kind, HaloPlan::Kind::rounds);
  EXPECT_LE(plan.transfers.size(), 2u);
  EXPECT_EQ(plan.elements, shard / 2);
}

TEST(Halo, AWindowOverEverythingIsGathered) {
  const HaloPlan plan = plan_halo(64, 8, ShardWindow::linear(8, -63, 8, 71));
  EXPECT_EQ(plan.kind, HaloPlan::Kind::gather);
  EXPECT_EQ(plan.elements, 56);
  const std::int64_t shards = 1 << 16;
  EXPECT_EQ(plan_halo(shards, shards, ShardWindow::linear(shards, 1 - shards, 1, shards)).elements, shards - 1);
}

}  // namespace
}  // namespace podsim::hlo::spmd::reshard
