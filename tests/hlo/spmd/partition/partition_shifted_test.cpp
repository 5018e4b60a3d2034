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

std::vector<std::int64_t> random_sizes(std::mt19937& random, std::int64_t rank) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t d = 0; d < rank; ++d) sizes.push_back(draw(random, 1, rank == 1 ? 30 : 10));
  return sizes;
}

/// Checks thousands of ops that `write` makes for arrays of random sizes, and that the family takes many of them.
template <class Write>
void check_many(Write&& write) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    build::GraphBuilder b("whole");
    std::vector<hlo::Shape> shapes;
    const hlo::InstructionId root = write(b, random, shapes);
    if (root < 0) continue;
    const hlo::Module module = std::move(b).build(root);
    std::vector<hlo::Literal> arguments;
    for (const hlo::Shape& shape : shapes) arguments.push_back(testing::random_integers(shape, random, -99, 99));
    taken += testing::check_random(module, arguments, random, partition::partition_shifted) ? 1 : 0;
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_GT(taken, 500);
}

TEST(PartitionShifted, SlicesOfAnyStrideAreThoseOfTheWhole) {
  check_many([](build::GraphBuilder& b, std::mt19937& random, std::vector<hlo::Shape>& shapes) {
    shapes = {hlo::make_shape(f32, random_sizes(random, draw(random, 1, 3)))};
    std::vector<hlo::SliceDimension> slices;
    for (const std::int64_t size : shapes[0].dimensions) {
      const std::int64_t start = draw(random, 0, int(size) - 1);
      slices.push_back(random() % 4 == 0
                           ? hlo::SliceDimension{0, size, 1}
                           : hlo::SliceDimension{start, draw(random, int(start) + 1, int(size)), draw(random, 1, 4)});
    }
    return b.slice(b.parameter(shapes[0], "x"), slices);
  });
}

TEST(PartitionShifted, PadsAtTheEndsAndBetweenElementsAreThoseOfTheWhole) {
  check_many([](build::GraphBuilder& b, std::mt19937& random, std::vector<hlo::Shape>& shapes) {
    shapes = {hlo::make_shape(f32, random_sizes(random, draw(random, 1, 3))), hlo::make_shape(f32, {})};
    std::vector<hlo::PadDimension> padding;
    for (const std::int64_t size : shapes[0].dimensions) {
      hlo::PadDimension pad{draw(random, -2, 5), draw(random, -2, 5), random() % 3 == 0 ? draw(random, 1, 3) : 0};
      if (random() % 4 == 0) pad = {};
      const std::int64_t length = pad.low + size + (size - 1) * pad.interior + pad.high;
      if (length < 1) return -1;
      padding.push_back(pad);
    }
    const hlo::InstructionId x = b.parameter(shapes[0], "x");
    return b.pad(x, b.parameter(shapes[1], "fill"), padding);
  });
}

TEST(PartitionShifted, ReversedArraysAreThoseOfTheWhole) {
  check_many([](build::GraphBuilder& b, std::mt19937& random, std::vector<hlo::Shape>& shapes) {
    shapes = {hlo::make_shape(f32, random_sizes(random, draw(random, 1, 3)))};
    std::vector<std::int64_t> reversed;
    for (int d = 0; d < shapes[0].rank(); ++d) {
      if (d == 0 || random() % 2 == 0) reversed.push_back(d);
    }
    return b.reverse(b.parameter(shapes[0], "x"), reversed);
  });
}

TEST(PartitionShifted, JoinedArraysAreThoseOfTheWhole) {
  check_many([](build::GraphBuilder& b, std::mt19937& random, std::vector<hlo::Shape>& shapes) {
    std::vector<std::int64_t> sizes = random_sizes(random, draw(random, 1, 3));
    const auto d = std::size_t(random() % sizes.size());
    std::vector<hlo::InstructionId> operands;
    for (std::int64_t k = draw(random, 2, 4); k > 0; --k) {
      sizes[d] = draw(random, 0, 12);
      shapes.push_back(hlo::make_shape(f32, sizes));
      operands.push_back(b.parameter(shapes.back(), "x" + std::to_string(k)));
    }
    const hlo::InstructionId joined = b.concatenate(operands, std::int64_t(d));
    return b.shape(joined).dimensions[d] == 0 ? -1 : joined;
  });
}

/// The program of one partition for an op on s32 x[size] that is split over eight partitions.
template <class Write>
hlo::Module in_eight(std::int64_t size, Write&& write) {
  const mesh::Mesh mesh({{"x", 8}});
  build::GraphBuilder b("whole");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::s32, {size}), "x");
  const hlo::Module module = std::move(b).build(write(b, x));
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x"}, 1);
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {split}, {split}, partition::partition_shifted);
  EXPECT_TRUE(op.is_taken);
  EXPECT_EQ(op.results, mesh::ValueSharding{split});
  return op.module;
}

TEST(PartitionShifted, AnArrayMovedByTwoSendsTwoElements) {
  const hlo::Module shifted = in_eight(64, [](build::GraphBuilder& b, hlo::InstructionId x) {
    return b.pad(x, b.constant(hlo::ElementType::s32, 0), {{2, -2, 0}});
  });
  EXPECT_EQ(testing::moves_of(shifted), "collective-permute");
  EXPECT_EQ(testing::ring_bytes(shifted), 2 * 4);
}

TEST(PartitionShifted, OneElementIsTakenFromWhereItIs) {
  const mesh::Mesh mesh({{"x", 8}});
  build::GraphBuilder b("whole");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(f32, {800, 5}), "x");
  const hlo::Module module = std::move(b).build(b.slice(x, {{799, 800, 1}, {0, 5, 1}}));
  const mesh::AxisSharding split = mesh::parse_axes(mesh, {"x", "-"}, 2);
  const testing::PartitionedOp op =
      testing::partition_root(module, mesh, {split}, {mesh::replicated(2)}, partition::partition_shifted);
  ASSERT_TRUE(op.is_taken);
  EXPECT_LE(testing::ring_bytes(op.module), 5 * 4);
}

TEST(PartitionShifted, AReversedArrayIsSentOnce) {
  const hlo::Module reversed =
      in_eight(64, [](build::GraphBuilder& b, hlo::InstructionId x) { return b.reverse(x, {0}); });
  EXPECT_EQ(testing::ring_bytes(reversed), 8 * 4);
}

TEST(PartitionShifted, EveryOtherElementSendsLessThanAShardHoweverManyThereAre) {
  const hlo::Module slice = in_eight(64, [](build::GraphBuilder& b, hlo::InstructionId x) {
    return b.slice(x, {{0, 64, 2}});
  });
  EXPECT_EQ(testing::ring_bytes(slice), 0);
  const hlo::Module half = in_eight(64, [](build::GraphBuilder& b, hlo::InstructionId x) {
    return b.slice(x, {{0, 32, 1}});
  });
  EXPECT_LE(testing::ring_bytes(half), 2 * 4 * 4);
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
