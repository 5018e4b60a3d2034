// SPDX-License-Identifier: Apache-2.0
// QR, LU and eigenvalues by what defines them: products of the factors are the matrices, factors have their forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/expanders/factorisations.h"
#include "hlo/expanders/triangular_solve.h"

namespace podsim::hlo::expanders {
namespace {

/// A batch of two matrices in row-major order.
struct Pair {
  std::int64_t rows = 0, columns = 0;
  std::vector<double> values;
  double operator()(int batch, std::int64_t i, std::int64_t j) const {
    return values[std::size_t((batch * rows + i) * columns + j)];
  }
};

Pair random_pair(std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(unsigned(rows * 1000 + columns));
  std::normal_distribution<double> number;
  Pair pair{rows, columns, std::vector<double>(std::size_t(2 * rows * columns))};
  for (double& value : pair.values) value = number(random);
  return pair;
}

Shape shape_of(const Pair& pair, ElementType type = ElementType::f64) {
  return make_shape(type, {2, pair.rows, pair.columns});
}

Instruction call_of(const std::string& target, std::vector<InstructionId> operands, Shape shape) {
  Instruction call;
  call.opcode = Opcode::custom_call;
  call.target = target;
  call.operands = std::move(operands);
  call.shape = std::move(shape);
  return call;
}

/// The results of a module after expansion, in which no custom call is left. The first `alike` of them are also
/// compared with those of the module as it is, whose custom calls the evaluator carries out without panels.
std::vector<Literal> results_of(Module module, const Pair& argument, std::size_t alike) {
  const std::vector arguments{Literal{shape_of(argument), argument.values, {}}};
  const std::vector<Literal> direct = eval::evaluate(module, arguments).elements;
  expand_factorisations(module, [](const Instruction&) { return false; });
  expand_triangular_solves(module);
  build::verify(module);
  for (const Computation& computation : module.computations) {
    EXPECT_EQ(std::ranges::count(computation.instructions, Opcode::custom_call, &Instruction::opcode), 0);
  }
  std::vector<Literal> results = eval::evaluate(module, arguments).elements;
  for (std::size_t i = 0; i < alike; ++i) {
    for (std::size_t k = 0; k < direct[i].values.size(); ++k) {
      EXPECT_NEAR(results[i].values[k], direct[i].values[k], 1e-9) << "result " << i << ", element " << k;
    }
  }
  return results;
}

Pair pair_of(const Literal& literal) {
  return {literal.shape.dimensions[1], literal.shape.dimensions[2], literal.values};
}

class Sizes : public ::testing::TestWithParam<std::pair<std::int64_t, std::int64_t>> {};

TEST_P(Sizes, OfQrGiveOrthonormalColumnsWhoseProductWithRIsTheMatrix) {
  const auto [m, n] = GetParam();
  const Pair a = random_pair(m, n);
  const std::int64_t count = std::min(m, n);
  build::GraphBuilder b("m");
  const InstructionId x = b.parameter(shape_of(a), "a");
  const Shape taus = make_shape(ElementType::f64, {2, count});
  const InstructionId qr = b.add(call_of("Qr", {x}, make_tuple_shape({shape_of(a), taus})));
  const InstructionId packed = b.get_tuple_element(qr, 0);
  const InstructionId reflectors = b.slice(packed, {{0, 2, 1}, {0, m, 1}, {0, count, 1}});
  const InstructionId q = b.add(call_of("ProductOfElementaryHouseholderReflectors",
                                        {reflectors, b.get_tuple_element(qr, 1)}, b.shape(reflectors)));
  const InstructionId root = b.tuple({q, packed});
  const std::vector<Literal> results = results_of(std::move(b).build(root), a, 2);
  const Pair columns = pair_of(results[0]), r = pair_of(results[1]);
  for (int batch = 0; batch < 2; ++batch) {
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::int64_t k = 0; k < m; ++k) product += columns(batch, k, i) * columns(batch, k, j);
        ASSERT_NEAR(product, i == j ? 1 : 0, 1e-12) << i << " " << j;
      }
    }
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double product = 0;
        for (std::int64_t k = 0; k <= std::min(j, count - 1); ++k) product += columns(batch, i, k) * r(batch, k, j);
        ASSERT_NEAR(product, a(batch, i, j), 1e-11) << i << " " << j;
      }
    }
  }
}

TEST_P(Sizes, OfLuGiveFactorsOfTheExchangedRows) {
  const auto [m, n] = GetParam();
  const Pair a = random_pair(m, n);
  const std::int64_t count = std::min(m, n);
  build::GraphBuilder b("m");
  const InstructionId x = b.parameter(shape_of(a), "a");
  const Shape shape =
      make_tuple_shape({shape_of(a), make_shape(ElementType::s32, {2, count}), make_shape(ElementType::s32, {2, m})});
  const InstructionId root = b.add(call_of("LuDecomposition", {x}, shape));
  const std::vector<Literal> results = results_of(std::move(b).build(root), a, 3);
  const Pair lu = pair_of(results[0]);
  for (int batch = 0; batch < 2; ++batch) {
    const auto whole = [&](const Literal& literal, std::int64_t i, std::int64_t size) {
      return std::int64_t(literal.values[std::size_t(batch * size + i)]);
    };
    std::vector<std::int64_t> rows(static_cast<std::size_t>(m));
    for (std::int64_t i = 0; i < m; ++i) rows[std::size_t(i)] = i;
    for (std::int64_t i = 0; i < count; ++i)
      std::swap(rows[std::size_t(i)], rows[std::size_t(whole(results[1], i, count))]);
    for (std::int64_t i = 0; i < m; ++i) {
      ASSERT_EQ(whole(results[2], i, m), rows[std::size_t(i)]);
      for (std::int64_t j = 0; j < n; ++j) {
        double product = i <= j && i < count ? lu(batch, i, j) : 0;
        for (std::int64_t k = 0; k < std::min({i, j + 1, count}); ++k) product += lu(batch, i, k) * lu(batch, k, j);
        ASSERT_NEAR(product, a(batch, rows[std::size_t(i)], j), 1e-11) << i << " " << j;
        if (j < std::min(i, count)) {
          ASSERT_LE(std::abs(lu(batch, i, j)), 1) << "pivots are the largest";
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Factorisations, Sizes,
                         ::testing::Values(std::pair{1, 1}, std::pair{5, 3}, std::pair{3, 5}, std::pair{6, 6},
                                           std::pair{150, 140}, std::pair{131, 20}, std::pair{20, 131}));

class EigenvalueSizes : public ::testing::TestWithParam<std::int64_t> {};

TEST_P(EigenvalueSizes, GiveOrthonormalVectorsThatTheMatrixScalesInAscendingOrder) {
  const std::int64_t n = GetParam();
  Pair a = random_pair(n, n);
  for (const bool lower : {true, false}) {
    build::GraphBuilder b("m");
    const InstructionId x = b.parameter(shape_of(a), "a");
    Instruction call = call_of("Eigh", {x}, make_tuple_shape({shape_of(a), make_shape(ElementType::f64, {2, n})}));
    call.triangular.lower = lower;
    call.index = 100;
    call.epsilon = 1e-12;
    const InstructionId eigen = b.add(std::move(call));
    // Vectors are equal up to their sign.
    const InstructionId root = b.tuple({b.get_tuple_element(eigen, 1), b.get_tuple_element(eigen, 0)});
    const std::vector<Literal> results = results_of(std::move(b).build(root), a, 1);
    const Pair v = pair_of(results[1]);
    for (int batch = 0; batch < 2; ++batch) {
      const auto element = [&](std::int64_t i, std::int64_t j) {
        return (i >= j) == lower ? a(batch, i, j) : a(batch, j, i);
      };
      for (std::int64_t k = 0; k < n; ++k) {
        const double value = results[0].values[std::size_t(batch * n + k)];
        if (k > 0) {
          ASSERT_GE(value, results[0].values[std::size_t(batch * n + k - 1)]);
        }
        for (std::int64_t i = 0; i < n; ++i) {
          double scaled = 0, product = 0;
          for (std::int64_t j = 0; j < n; ++j) {
            scaled += element(i, j) * v(batch, j, k);
            product += v(batch, j, i) * v(batch, j, k);
          }
          ASSERT_NEAR(scaled, value * v(batch, i, k), 1e-10) << i << " " << k;
          ASSERT_NEAR(product, i == k ? 1 : 0, 1e-12) << i << " " << k;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Factorisations, EigenvalueSizes, ::testing::Values(1, 2, 3, 4, 6, 7, 20, 33));

TEST(Factorisations, OfSingularMatricesHaveNoNumbersThatAreNone) {
  Pair a{4, 4, std::vector<double>(32, 0)};
  for (std::int64_t i = 0; i < 4; ++i) a.values[std::size_t(i * 4 + 1)] = 2;
  build::GraphBuilder b("m");
  const InstructionId x = b.parameter(shape_of(a), "a");
  const Shape numbers = make_shape(ElementType::s32, {2, 4});
  const InstructionId lu = b.add(call_of("LuDecomposition", {x}, make_tuple_shape({shape_of(a), numbers, numbers})));
  const InstructionId qr =
      b.add(call_of("Qr", {x}, make_tuple_shape({shape_of(a), make_shape(ElementType::f64, {2, 4})})));
  const InstructionId root =
      b.tuple({b.get_tuple_element(lu, 0), b.get_tuple_element(qr, 0), b.get_tuple_element(qr, 1)});
  for (const Literal& result : results_of(std::move(b).build(root), a, 3)) {
    EXPECT_TRUE(std::ranges::all_of(result.values, [](double value) { return std::isfinite(value); }));
  }
}

// Random symmetric matrices take 3 sweeps for n = 4, 5 for 16, 7 for 64 and 9 for 256.
TEST(Factorisations, OfEigenvaluesStateTheSweepsThatRandomMatricesTake) {
  for (const auto& [n, sweeps] : {std::pair{4, 3}, std::pair{16, 5}, std::pair{64, 7}, std::pair{256, 9}}) {
    const Pair a{n, n, {}};
    build::GraphBuilder b("m");
    const InstructionId x = b.parameter(shape_of(a), "a");
    Instruction call = call_of("Eigh", {x}, make_tuple_shape({shape_of(a), make_shape(ElementType::f64, {2, n})}));
    call.index = 100;
    const InstructionId root = b.add(std::move(call));
    Module module = std::move(b).build(root);
    expand_factorisations(module, [](const Instruction&) { return false; });
    const std::vector<Instruction>& entry = module.entry_computation().instructions;
    const auto loop = std::ranges::find(entry, Opcode::while_loop, &Instruction::opcode);
    ASSERT_NE(loop, entry.end());
    EXPECT_EQ(loop->trip_count, sweeps);
  }
}

TEST(Factorisations, WithAPriceStay) {
  const Pair a = random_pair(3, 3);
  build::GraphBuilder b("m");
  const InstructionId x = b.parameter(shape_of(a), "a");
  const InstructionId root =
      b.add(call_of("Qr", {x}, make_tuple_shape({shape_of(a), make_shape(ElementType::f64, {2, 3})})));
  Module module = std::move(b).build(root);
  expand_factorisations(module, [](const Instruction& call) { return call.target == "Qr"; });
  EXPECT_EQ(std::ranges::count(module.entry_computation().instructions, Opcode::custom_call, &Instruction::opcode), 1);
}

}  // namespace
}  // namespace podsim::hlo::expanders
