// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/softmax_maxima.h"

#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

namespace podsim::hlo::transform {
namespace {

using build::GraphBuilder;

constexpr std::int64_t score_rows = 3, score_columns = 4;

/// x, its maxima by row, and x less these.
struct Shifted {
  GraphBuilder b{"shifted"};
  InstructionId x = b.parameter(make_shape(ElementType::f32, {score_rows, score_columns}), "x");
  InstructionId highest = b.reduce_max(x, {1});
  InstructionId shifted = b.subtract(x, b.broadcast(highest, {score_rows, score_columns}, {0}));

  InstructionId total(InstructionId value) { return b.reduce_add(value, {0, 1}); }
  InstructionId row_sums(InstructionId value) { return b.reduce_add(value, {1}); }
  InstructionId by_row(InstructionId value) { return b.broadcast(value, {score_rows, score_columns}, {0}); }
  /// Squared, so that the loss is no constant.
  InstructionId loss(InstructionId value) { return total(b.multiply(value, value)); }
};

/// The loss that `write` makes has the maxima as found.
void expect_found(bool found, const std::function<InstructionId(Shifted&)>& write) {
  Shifted s;
  const InstructionId loss = write(s);
  EXPECT_EQ(softmax_maxima(s.b, loss), found ? std::vector{s.highest} : std::vector<InstructionId>{});
}

TEST(SoftmaxMaxima, OfSoftmaxAndItsLogarithmDoNotCount) {
  expect_found(true, [](Shifted& s) {
    const InstructionId e = s.b.exponential(s.shifted);
    return s.loss(s.b.divide(e, s.by_row(s.row_sums(e))));
  });
  expect_found(true, [](Shifted& s) {
    const InstructionId log_sum = s.b.log(s.row_sums(s.b.exponential(s.shifted)));
    return s.loss(s.b.subtract(s.shifted, s.by_row(log_sum)));
  });
  // log sum exp, with the maximum added again
  expect_found(true, [](Shifted& s) {
    const InstructionId log_sum = s.b.log(s.row_sums(s.b.exponential(s.shifted)));
    return s.b.reduce_add(s.b.add(log_sum, s.highest), {0});
  });
  // through a shape of [rows, 1], as keepdims writes it
  expect_found(true, [](Shifted& s) {
    const InstructionId e = s.b.exponential(s.shifted);
    const InstructionId kept = s.b.reshape(s.row_sums(e), {score_rows, 1});
    return s.loss(s.b.divide(e, s.by_row(s.b.reshape(kept, {score_rows}))));
  });
}

TEST(SoftmaxMaxima, OfOtherLossesCount) {
  expect_found(false, [](Shifted& s) { return s.total(s.b.exponential(s.shifted)); });
  expect_found(false, [](Shifted& s) { return s.total(s.shifted); });
  expect_found(false, [](Shifted& s) { return s.b.reduce_add(s.highest, {0}); });
  expect_found(false, [](Shifted& s) {  // a quotient of other powers
    const InstructionId e = s.b.exponential(s.shifted);
    return s.total(s.b.divide(s.b.multiply(e, e), s.by_row(s.row_sums(e))));
  });
  expect_found(false, [](Shifted& s) {  // the sum of a column is of different factors
    const InstructionId e = s.b.exponential(s.shifted);
    const InstructionId sums = s.b.reduce_add(e, {0});
    return s.total(s.b.divide(e, s.b.broadcast(sums, {score_rows, score_columns}, {1})));
  });
  expect_found(false, [](Shifted& s) {  // a softmax, and another use of the maximum
    const InstructionId e = s.b.exponential(s.shifted);
    const InstructionId softmax = s.b.divide(e, s.by_row(s.row_sums(e)));
    return s.total(s.b.multiply(softmax, s.by_row(s.highest)));
  });
}

// Rows and columns of a square have the same size: a value with the factor of row i is divided by one with that of
// row k.
TEST(SoftmaxMaxima, FactorsOfOtherRowsDoNotCancel) {
  GraphBuilder b("square");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {3, 3}), "x");
  const InstructionId highest = b.reduce_max(x, {1});
  const InstructionId e = b.exponential(b.subtract(x, b.broadcast(highest, {3, 3}, {0})));
  const InstructionId sums = b.broadcast(b.reduce_add(e, {1}), {3, 3}, {1});
  EXPECT_TRUE(softmax_maxima(b, b.reduce_add(b.divide(e, sums), {0, 1})).empty());
  EXPECT_TRUE(
      softmax_maxima(b, b.reduce_add(b.divide(b.transpose(e, {1, 0}), b.transpose(sums, {1, 0})), {0, 1})).empty());
}

}  // namespace
}  // namespace podsim::hlo::transform
