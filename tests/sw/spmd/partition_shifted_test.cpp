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

std::vector<std::int64_t> random_sizes(std::mt19937& random, std::int64_t rank) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = 0; d < rank; ++d) sizes.push_back(draw(random, 1, rank == 1 ? 30 : 10));
  return sizes;
}

/// Checks thousands of ops that `write` makes of arrays of random sizes, and that the family takes many of them.
template <class Write>
void check_many(Write&& write) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    GraphBuilder b("whole");
    std::vector<Shape> shapes;
    const InstructionId root = write(b, random, shapes);
    if (root < 0) continue;
    const Module module = std::move(b).build(root);
    std::vector<Literal> arguments;
    for (const Shape& shape : shapes) arguments.push_back(random_integers(shape, random, -99, 99));
    taken += check_random(module, arguments, random, partition_shifted) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(taken, 500);
}

TEST(partition_shifted, slices_of_any_stride_are_those_of_the_whole) {
  check_many([](GraphBuilder& b, std::mt19937& random, std::vector<Shape>& shapes) {
    shapes = {make_shape(f32, random_sizes(random, draw(random, 1, 3)))};
    std::vector<SliceDimension> slices;
    for (const std::int64_t size : shapes[0].dimensions) {
      const std::int64_t start = draw(random, 0, int(size) - 1);
      slices.push_back(random() % 4 == 0
                           ? SliceDimension{0, size, 1}
                           : SliceDimension{start, draw(random, int(start) + 1, int(size)), draw(random, 1, 4)});
    }
    return b.slice(b.parameter(shapes[0], "x"), slices);
  });
}

TEST(partition_shifted, pads_at_the_ends_and_between_elements_are_those_of_the_whole) {
  check_many([](GraphBuilder& b, std::mt19937& random, std::vector<Shape>& shapes) {
    shapes = {make_shape(f32, random_sizes(random, draw(random, 1, 3))), make_shape(f32, {})};
    std::vector<PadDimension> padding;
    for (const std::int64_t size : shapes[0].dimensions) {
      PadDimension pad{draw(random, -2, 5), draw(random, -2, 5), random() % 3 == 0 ? draw(random, 1, 3) : 0};
      if (random() % 4 == 0) pad = {};
      const std::int64_t length = pad.low + size + (size - 1) * pad.interior + pad.high;
      if (length < 1) return -1;
      padding.push_back(pad);
    }
    const InstructionId x = b.parameter(shapes[0], "x");
    return b.pad(x, b.parameter(shapes[1], "fill"), padding);
  });
}

TEST(partition_shifted, reversed_arrays_are_those_of_the_whole) {
  check_many([](GraphBuilder& b, std::mt19937& random, std::vector<Shape>& shapes) {
    shapes = {make_shape(f32, random_sizes(random, draw(random, 1, 3)))};
    std::vector<std::int64_t> reversed;
    for (int d = 0; d < shapes[0].rank(); ++d) {
      if (d == 0 || random() % 2 == 0) reversed.push_back(d);
    }
    return b.reverse(b.parameter(shapes[0], "x"), reversed);
  });
}

TEST(partition_shifted, joined_arrays_are_those_of_the_whole) {
  check_many([](GraphBuilder& b, std::mt19937& random, std::vector<Shape>& shapes) {
    std::vector<std::int64_t> sizes = random_sizes(random, draw(random, 1, 3));
    const auto d = std::size_t(random() % sizes.size());
    std::vector<InstructionId> operands;
    for (std::int64_t k = draw(random, 2, 4); k > 0; --k) {
      sizes[d] = draw(random, 0, 12);
      shapes.push_back(make_shape(f32, sizes));
      operands.push_back(b.parameter(shapes.back(), "x" + std::to_string(k)));
    }
    const InstructionId joined = b.concatenate(operands, std::int64_t(d));
    return b.shape(joined).dimensions[d] == 0 ? -1 : joined;
  });
}

/// The program of an op on x[64] of s32, cut in eight; of one that is as long.
template <class Write>
Module in_eight(std::int64_t size, Write&& write) {
  const Mesh mesh({{"x", 8}});
  GraphBuilder b("whole");
  const InstructionId x = b.parameter(make_shape(ElementType::s32, {size}), "x");
  const Module module = std::move(b).build(write(b, x));
  const AxisSharding cut = parse_axes(mesh, {"x"}, 1);
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {cut}, {cut}, partition_shifted);
  EXPECT_TRUE(op.is_taken);
  EXPECT_EQ(op.results, ValueSharding{cut});
  return op.module;
}

TEST(partition_shifted, an_array_moved_by_two_sends_two_elements) {
  const Module shifted = in_eight(64, [](GraphBuilder& b, InstructionId x) {
    return b.pad(x, b.constant(ElementType::s32, 0), {{2, -2, 0}});
  });
  EXPECT_EQ(testing::moves_of(shifted), "collective-permute");
  EXPECT_EQ(testing::ring_bytes(shifted), 2 * 4);
}

TEST(partition_shifted, one_element_is_taken_from_where_it_is) {
  const Mesh mesh({{"x", 8}});
  GraphBuilder b("whole");
  const InstructionId x = b.parameter(make_shape(f32, {800, 5}), "x");
  const Module module = std::move(b).build(b.slice(x, {{799, 800, 1}, {0, 5, 1}}));
  const AxisSharding cut = parse_axes(mesh, {"x", "-"}, 2);
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {cut}, {replicated(2)}, partition_shifted);
  ASSERT_TRUE(op.is_taken);
  EXPECT_LE(testing::ring_bytes(op.module), 5 * 4);
}

TEST(partition_shifted, a_reversed_array_is_sent_once) {
  const Module reversed = in_eight(64, [](GraphBuilder& b, InstructionId x) { return b.reverse(x, {0}); });
  EXPECT_EQ(testing::ring_bytes(reversed), 8 * 4);
}

TEST(partition_shifted, every_other_element_sends_less_than_a_shard_however_many_there_are) {
  const Module slice = in_eight(64, [](GraphBuilder& b, InstructionId x) { return b.slice(x, {{0, 64, 2}}); });
  EXPECT_EQ(testing::ring_bytes(slice), 0);
  const Module half = in_eight(64, [](GraphBuilder& b, InstructionId x) { return b.slice(x, {{0, 32, 1}}); });
  EXPECT_LE(testing::ring_bytes(half), 2 * 4 * 4);
}

}  // namespace
}  // namespace podsim::sw
