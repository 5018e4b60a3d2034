// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "sw/graph/graph_builder.h"
#include "tests/sw/spmd/one_op.h"
#include "tests/sw/spmd/ring_bytes.h"

namespace podsim::sw {
namespace {

using testing::check_random;
using testing::random_integers;

constexpr ElementType f32 = ElementType::f32;

std::int64_t draw(std::mt19937& random, int low, int high) { return low + int(random() % unsigned(high - low + 1)); }

std::vector<std::int64_t> random_sizes(std::mt19937& random) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = draw(random, 1, 3); d > 0; --d) sizes.push_back(draw(random, 1, 9));
  return sizes;
}

TEST(partition_special, every_shard_of_an_iota_counts_from_its_offset) {
  int taken = 0;
  for (unsigned seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::vector<std::int64_t> sizes = random_sizes(random);
    const ElementType type = std::array{f32, ElementType::s32, ElementType::u8, ElementType::bf16}[random() % 4];
    GraphBuilder b("whole");
    const Module module = std::move(b).build(b.iota(make_shape(type, sizes), std::int64_t(random() % sizes.size())));
    taken += check_random(module, {}, random, partition_special) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 100);
}

TEST(partition_special, batch_norms_are_those_of_the_whole_to_rounding) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Shape shape = make_shape(f32, random_sizes(random));
    Instruction norm;
    norm.index = std::int64_t(random() % unsigned(shape.rank()));
    norm.epsilon = 0.5;
    const Shape feature = make_shape(f32, {shape.dimensions[std::size_t(norm.index)]});
    const bool is_training = random() % 2 == 0;
    norm.opcode = is_training ? Opcode::batch_norm_training : Opcode::batch_norm_grad;
    const std::vector<Shape> operands =
        is_training ? std::vector{shape, feature, feature} : std::vector{shape, feature, feature, feature, shape};
    GraphBuilder b("whole");
    std::vector<Literal> arguments;
    for (std::size_t k = 0; k < operands.size(); ++k) {
      norm.operands.push_back(b.parameter(operands[k], "x" + std::to_string(k)));
      arguments.push_back(random_integers(operands[k], random, k == 3 ? 1 : -4, 4));
    }
    const Module module = std::move(b).build(b.add(norm));
    taken += check_random(module, arguments, random, partition_special, {}, 1e-5) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(partition_special, prefix_and_suffix_sums_are_those_of_the_whole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const ElementType type = random() % 2 == 0 ? f32 : ElementType::s32;
    const Shape shape = make_shape(type, random_sizes(random));
    std::vector<WindowDimension> windows(std::size_t(shape.rank()));
    const auto d = std::size_t(random() % windows.size());
    windows[d].size = shape.dimensions[d];
    (random() % 2 == 0 ? windows[d].padding_low : windows[d].padding_high) = shape.dimensions[d] - 1;
    const Opcode combiner = std::array{Opcode::add, Opcode::maximum, Opcode::minimum}[random() % 3];
    GraphBuilder b("whole");
    const InstructionId x = b.parameter(shape, "x");
    const InstructionId initial = b.constant(type, double(draw(random, -2, 2)));
    const Module module = std::move(b).build(b.reduce_window(x, initial, windows, b.combiner(combiner, type)));
    taken += check_random(module, {random_integers(shape, random, -9, 9)}, random, partition_special) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 200);
}

TEST(partition_special, prefix_sums_exchange_the_totals_of_shards) {
  const Mesh mesh({{"x", 8}});
  const AxisSharding cut = parse_axes(mesh, {"x", "-"}, 2);
  GraphBuilder b("whole");
  const InstructionId x = b.parameter(make_shape(f32, {4096, 3}), "x");
  WindowDimension window;
  window.size = 4096;
  window.padding_low = 4095;
  const Module module = std::move(b).build(b.reduce_window_add(x, {window, {}}));
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {cut}, {cut}, partition_special);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(testing::moves_of(op.module), "all-gather");
  EXPECT_EQ(testing::ring_bytes(op.module), 7.0 * 3 * 4);
}

TEST(partition_special, what_needs_all_of_a_dimension_is_cut_along_another_meanwhile) {
  const Mesh mesh({{"x", 8}});
  const AxisSharding cut = parse_axes(mesh, {"x", "-"}, 2);
  GraphBuilder b("whole");
  Instruction sort;
  sort.opcode = Opcode::sort;
  sort.operands = {b.parameter(make_shape(f32, {4096, 64}), "x")};
  sort.dimensions = {0};
  sort.called = {b.comparator(ComparisonDirection::lt, f32)};
  const Module module = std::move(b).build(b.add(sort));
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {cut}, {cut}, partition_op);
  EXPECT_EQ(testing::moves_of(op.module), "all-to-all");
  EXPECT_EQ(op.results[0], parse_axes(mesh, {"-", "x"}, 2));
}

}  // namespace
}  // namespace podsim::sw
