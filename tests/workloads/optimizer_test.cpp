// SPDX-License-Identifier: Apache-2.0
#include "workloads/optimizer.h"

#include <gtest/gtest.h>

#include "sw/graph/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads {
namespace {

using sw::GraphBuilder;
using sw::InstructionId;
using sw::Literal;
using sw::testing::make_literal;

constexpr sw::ElementType f64 = sw::ElementType::f64;

/// New value and new momentum of w = (3, 4), g, v = (1, 1) at learning rate 0.5.
std::vector<Literal> updated(const Optimizer& optimizer, bool is_kernel, std::vector<double> gradient) {
  GraphBuilder b("test");
  const sw::Shape shape = sw::make_shape(f64, {2});
  const TrainedTensor tensor{b.parameter(shape, "w"), "w", is_kernel};
  const InstructionId g = b.parameter(shape, "g");
  const InstructionId v = b.parameter(shape, "v");
  const InstructionId rate = b.parameter(sw::make_shape(f64, {}), "rate");
  const Update result = update(b, optimizer, tensor, g, std::vector{v}, {rate, -1});
  const InstructionId root = b.tuple({result.value, result.slots[0]});
  const sw::Module module = std::move(b).build(root);
  return sw::evaluate(module, std::vector{make_literal(f64, {2}, {3, 4}), make_literal(f64, {2}, std::move(gradient)),
                                          make_literal(f64, {2}, {1, 1}), make_literal(f64, {}, {0.5})})
      .elements;
}

Optimizer rounded_numbers(OptimizerKind kind) {
  Optimizer optimizer;
  optimizer.kind = kind;
  optimizer.momentum = 0.5;
  optimizer.weight_decay = 0.25;
  optimizer.trust = 0.125;
  return optimizer;
}

// d = g + w/4 = (6.75, 9); v' = (7.25, 9.5); w' = w - v'/2.
TEST(optimizer, sgd_momentum_by_hand) {
  const auto kernel = updated(rounded_numbers(OptimizerKind::sgd_momentum), true, {6, 8});
  EXPECT_EQ(kernel[1].values, (std::vector<double>{7.25, 9.5}));
  EXPECT_EQ(kernel[0].values, (std::vector<double>{3 - 3.625, 4 - 4.75}));
  const auto bias = updated(rounded_numbers(OptimizerKind::sgd_momentum), false, {6, 8});
  EXPECT_EQ(bias[1].values, (std::vector<double>{6.5, 8.5}));
}

// |w| = 5, |g| = 10: t = (5/8) / (10 + 5/4) = 1/18; v' = v/2 + t/2 (g + w/4) = 0.5 + (6.75, 9)/36.
TEST(optimizer, lars_by_hand) {
  const auto kernel = updated(rounded_numbers(OptimizerKind::lars), true, {6, 8});
  EXPECT_NEAR(kernel[1].values[0], 0.5 + 6.75 / 36, 1e-15);
  EXPECT_NEAR(kernel[1].values[1], 0.5 + 9.0 / 36, 1e-15);
  EXPECT_NEAR(kernel[0].values[1], 4 - 0.75, 1e-15);
}

TEST(optimizer, lars_leaves_the_rate_of_bias_and_of_zero_gradients_alone) {
  const auto bias = updated(rounded_numbers(OptimizerKind::lars), false, {6, 8});
  EXPECT_EQ(bias[1].values, (std::vector<double>{3.5, 4.5}));
  const auto idle = updated(rounded_numbers(OptimizerKind::lars), true, {0, 0});
  EXPECT_EQ(idle[1].values, (std::vector<double>{0.5 + 0.375, 1}));
}

}  // namespace
}  // namespace podsim::workloads
