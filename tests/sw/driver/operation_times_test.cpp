// SPDX-License-Identifier: Apache-2.0
#include "sw/driver/operation_times.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/sw/target_machines.h"

namespace podsim::sw::driver {
namespace {

using hlo::InstructionId;

// A product has two more in its backward computation, for its weight and for its input; the first one's input needs no
// gradient. The converted weight counts for the product that reads it, and products that fill the matrix units take as
// long as each other.
TEST(OperationTimes, AProductCountsWithItsGradients) {
  constexpr std::int64_t size = 4096;
  constexpr auto bf16 = hlo::ElementType::bf16;
  hlo::build::GraphBuilder b("products");
  const hlo::Shape square = hlo::make_shape(bf16, {size, size});
  std::vector<InstructionId> weights, products;
  InstructionId x = b.parameter(square, "x");
  for (const char* name : {"a", "b", "c"}) {
    weights.push_back(b.parameter(hlo::make_shape(hlo::ElementType::f32, {size, size}), name));
    x = b.dot(x, b.convert(weights.back(), bf16), {{}, {}, {1}, {0}});
    products.push_back(x);
  }
  const InstructionId loss = b.reduce_add(b.convert(x, hlo::ElementType::f32), {0, 1});
  const std::vector<double> times = operation_times({b, loss, weights, {}, {}}, {{products.front()}}, tpu_v3());
  const auto of = [&](std::size_t i) { return times[std::size_t(products[i])]; };
  EXPECT_NEAR(of(0) / of(1), 2.0 / 3, 0.03);
  EXPECT_NEAR(of(2) / of(1), 1, 0.05);
  EXPECT_GT(of(1), 3 * 2.0 * size * size * size / tpu_v3().peak_flops_per_core());
  for (const InstructionId weight : weights) EXPECT_EQ(times[std::size_t(weight)], 0);
}

}  // namespace
}  // namespace podsim::sw::driver
