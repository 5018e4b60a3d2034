// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/batched_product.h"

#include <gtest/gtest.h>

#include "sw/compiler/tiles/matmul_problem.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/ir/transform/flops.h"

namespace podsim::sw::compiler::tiles {
namespace {

/// A convolution over one dimension: lhs [n, rows, depth], rhs [n, depth, columns].
struct Convolved {
  ir::Instruction op;
  ir::Shape lhs, rhs;
};

Convolved convolved(std::int64_t n, std::int64_t rows, std::int64_t depth, std::int64_t columns,
                    const ir::WindowDimension& window) {
  ir::build::GraphBuilder b("batched");
  const ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {n, rows, depth}), "x");
  const ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::bf16, {n, depth, columns}), "k");
  const ir::InstructionId y = b.convolution(x, k, {window}, ir::build::convolution_dimensions("0bf_0io->0bf"));
  return {b[y], b.shape(x), b.shape(k)};
}

ir::WindowDimension stride_below(std::int64_t n) { return {.size = n, .stride = n - 1, .base_dilation = n}; }
ir::WindowDimension stride_above(std::int64_t n) {
  return {.size = n, .stride = n + 1, .padding_low = n - 1, .padding_high = n - 1, .base_dilation = n};
}

TEST(BatchedProduct, AWindowWithTheBatchIsTheDotOfTheSameSizes) {
  for (const std::int64_t n : {2, 27, 128}) {
    ir::build::GraphBuilder b("dot");
    const ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {n, 40, 200}), "x");
    const ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::bf16, {n, 200, 136}), "k");
    ir::DotDimensions roles;
    roles.lhs_batch = roles.rhs_batch = {0};
    roles.lhs_contracting = {2};
    roles.rhs_contracting = {1};
    const ir::InstructionId dot = b.dot(x, k, roles);
    for (const ir::WindowDimension& window : {stride_below(n), stride_above(n)}) {
      const Convolved c = convolved(n, 40, 200, 136, window);
      ASSERT_EQ(c.op.shape.dimensions, b.shape(dot).dimensions);
      EXPECT_EQ(as_batched_product(c.op, c.lhs), product_of(b[dot], b.shape(x), b.shape(k)));
      EXPECT_EQ(matmul_problem(c.op, c.lhs, c.rhs, 128), matmul_problem(b[dot], b.shape(x), b.shape(k), 128));
      EXPECT_EQ(ir::transform::multiply_accumulates(c.op, c.lhs, c.rhs), n * 40 * 200 * 136);
    }
  }
}

TEST(BatchedProduct, WindowsThatShareElementsOrTapsAreConvolutions) {
  const auto is_product = [](const ir::WindowDimension& window) {
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
