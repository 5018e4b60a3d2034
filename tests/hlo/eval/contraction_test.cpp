// SPDX-License-Identifier: Apache-2.0
#include "hlo/eval/contraction.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <Eigen/Core>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "hlo/eval/index_space.h"
#include "tests/hlo/convolutions.h"
#include "tests/hlo/element_types.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::eval {
namespace {

using testing::expect_near;
using testing::make_literal;
using testing::random_literal;
using testing::window;

using testing::f64;

TEST(Convolution, AHandComputedExampleWithStrideAndPadding) {
  build::GraphBuilder b("test");
  const InstructionId x = b.parameter(make_shape(f64, {1, 4, 1}), "x");
  const InstructionId w = b.parameter(make_shape(f64, {3, 1, 1}), "w");
  const InstructionId y =
      b.convolution(x, w, {testing::window(3, 2, 1, 1)}, build::convolution_dimensions("b0f_0io->b0f"));
  const Module module = std::move(b).build(y);
  const Literal result = evaluate(module, std::vector{testing::make_literal(f64, {1, 4, 1}, {1, 2, 3, 4}),
                                                      testing::make_literal(f64, {3, 1, 1}, {1, 10, 100})});
  EXPECT_EQ(result.values, (std::vector<double>{10 + 200, 2 + 30 + 400}));
}

TEST(Convolution, EqualsThePaddedDilatedReversedDefinitionForAnyAttributes) {
  EXPECT_TRUE(rc::check([] {
    const testing::RandomConvolution random = *testing::random_convolution();
    build::GraphBuilder b("test");
    const InstructionId x = b.parameter(make_shape(f64, random.input), "x");
    const InstructionId w = b.parameter(make_shape(f64, random.kernel), "w");
    const InstructionId y = random.write(b, x, w);
    const Instruction instruction = b[y];
    const Literal input = testing::random_literal(b.shape(x), 1);
    const Literal kernel = testing::random_literal(b.shape(w), 2);
    const Literal expected = testing::naive_convolution(instruction, input, kernel);
    const Literal actual = evaluate_convolution(instruction, input, kernel);
    RC_ASSERT(actual.values.size() == expected.values.size());
    for (std::size_t i = 0; i < actual.values.size(); ++i) {
      RC_ASSERT(std::abs(actual.values[i] - expected.values[i]) < 1e-12);
    }
  }));
}

TEST(Dot, EqualsEigensProduct) {
  const Literal x = testing::random_literal(make_shape(f64, {5, 7}), 1);
  const Literal y = testing::random_literal(make_shape(f64, {7, 3}), 2);
  build::GraphBuilder b("test");
  const InstructionId lhs = b.parameter(x.shape, "x");
  const InstructionId rhs = b.parameter(y.shape, "y");
  const InstructionId root = b.dot(lhs, rhs, {{}, {}, {1}, {0}});
  const Module module = std::move(b).build(root);
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix expected =
      Eigen::Map<const Matrix>(x.values.data(), 5, 7) * Eigen::Map<const Matrix>(y.values.data(), 7, 3);
  testing::expect_near(evaluate(module, std::vector{x, y}),
                       testing::make_literal(f64, {5, 3}, {expected.data(), expected.data() + expected.size()}), 1e-13);
}

TEST(Dot, BatchDimensionsLeadTheResultAndSeveralDimensionsMayContract) {
  // lhs[k, b, m, l], rhs[l, n, k, b] -> [b, m, n], contracted over (k, l).
  const Literal x = testing::random_literal(make_shape(f64, {2, 3, 4, 5}), 1);
  const Literal y = testing::random_literal(make_shape(f64, {5, 6, 2, 3}), 2);
  build::GraphBuilder b("test");
  const InstructionId lhs = b.parameter(x.shape, "x");
  const InstructionId rhs = b.parameter(y.shape, "y");
  const InstructionId root = b.dot(lhs, rhs, {{1}, {3}, {0, 3}, {2, 0}});
  const Module module = std::move(b).build(root);
  Literal expected{make_shape(f64, {3, 4, 6}), {}, {}};
  for_each_index({3, 4, 6}, [&](const std::vector<std::int64_t>& at) {
    double sum = 0;
    for (std::int64_t k = 0; k < 2; ++k) {
      for (std::int64_t l = 0; l < 5; ++l) {
        sum += x.values[((k * 3 + at[0]) * 4 + at[1]) * 5 + l] * y.values[((l * 6 + at[2]) * 2 + k) * 3 + at[0]];
      }
    }
    expected.values.push_back(sum);
  });
  testing::expect_near(evaluate(module, std::vector{x, y}), expected, 1e-13);
}

TEST(Dot, Bf16ProductsAreRoundedOnce) {
  const Literal x = testing::make_literal(ElementType::bf16, {1, 3}, {256, 1, 1});
  const Literal y = testing::make_literal(ElementType::bf16, {3, 1}, {1, 1, 1});
  build::GraphBuilder b("test");
  const InstructionId lhs = b.parameter(x.shape, "x");
  const InstructionId rhs = b.parameter(y.shape, "y");
  const InstructionId root = b.dot(lhs, rhs, {{}, {}, {1}, {0}});
  const Module module = std::move(b).build(root);
  EXPECT_EQ(evaluate(module, std::vector{x, y}).values, std::vector<double>{258});
}

}  // namespace
}  // namespace podsim::hlo::eval
