// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/hlo/spmd/ring_bytes.h"

namespace podsim::hlo::spmd::partition {
namespace {

using testing::check_random;
using testing::random_integers;

using hlo::testing::f32;

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
    const hlo::ElementType type =
        std::array{f32, hlo::ElementType::s32, hlo::ElementType::u8, hlo::ElementType::bf16}[random() % 4];
    build::GraphBuilder b("whole");
    const hlo::Module module =
        std::move(b).build(b.iota(hlo::make_shape(type, sizes), std::int64_t(random() % sizes.size())));
    taken += testing::check_random(module, {}, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 100);
}

TEST(PartitionSpecial, BatchNormsAreThoseOfTheWholeToRounding) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const hlo::Shape shape = hlo::make_shape(f32, small_random_sizes(random));
    hlo::Instruction norm;
    norm.index = std::int64_t(random() % unsigned(shape.rank()));
    norm.epsilon = 0.5;
    const hlo::Shape feature = hlo::make_shape(f32, {shape.dimensions[std::size_t(norm.index)]});
    const bool is_training = random() % 2 == 0;
    norm.opcode = is_training ? hlo::Opcode::batch_norm_training : hlo::Opcode::batch_norm_grad;
    const std::vector<hlo::Shape> operands =
        is_training ? std::vector{shape, feature, feature} : std::vector{shape, feature, feature, feature, shape};
    build::GraphBuilder b("whole");
    std::vector<hlo::Literal> arguments;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      norm.operands.push_back(b.parameter(operands[k], "x" + std::to_string(k)));
      arguments.push_back(testing::random_integers(operands[k], random, k == 3 ? 1 : -4, 4));
    }
    const hlo::Module module = std::move(b).build(b.add(norm));
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way, {}, 1e-5) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(PartitionSpecial, PrefixAndSuffixSumsAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const hlo::ElementType type = random() % 2 == 0 ? f32 : hlo::ElementType::s32;
    const hlo::Shape shape = hlo::make_shape(type, small_random_sizes(random));
    std::vector<hlo::WindowDimension> windows(std::size_t(shape.rank()));
    const auto d = std::size_t(random() % windows.size());
    windows[d].size = shape.dimensions[d];
    (random() % 2 == 0 ? windows[d].padding_low : windows[d].padding_high) = shape.dimensions[d] - 1;
    const hlo::Opcode combiner = std::array{hlo::Opcode::add, hlo::Opcode::maximum, hlo::Opcode::minimum}[random() % 3];
    build::GraphBuilder b("whole");
    const hlo::InstructionId x = b.parameter(shape, "x");
    const hlo::InstructionId initial = b.constant(type, double(draw(random, -2, 2)));
    const hlo::Module module = std::move(b).build(b.reduce_window(x, initial, windows, b.combiner(combiner, type)));
    taken += testing::check_random(module, {testing::random_integers(shape, random, -9, 9)}, random,
                                   partition::partition_in_own_way)
                 ? 1
                 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(PartitionSpecial, PrefixSumsExchangeTheTotalsOfShards) {
  const mesh::Mesh mesh({{"x", 8}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x", "-"}, 2);
  build::GraphBuilder b("whole");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(f32, {4096, 3}), "x");
  hlo::WindowDimension window;
  window.size = 4096;
  window.padding_low = 4095;
  const hlo::Module module = std::move(b).build(b.reduce_window_add(x, {window, {}}));
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {split}, {split}, partition::partition_in_own_way);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(testing::moves_of(op.module), "all-gather");
  EXPECT_EQ(testing::ring_bytes(op.module), 7.0 * 3 * 4);
}

TEST(PartitionSpecial, WhatNeedsAllOfADimensionIsCutAlongAnotherMeanwhile) {
  const mesh::Mesh mesh({{"x", 8}});
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x", "-"}, 2);
  build::GraphBuilder b("whole");
  hlo::Instruction sort;
  sort.opcode = hlo::Opcode::sort;
  sort.operands = {b.parameter(hlo::make_shape(f32, {4096, 64}), "x")};
  sort.dimensions = {0};
  sort.called = {b.comparator(hlo::ComparisonDirection::lt, f32)};
  const hlo::Module module = std::move(b).build(b.add(sort));
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {split}, {split}, partition::partition_op);
  EXPECT_EQ(testing::moves_of(op.module), "all-to-all");
  EXPECT_EQ(op.results[0], mesh::parse_axes(mesh, {"-", "x"}, 2));
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
