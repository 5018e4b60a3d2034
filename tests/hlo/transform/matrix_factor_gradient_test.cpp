// SPDX-License-Identifier: Apache-2.0
// The factors that JAX calls by name on a TPU: values against the products of the factors, gradients against
// differences of the loss.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/transform/finite_differences.h"

namespace podsim::hlo::transform {
namespace {

using testing::expect_gradients_match;
using testing::Ids;
using testing::make_literal;
using testing::random_literal;

/// Element `part` of the tuple that a custom call makes.
InstructionId factor(build::GraphBuilder& b, const std::string& target, InstructionId x, const Shape& shape, int part) {
  Instruction call;
  call.opcode = Opcode::custom_call;
  call.target = target;
  call.shape = shape;
  call.operands = {x};
  return b.get_tuple_element(b.add(call), part);
}

Shape lu_shape(std::int64_t batch, std::int64_t size) {
  return make_tuple_shape({make_shape(ElementType::f64, {batch, size, size}),
                           make_shape(ElementType::s32, {batch, size}), make_shape(ElementType::s32, {batch, size})});
}

Literal evaluated(const std::string& lines, const std::vector<Literal>& arguments) {
  return eval::evaluate(testing::graph_of_entry(lines), arguments);
}

Shape eigen_shape(std::int64_t size) {
  return make_tuple_shape({make_shape(ElementType::f64, {size, size}), make_shape(ElementType::f64, {size})});
}

TEST(MatrixFactorGradient, OfALowerAndAnUpperFactorIsThatOfDifferences) {
  const auto write = [](build::GraphBuilder& b, const Ids& x) {
    return factor(b, "LuDecomposition", x[0], lu_shape(2, 4), 0);
  };
  expect_gradients_match(write, {random_literal(make_shape(ElementType::f64, {2, 4, 4}), 7)});
}

// A matrix whose rows are exchanged: {{1, 2}, {4, 4}} is {{4, 4}, {1, 2}}, so l = 1 / 4 and the last pivot 2 - 1.
TEST(MatrixFactorGradient, FactorsAreThoseOfExchangedRows) {
  const Literal found = evaluated(
      "x = f64[2,2] parameter(0)\n ROOT r = (f64[2,2], s32[2], s32[2]) custom-call(x), "
      "custom_call_target=\"LuDecomposition\"",
      {make_literal(ElementType::f64, {2, 2}, {1, 2, 4, 4})});
  EXPECT_EQ(found.elements[0].values, (std::vector<double>{4, 4, 0.25, 1}));
  EXPECT_EQ(found.elements[1].values, (std::vector<double>{1, 1}));
  EXPECT_EQ(found.elements[2].values, (std::vector<double>{1, 0}));
}

// {{2, 1}, {1, 2}} has the eigenvalues 1 and 3.
TEST(MatrixFactorGradient, EigenvaluesAscend) {
  const Literal found =
      evaluated("x = f64[2,2] parameter(0)\n ROOT r = (f64[2,2], f64[2]) custom-call(x), custom_call_target=\"Eigh\"",
                {make_literal(ElementType::f64, {2, 2}, {2, 1, 1, 2})});
  EXPECT_NEAR(found.elements[1].values[0], 1, 1e-14);
  EXPECT_NEAR(found.elements[1].values[1], 3, 1e-14);
  EXPECT_NEAR(std::abs(found.elements[0].values[0]), std::sqrt(0.5), 1e-14);
}

// The matrix is x + x^T. The squares of eigenvectors do not depend on their signs.
TEST(MatrixFactorGradient, OfEigenvaluesAndEigenvectorsIsThatOfDifferences) {
  for (const int part : {0, 1}) {
    const auto write = [part](build::GraphBuilder& b, const Ids& x) {
      const InstructionId y = factor(b, "Eigh", b.add(x[0], b.transpose(x[0], {1, 0})), eigen_shape(4), part);
      return b.multiply(y, y);
    };
    expect_gradients_match(write, {random_literal(make_shape(ElementType::f64, {4, 4}), 3)});
  }
}

}  // namespace
}  // namespace podsim::hlo::transform
