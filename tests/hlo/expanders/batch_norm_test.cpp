// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/batch_norm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::expanders {
namespace {

/// Values of a module with batch norms and of the same one with their expansions, whose evaluator is another
/// implementation (rules/batch_norm.h).
void expect_same(const std::string& body) {
  const Module before = text::testing::graph_of("HloModule m\nENTRY main {\n" + body + "}\n");
  Module after = before;
  expand_batch_norms(after);
  build::verify(after);
  for (const Computation& computation : after.computations) {
    for (const Instruction& instruction : computation.instructions) {
      EXPECT_NE(instruction.opcode, Opcode::batch_norm_training);
      EXPECT_NE(instruction.opcode, Opcode::batch_norm_inference);
      EXPECT_NE(instruction.opcode, Opcode::batch_norm_grad);
    }
  }
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0.5, 2);
  std::vector<Literal> arguments;
  for (const InstructionId parameter : before.entry_computation().parameters) {
    Literal& argument = arguments.emplace_back(make_zeros(before.entry_computation()[parameter].shape));
    for (double& value : argument.values) value = number(random);
  }
  const Literal expected = eval::evaluate(before, arguments), made = eval::evaluate(after, arguments);
  const std::size_t count = expected.shape.is_tuple() ? expected.elements.size() : 1;
  for (std::size_t k = 0; k < count; ++k) {
    const Literal& one = expected.shape.is_tuple() ? expected.elements[k] : expected;
    const Literal& other = made.shape.is_tuple() ? made.elements[k] : made;
    ASSERT_EQ(one.shape.dimensions, other.shape.dimensions);
    for (std::size_t i = 0; i < one.values.size(); ++i) EXPECT_NEAR(one.values[i], other.values[i], 1e-9) << k;
  }
}

TEST(ExpandBatchNorms, TrainingHasTheSameValues) {
  expect_same(
      "  x = f64[3,4,5] parameter(0)\n  s = f64[4] parameter(1)\n  o = f64[4] parameter(2)\n"
      "  ROOT b = (f64[3,4,5], f64[4], f64[4]) batch-norm-training(x, s, o), epsilon=0.125, feature_index=1\n");
}

TEST(ExpandBatchNorms, InferenceHasTheSameValues) {
  expect_same(
      "  x = f64[3,4] parameter(0)\n  s = f64[4] parameter(1)\n  o = f64[4] parameter(2)\n"
      "  m = f64[4] parameter(3)\n  v = f64[4] parameter(4)\n"
      "  ROOT b = f64[3,4] batch-norm-inference(x, s, o, m, v), epsilon=0.125, feature_index=1\n");
}

TEST(ExpandBatchNorms, GradientHasTheSameValuesAndItsElementsAreReadDirectly) {
  expect_same(
      "  x = f64[2,3,4] parameter(0)\n  s = f64[2] parameter(1)\n  m = f64[2] parameter(2)\n"
      "  v = f64[2] parameter(3)\n  g = f64[2,3,4] parameter(4)\n"
      "  b = (f64[2,3,4], f64[2], f64[2]) batch-norm-grad(x, s, m, v, g), epsilon=0.25, feature_index=0\n"
      "  dx = f64[2,3,4] get-tuple-element(b), index=0\n  ds = f64[2] get-tuple-element(b), index=1\n"
      "  ROOT t = (f64[2], f64[2,3,4]) tuple(ds, dx)\n");
}

}  // namespace
}  // namespace podsim::hlo::expanders
