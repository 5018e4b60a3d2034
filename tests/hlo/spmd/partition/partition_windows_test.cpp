// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "hlo/build/graph_builder.h"
#include "hlo/rules/window_shape.h"
#include "hlo/transform/formulas/convolution_gradient.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/spmd/one_op.h"
#include "tests/hlo/spmd/ring_bytes.h"

namespace podsim::hlo::spmd::partition {
namespace {

using hlo::testing::window;
using testing::check_random;
using testing::check_root;
using testing::random_integers;

using hlo::testing::f32;

using testing::draw;

hlo::WindowDimension random_window(std::mt19937& random) {
  hlo::WindowDimension w;
  w.size = draw(random, 1, 4);
  w.stride = draw(random, 1, 3);
  w.window_dilation = draw(random, 1, 2);
  w.base_dilation = random() % 3 == 0 ? draw(random, 2, 3) : 1;
  w.padding_low = draw(random, -1, 4);
  w.padding_high = draw(random, -1, 4);
  w.window_reversal = random() % 3 == 0;
  return w;
}

TEST(PartitionWindows, ConvolutionsOfAnyWindowAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const int spatial = int(draw(random, 1, 2));
    const char* labels = spatial == 1 ? (seed % 2 == 0 ? "b0f_0io->b0f" : "bf0_oi0->0bf")
                                      : (seed % 2 == 0 ? "b01f_01io->b01f" : "bf01_oi10->f0b1");
    const hlo::ConvolutionDimensions roles = build::convolution_dimensions(labels);
    const std::int64_t groups = random() % 4 == 0 ? 2 : 1;
    const bool by_batch = random() % 2 == 0;
    const std::int64_t depth = draw(random, 1, 3);
    std::vector<std::int64_t> x(std::size_t(spatial + 2)), k(x.size());
    x[std::size_t(roles.input_batch)] = draw(random, 1, 3) * (by_batch ? groups : 1);
    x[std::size_t(roles.input_feature)] = depth * (by_batch ? 1 : groups);
    k[std::size_t(roles.kernel_input_feature)] = depth;
    k[std::size_t(roles.kernel_output_feature)] = draw(random, 1, 2) * groups;
    hlo::Instruction convolution;
    bool fits = true;
    for (int i = 0; i < spatial; ++i) {
      hlo::WindowDimension w = random_window(random);
      const std::int64_t size = draw(random, 1, spatial == 1 ? 20 : 9);
      // Every other window is as long as its input, as in weight gradients.
      if (random() % 2 == 0) w.size = std::max<std::int64_t>(1, size - 2);
      fits = fits && rules::window_output_size(size, w) > 0;
      x[std::size_t(roles.input_spatial[std::size_t(i)])] = size;
      k[std::size_t(roles.kernel_spatial[std::size_t(i)])] = w.size;
      convolution.window.push_back(w);
    }
    if (!fits) continue;
    build::GraphBuilder b("whole");
    convolution.opcode = hlo::Opcode::convolution;
    convolution.operands = {b.parameter(hlo::make_shape(f32, x), "x"), b.parameter(hlo::make_shape(f32, k), "k")};
    convolution.shape = hlo::make_shape(f32, {});
    convolution.convolution = roles;
    (by_batch ? convolution.batch_groups : convolution.feature_groups) = groups;
    const hlo::Module module = std::move(b).build(b.add(convolution));
    const std::vector<hlo::Literal> arguments{testing::random_integers(hlo::make_shape(f32, x), random, -4, 4),
                                              testing::random_integers(hlo::make_shape(f32, k), random, -4, 4)};
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 500);
}

TEST(PartitionWindows, ReduceWindowsAreThoseOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<hlo::WindowDimension> windows;
    std::vector<std::int64_t> sizes;
    bool fits = true;
    const int rank = int(draw(random, 1, 3));
    for (int d = 0; d < rank; ++d) {
      sizes.push_back(draw(random, 1, rank == 1 ? 24 : 9));
      windows.push_back(random() % 3 == 0 ? hlo::WindowDimension{} : random_window(random));
      windows.back().window_reversal = false;
      fits = fits && rules::window_output_size(sizes.back(), windows.back()) > 0;
    }
    if (!fits) continue;
    const bool is_maximum = random() % 2 == 0;
    const hlo::ElementType type = random() % 2 == 0 ? f32 : hlo::ElementType::s32;
    build::GraphBuilder b("whole");
    const hlo::InstructionId x = b.parameter(hlo::make_shape(type, sizes), "x");
    const hlo::InstructionId initial =
        b.constant(type, is_maximum ? build::lowest_value(type) : double(draw(random, 0, 1)));
    const hlo::Opcode combiner = is_maximum ? hlo::Opcode::maximum : hlo::Opcode::add;
    const hlo::Module module = std::move(b).build(b.reduce_window(x, initial, windows, b.combiner(combiner, type)));
    const std::vector<hlo::Literal> arguments{testing::random_integers(hlo::make_shape(type, sizes), random, -9, 9)};
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 500);
}

TEST(PartitionWindows, SelectAndScatterIsThatOfTheWhole) {
  int taken = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<hlo::WindowDimension> windows;
    std::vector<std::int64_t> sizes, sources;
    bool fits = true;
    const int rank = int(draw(random, 1, 2));
    for (int d = 0; d < rank; ++d) {
      sizes.push_back(draw(random, 1, rank == 1 ? 24 : 10));
      windows.push_back(
          hlo::testing::window(draw(random, 1, 4), draw(random, 1, 4), draw(random, 0, 2), draw(random, 0, 2)));
      sources.push_back(rules::window_output_size(sizes.back(), windows.back()));
      fits = fits && sources.back() > 0;
    }
    if (!fits) continue;
    build::GraphBuilder b("whole");
    const hlo::Shape shape = hlo::make_shape(f32, sizes), source = hlo::make_shape(f32, sources);
    const hlo::InstructionId x = b.parameter(shape, "x"), y = b.parameter(source, "y");
    const bool keeps_larger = random() % 2 == 0;
    const hlo::ComputationId select =
        b.comparator(keeps_larger ? hlo::ComparisonDirection::ge : hlo::ComparisonDirection::le, f32);
    const hlo::Module module = std::move(b).build(
        b.select_and_scatter(x, y, b.constant(f32, 3), windows, select, b.combiner(hlo::Opcode::add, f32)));
    const std::vector<hlo::Literal> arguments{testing::random_integers(shape, random, -9, 9),
                                              testing::random_integers(source, random, -9, 9)};
    taken += testing::check_random(module, arguments, random, partition::partition_in_own_way) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(taken, 500);
}

/// x[8, 32, 5] * k[size, 5, 7] with as many rows as x has, split over four partitions along the rows.
testing::PartitionedOp rows_in_four(std::int64_t size) {
  const mesh::Mesh mesh({{"rows", 4}});
  build::GraphBuilder b("whole");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(f32, {8, 32, 5}), "x");
  const hlo::InstructionId k = b.parameter(hlo::make_shape(f32, {size, 5, 7}), "k");
  const hlo::Module module = std::move(b).build(b.convolution(
      x, k, {hlo::testing::window(size, 1, (size - 1) / 2, size / 2)}, build::convolution_dimensions("b0f_0io->b0f")));
  const mesh::AxisSharding rows = mesh::parse_axes(mesh, {"-", "rows", "-"}, 3);
  return testing::partition_root(module, mesh, {rows, mesh::replicated(3)}, {rows}, partition::partition_in_own_way);
}

TEST(PartitionWindows, AConvolutionExchangesTheRowsThatItsWindowReachesBeyondAShard) {
  for (const std::int64_t size : {1, 3, 5, 7}) {
    const testing::PartitionedOp op = rows_in_four(size);
    EXPECT_EQ(op.is_taken, size > 1);
    if (!op.is_taken) continue;
    // (k - 1) / 2 rows of 8 x 5 numbers to each side.
    EXPECT_EQ(testing::ring_bytes(op.module), double((size - 1) * 8 * 5 * 4)) << size;
    EXPECT_EQ(testing::moves_of(op.module), "collective-permute collective-permute");
  }
}

TEST(PartitionWindows, TheGradientOfAKernelIsASumOverShardsOfRows) {
  const mesh::Mesh mesh({{"rows", 4}});
  build::GraphBuilder b("whole");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(f32, {2, 30, 3}), "x");
  const hlo::InstructionId k = b.parameter(hlo::make_shape(f32, {3, 3, 5}), "k");
  const hlo::InstructionId forward =
      b.convolution(x, k, {hlo::testing::window(3, 2, 1, 1)}, build::convolution_dimensions("b0f_0io->b0f"));
  const hlo::Shape result = b.shape(forward);
  const hlo::InstructionId gradient = b.parameter(result, "dy");
  const hlo::Instruction instruction = b[forward];
  const hlo::Module module =
      std::move(b).build(transform::formulas::convolution_kernel_gradient(b, instruction, gradient));
  const mesh::AxisSharding rows = mesh::parse_axes(mesh, {"-", "rows", "-"}, 3);
  const testing::PartitionedOp op = testing::partition_root(module, mesh, {rows, mesh::replicated(3), rows},
                                                            {mesh::replicated(3)}, partition::partition_in_own_way);
  ASSERT_TRUE(op.is_taken);
  EXPECT_EQ(op.results[0], mesh::replicated(3));
  EXPECT_EQ(testing::moves_of(op.module).substr(0, 18), "collective-permute");
  std::mt19937 random(1);
  const std::vector<hlo::Literal> arguments{testing::random_integers(hlo::make_shape(f32, {2, 30, 3}), random, -4, 4),
                                            testing::random_integers(hlo::make_shape(f32, {3, 3, 5}), random, -4, 4),
                                            testing::random_integers(result, random, -4, 4)};
  EXPECT_TRUE(testing::check_root(module, arguments, mesh, {rows, mesh::replicated(3), rows}, {mesh::replicated(3)},
                                  partition::partition_in_own_way));
}

}  // namespace
}  // namespace podsim::hlo::spmd::partition
