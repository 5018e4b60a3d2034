// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/batched_product.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/flops.h"
#include "sw/compiler/tiles/matmul_problem.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// A convolution over one dimension: lhs [n, rows, depth], rhs [n, depth, columns].
struct Convolved {
  hlo::Instruction op;
  hlo::Shape lhs, rhs;
};

Convolved convolved(std::int64_t n, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                    const hlo::WindowDimension& window) {
  hlo::build::GraphBuilder b("batched");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {n, rows, depth}), "x");
  const hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {n, depth, columns}), "k");
  const hlo::InstructionId y = b.convolution(x, k, {window}, hlo::build::convolution_dimensions("0bf_0io->0bf"));
  return {b[y], b.shape(x), b.shape(k)};
}

hlo::WindowDimension stride_below(std::int64_t n) { return {.size = n, .stride = n - 1, .base_dilation = n}; }
hlo::WindowDimension stride_above(std::int64_t n) {
  return {.size = n, .stride = n + 1, .padding_low = n - 1, .padding_high = n - 1, .base_dilation = n};
}

TEST(BatchedProduct, AWindowWithTheBatchIsTheDotOfTheSameSizes) {
  for (const std::int64_t n : {2, 27, 128}) {
    hlo::build::GraphBuilder b("dot");
    const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {n, 40, 200}), "x");
    const hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {n, 200, 136}), "k");
    hlo::DotDimensions roles;
    roles.lhs_batch = roles.rhs_batch = {0};
    roles.lhs_contracting = {2};
    roles.rhs_contracting = {1};
    const hlo::InstructionId dot = b.dot(x, k, roles);
    for (const hlo::WindowDimension& window : {stride_below(n), stride_above(n)}) {
      const Convolved c = convolved(n, 40, 200, 136, window);
      ASSERT_EQ(c.op.shape.dimensions, b.shape(dot).dimensions);
      EXPECT_EQ(as_batched_product(c.op, c.lhs), product_of(b[dot], b.shape(x), b.shape(k)));
      EXPECT_EQ(matmul_problem(c.op, c.lhs, c.rhs, sw::the_tpu_v3().mxu),
                matmul_problem(b[dot], b.shape(x), b.shape(k), sw::the_tpu_v3().mxu));
      EXPECT_EQ(hlo::transform::multiply_accumulates(c.op, c.lhs, c.rhs), n * 40 * 200 * 136);
    }
  }
}

TEST(BatchedProduct, WithItsBatchInTheLanesMultipliesNoMoreThanInTheBestOrder) {
  for (const auto& [rows, columns] : {std::pair(1, 1024), std::pair(1024, 1), std::pair(64, 128)}) {
    hlo::build::GraphBuilder b("dot");
    const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, rows, 256}), "x");
    const hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 256, columns}), "k");
    hlo::DotDimensions roles;
    roles.lhs_batch = roles.rhs_batch = {0};
    roles.lhs_contracting = {2};
    roles.rhs_contracting = {1};
    hlo::Instruction dot = b[b.dot(x, k, roles)];
    const auto products_of = [&](std::vector<int> minor_to_major) {
      dot.shape.minor_to_major = std::move(minor_to_major);
      const MatmulProblem problem = matmul_problem(dot, b.shape(x), b.shape(k), sw::the_tpu_v3().mxu);
      return problem.weight_tiles(128) * problem.rows;
    };
    const std::int64_t of_rows = products_of({1, 2, 0}), of_columns = products_of({2, 1, 0});
    EXPECT_EQ(products_of({0, 2, 1}), std::min(of_rows, of_columns)) << rows << " x " << columns;
  }
}

TEST(BatchedProduct, WindowsThatShareElementsOrTapsAreConvolutions) {
  const auto is_product = [](const hlo::WindowDimension& window) {
    const Convolved c = convolved(8, 40, 200, 136, window);
    return as_batched_product(c.op, c.lhs).has_value();
  };
  EXPECT_TRUE(is_product(stride_below(8)));
  EXPECT_FALSE(is_product({.size = 8, .padding_low = 4, .padding_high = 3})) << "every window sees many elements";
  EXPECT_FALSE(is_product({.size = 8, .stride = 8, .padding_high = 7, .base_dilation = 8})) << "all at the first tap";
  EXPECT_FALSE(is_product({.size = 8, .padding_low = 3, .padding_high = -45, .base_dilation = 8}))
      << "several windows see one element";
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
