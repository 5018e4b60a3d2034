// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/distances.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

using hlo::ElementType;
using hlo::Literal;

const std::vector<double> numbers{-700, -3, -0.25, -0.1, 0, 0.1, 0.25, 2, 700};

TEST(Distances, HubersIsAParabolaAndThenALine) {
  const Literal x = hlo::testing::make_literal(ElementType::f64, {std::int64_t(numbers.size())}, numbers);
  hlo::build::GraphBuilder b("test");
  const hlo::InstructionId distance = huber_distance(b, b.parameter(x.shape, "x"), 0.25);
  const Literal found = hlo::eval::evaluate(std::move(b).build(distance), std::vector{x});
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double size = std::abs(numbers[i]);
    EXPECT_NEAR(found.values[i], size <= 0.25 ? size * size / 2 : 0.25 * size - 0.25 * 0.25 / 2, 1e-12);
  }
}

// Far from 0, exponentials neither overflow nor lose the logit.
TEST(Distances, CrossEntropyIsThatOfTheSigmoid) {
  const Literal x = hlo::testing::make_literal(ElementType::f64, {std::int64_t(numbers.size())}, numbers);
  for (const double target : {0.0, 0.3, 1.0}) {
    hlo::build::GraphBuilder b("test");
    const hlo::InstructionId logits = b.parameter(x.shape, "x");
    const hlo::InstructionId entropy = binary_cross_entropy(b, logits, b.full_like(logits, target));
    const Literal found = hlo::eval::evaluate(std::move(b).build(entropy), std::vector{x});
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const double logit = numbers[i];
      // -ln sigmoid(x) = ln(1 + exp(-x)), which is -x for very negative x.
      const auto minus_log = [](double y) { return y < -30 ? -y : std::log1p(std::exp(-y)); };
      EXPECT_NEAR(found.values[i], target * minus_log(logit) + (1 - target) * minus_log(-logit), 1e-9) << logit;
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::layers
