// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sw/ir/build/graph_builder.h"
#include "tests/sw/ir/element_types.h"
#include "tests/sw/spmd/one_op.h"
#include "tests/sw/spmd/ring_bytes.h"

namespace podsim::sw::spmd::partition {
namespace {

using testing::check_random;
using testing::random_integers;

using ir::testing::f32;

using testing::draw;

std::vector<std::int64_t> small_random_sizes(std::mt19937& random) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = draw(random, 1, 3); d > 0; --d) sizes.push_back(draw(random, 1, 9));
  return sizes;
}

TEST(PartitionSpecial, EveryShardOfAnIotaCountsFromItsOffset) {
  int taken = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<std::int64_t> sizes = small_random_sizes(random);
    const ir::ElementType type =
        std::array{f32, ir::ElementType::s32, ir::ElementType::u8, ir::ElementType::bf16}[random() % 4];
    ir::build::GraphBuilder b("whole");
    const ir::Module module =
        std::move(b).build(b.iota(ir::make_shape(type, sizes), std::int64_t(random() % sizes.size())));
    taken += testing::check_random(module, {}, random, partition::partition_special) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 100);
}

TEST(PartitionSpecial, BatchNormsAreThoseOfTheWholeToRounding) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const ir::Shape shape = ir::make_shape(f32, small_random_sizes(random));
    ir::Instruction norm;
    norm.index = std::int64_t(random() % unsigned(shape.rank()));
    norm.epsilon = 0.5;
    const ir::Shape feature = ir::make_shape(f32, {shape.dimensions[std::size_t(norm.index)]});
    const bool is_training = random() % 2 == 0;
    norm.opcode = is_training ? ir::Opcode::batch_norm_training : ir::Opcode::batch_norm_grad;
    const std::vector<ir::Shape> operands =
        is_training ? std::vector{shape, feature, feature} : std::vector{shape, feature, feature, feature, shape};
    ir::build::GraphBuilder b("whole");
    std::vector<ir::Literal> arguments;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      norm.operands.push_back(b.parameter(operands[k], "x" + std::to_string(k)));
      arguments.push_back(testing::random_integers(operands[k], random, k == 3 ? 1 : -4, 4));
    }
    const ir::Module module = std::move(b).build(b.add(norm));
    taken += testing::check_random(module, arguments, random, partition::partition_special, {}, 1e-5) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(PartitionSpecial, PrefixAndSuffixSumsAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const ir::ElementType type = random() % 2 == 0 ? f32 : ir::ElementType::s32;
    const ir::Shape shape = ir::make_shape(type, small_random_sizes(random));
    std::vector<ir::WindowDimension> windows(std::size_t(shape.rank()));
    const auto d = std::size_t(random() % windows.size());
    windows[d].size = shape.dimensions[d];
    (random() % 2 == 0 ? windows[d].padding_low : windows[d].padding_high) = shape.dimensions[d] - 1;
    const ir::Opcode combiner = std::array{ir::Opcode::add, ir::Opcode::maximum, ir::Opcode::minimum}[random() % 3];
    ir::build::GraphBuilder b("whole");
    const ir::InstructionId x = b.parameter(shape, "x");
    const ir::InstructionId initial = b.constant(type, double(draw(random, -2, 2)));
    const ir::Module module = std::move(b).build(b.reduce_window(x, initial, windows, b.combiner(combiner, type)));
    taken += testing::check_random(module, {testing::random_integers(shape, random, -9, 9)}, random,
                                   partition::partition_special)
                 ? 1
                 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(PartitionSpecial, PrefixSumsExchangeTheTotalsOfShards) {
  const mesh::Mesh mesh({{"x", 8}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x", "-"}, 2);
  ir::build::GraphBuilder b("whole");
  const ir::InstructionId x = b.parameter(ir::make_shape(f32, {4096, 3}), "x");
  ir::WindowDimension window;
  window.size = 4096;
  window.padding_low = 4095;
  const ir::Module module = std::move(b).build(b.reduce_window_add(x, {window, {}}));
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {split}, {split}, partition::partition_special);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(testing::moves_of(op.module), "all-gather");
  EXPECT_EQ(testing::ring_bytes(op.module), 7.0 * 3 * 4);
}

TEST(PartitionSpecial, WhatNeedsAllOfADimensionIsCutAlongAnotherMeanwhile) {
  const mesh::Mesh mesh({{"x", 8}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x", "-"}, 2);
  ir::build::GraphBuilder b("whole");
  ir::Instruction sort;
  sort.opcode = ir::Opcode::sort;
  sort.operands = {b.parameter(ir::make_shape(f32, {4096, 64}), "x")};
  sort.dimensions = {0};
  sort.called = {b.comparator(ir::ComparisonDirection::lt, f32)};
  const ir::Module module = std::move(b).build(b.add(sort));
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {split}, {split}, partition::partition_op);
  EXPECT_EQ(testing::moves_of(op.module), "all-to-all");
  EXPECT_EQ(op.results[0], mesh::parse_axes(mesh, {"-", "x"}, 2));
}

}  // namespace
}  // namespace podsim::sw::spmd::partition
