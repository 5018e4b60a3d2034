// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/expanders/cholesky.h"
#include "hlo/expanders/triangular_solve.h"

namespace podsim::hlo::expanders {
namespace {

/// Row-major matrices of one size.
struct Matrices {
  std::int64_t rows, columns;
  std::vector<double> values;
  double& at(std::int64_t batch, std::int64_t i, std::int64_t j) {
    return values[std::size_t((batch * rows + i) * columns + j)];
  }
};

Matrices random_matrices(std::int64_t batches, std::int64_t rows, std::int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  Matrices made{rows, columns, std::vector<double>(std::size_t(batches * rows * columns))};
  for (double& value : made.values) value = number(random);
  return made;
}

Literal literal(const Matrices& m) {
  const auto batches = std::int64_t(m.values.size()) / (m.rows * m.columns);
  return {make_shape(ElementType::f64, {batches, m.rows, m.columns}), m.values, {}};
}

std::ptrdiff_t count(const Module& module, Opcode opcode) {
  std::ptrdiff_t found = 0;
  for (const Computation& computation : module.computations) {
    found += std::ranges::count(computation.instructions, opcode, &Instruction::opcode);
  }
  return found;
}

Matrices evaluated(const Module& module, const std::vector<Literal>& arguments) {
  build::verify(module);
  const Literal result = eval::evaluate(module, arguments);
  return {result.shape.dimensions[1], result.shape.dimensions[2], result.values};
}

Matrices factor(const Matrices& a, bool lower) {
  build::GraphBuilder b("m");
  Instruction cholesky;
  cholesky.opcode = Opcode::cholesky;
  cholesky.operands = {b.parameter(literal(a).shape, "a")};
  cholesky.triangular.lower = lower;
  const InstructionId root = b.add(std::move(cholesky));
  Module module = std::move(b).build(root);
  expand_cholesky(module);
  EXPECT_EQ(count(module, Opcode::cholesky), 0);
  expand_triangular_solves(module);
  EXPECT_EQ(count(module, Opcode::triangular_solve), 0);
  return evaluated(module, {literal(a)});
}

/// m m^T + size I for each of two random matrices.
Matrices positive_definite(std::int64_t size) {
  Matrices m = random_matrices(2, size, size, unsigned(size)), a = m;
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        double sum = i == j ? double(size) : 0;
        for (std::int64_t k = 0; k < size; ++k) sum += m.at(batch, i, k) * m.at(batch, j, k);
        a.at(batch, i, j) = sum;
      }
    }
  }
  return a;
}

class CholeskyOf : public ::testing::TestWithParam<std::pair<int, bool>> {};

TEST_P(CholeskyOf, IsATriangleWhoseSquareIsTheMatrix) {
  const auto [size, lower] = GetParam();
  Matrices a = positive_definite(size), l = factor(a, lower);
  double worst = 0;
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t i = 0; i < size; ++i) {
      for (std::int64_t j = 0; j < size; ++j) {
        if (lower ? j > i : j < i) worst = std::max(worst, std::abs(l.at(batch, i, j)));
        double sum = 0;
        for (std::int64_t k = 0; k < size; ++k) {
          sum += lower ? l.at(batch, i, k) * l.at(batch, j, k) : l.at(batch, k, i) * l.at(batch, k, j);
        }
        worst = std::max(worst, std::abs(sum - a.at(batch, i, j)));
      }
    }
  }
  EXPECT_LT(worst, 1e-11 * size);
}

INSTANTIATE_TEST_SUITE_P(Sizes, CholeskyOf,
                         ::testing::Values(std::pair{1, true}, std::pair{7, true}, std::pair{7, false},
                                           std::pair{128, true}, std::pair{140, true}, std::pair{140, false},
                                           std::pair{257, true}));

TEST(Cholesky, OfAMatrixThatIsNotPositiveDefiniteIsNan) {
  Matrices a{2, 2, {1, 2, 2, 1}};  // eigenvalues 3 and -1
  Matrices l = factor(a, true);
  EXPECT_EQ(l.at(0, 0, 0), 1);
  EXPECT_TRUE(std::isnan(l.at(0, 1, 1)));
}

/// Size of the triangle, left side, lower, unit diagonal, transposed.
class Solve : public ::testing::TestWithParam<std::tuple<int, bool, bool, bool, bool>> {};

TEST_P(Solve, GivesTheRightHandSideBack) {
  const auto [size, left, lower, unit, transpose] = GetParam();
  constexpr std::int64_t width = 3;
  Matrices a = random_matrices(2, size, size, 1), b = random_matrices(2, left ? size : width, left ? width : size, 2);
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t i = 0; i < size; ++i) {
      // Off the diagonal small enough that products of many rows do not grow.
      for (std::int64_t j = 0; j < size; ++j) a.at(batch, i, j) *= i == j ? 1 : 2.0 / size;
      a.at(batch, i, i) += a.at(batch, i, i) < 0 ? -1 : 1;
    }
  }
  build::GraphBuilder builder("m");
  Instruction solve;
  solve.opcode = Opcode::triangular_solve;
  solve.operands = {builder.parameter(literal(a).shape, "a"), builder.parameter(literal(b).shape, "b")};
  solve.triangular = {.left_side = left, .lower = lower, .unit_diagonal = unit, .transpose = transpose};
  const InstructionId root = builder.add(std::move(solve));
  Module module = std::move(builder).build(root);
  expand_triangular_solves(module);
  EXPECT_EQ(count(module, Opcode::triangular_solve), 0);
  Matrices x = evaluated(module, {literal(a), literal(b)});
  const auto element = [&](std::int64_t batch, std::int64_t i, std::int64_t j) {  // of op(a)
    if (transpose) std::swap(i, j);
    if (i == j && unit) return 1.0;
    return (lower ? j <= i : j >= i) ? a.at(batch, i, j) : 0.0;
  };
  double worst = 0;
  for (std::int64_t batch = 0; batch < 2; ++batch) {
    for (std::int64_t i = 0; i < b.rows; ++i) {
      for (std::int64_t j = 0; j < b.columns; ++j) {
        double sum = 0;
        for (std::int64_t k = 0; k < size; ++k) {
          sum += left ? element(batch, i, k) * x.at(batch, k, j) : x.at(batch, i, k) * element(batch, k, j);
        }
        worst = std::max(worst, std::abs(sum - b.at(batch, i, j)));
      }
    }
  }
  EXPECT_LT(worst, 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Options, Solve,
                         ::testing::Combine(::testing::Values(5, 140), ::testing::Bool(), ::testing::Bool(),
                                            ::testing::Bool(), ::testing::Bool()));

}  // namespace
}  // namespace podsim::hlo::expanders
