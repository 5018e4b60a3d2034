// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/next_tokens.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

/// The token that `uniform` of the kept probability reaches, the most probable tokens first.
double reached(std::vector<double> logits, double uniform, std::int64_t count, double probability) {
  std::vector<std::size_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return logits[a] > logits[b]; });
  double all = 0;
  for (const double logit : logits) all += std::exp(logit);
  std::vector<double> kept;
  double sum = 0;
  for (const std::size_t token : order) {
    if (count > 0 ? std::int64_t(kept.size()) == count : sum > probability) break;
    kept.push_back(std::exp(logits[token]) / all);
    sum += kept.back();
  }
  double passed = 0;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    passed += kept[i];
    if (passed > uniform * sum) return double(order[i]);
  }
  return double(order[kept.size() - 1]);
}

void expect_drawn(std::int64_t words, const DrawnFrom& from) {
  constexpr std::int64_t rows = 60;
  hlo::build::GraphBuilder b("drawn");
  const auto f64 = hlo::ElementType::f64;
  const hlo::InstructionId logits = b.parameter(hlo::make_shape(f64, {rows, words}), "logits");
  const hlo::InstructionId uniform = b.parameter(hlo::make_shape(f64, {rows}), "uniform");
  const hlo::Module module = std::move(b).build(drawn_tokens(b, logits, uniform, from));
  hlo::build::verify(module);
  const std::vector<hlo::Literal> arguments{hlo::testing::random_literal(hlo::make_shape(f64, {rows, words}), 7, -3, 3),
                                            hlo::testing::random_literal(hlo::make_shape(f64, {rows}), 8, 0, 1)};
  const hlo::Literal drawn = hlo::eval::evaluate(module, arguments);
  for (std::int64_t i = 0; i < rows; ++i) {
    const auto row = arguments[0].values.begin() + i * words;
    EXPECT_EQ(drawn.values[std::size_t(i)],
              reached({row, row + words}, arguments[1].values[std::size_t(i)], from.count, from.probability));
  }
}

TEST(NextTokens, AreDrawnFromTheMostProbableOnes) {
  expect_drawn(11, {.count = 4});
  expect_drawn(11, {.count = 100});
  expect_drawn(300, {.count = 200});
}

TEST(NextTokens, AreDrawnFromAShareOfTheProbability) {
  expect_drawn(11, {.probability = 0.7});
  expect_drawn(300, {.probability = 0.4});
  expect_drawn(300, {.probability = 1});
}

}  // namespace
}  // namespace podsim::workloads::layers
