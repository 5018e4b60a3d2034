// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/cross_entropy.h"
#include "hlo/build/verify.h"

#include <gtest/gtest.h>

#include "hlo/eval/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::layers {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;

/// Loss of logits [2, 3, 5] and its gradient for them.
hlo::Literal loss_and_slope(bool smoothed_form, const std::vector<hlo::Literal>& arguments, double smoothing = 0) {
  hlo::build::GraphBuilder b("test");
  const InstructionId logits = b.parameter(arguments[0].shape, "logits");
  const InstructionId labels = b.parameter(arguments[1].shape, "labels");
  const Loss loss = smoothed_form ? softmax_cross_entropy(b, logits, labels, smoothing)
                                  : cross_entropy(b, logits, labels, hlo::ElementType::f64, smoothing);
  const InstructionId value = b.multiply(loss.value, b.full_like(loss.value, 3));
  const InstructionId slope = hlo::transform::gradients(b, value, std::vector{logits}, loss.held, loss.given)[0];
  const InstructionId root = b.tuple({value, slope});
  const hlo::Module module = std::move(b).build(root);
  hlo::build::verify(module);
  return hlo::eval::evaluate(module, arguments);
}

TEST(CrossEntropy, AndItsSlopeAreThoseOfASoftmax) {
  const std::vector<hlo::Literal> arguments{
      hlo::testing::random_literal(hlo::make_shape(hlo::ElementType::f64, {2, 3, 5}), 1, -20, 20),
      hlo::testing::make_literal(hlo::ElementType::s32, {2, 3}, {0, 4, 2, 2, 1, 3})};
  for (const double smoothing : {0.0, 0.1, 0.5}) {
    const hlo::Literal actual = loss_and_slope(false, arguments, smoothing);
    const hlo::Literal expected = loss_and_slope(true, arguments, smoothing);
    hlo::testing::expect_near(actual.elements[0], expected.elements[0], 1e-12);
    hlo::testing::expect_near(actual.elements[1], expected.elements[1], 1e-12, 1e-14);
  }
}

TEST(CrossEntropy, KeepsNoWideLogitsForTheWayBack) {
  hlo::build::GraphBuilder b("test");
  const InstructionId logits = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {8, 100}), "logits");
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {8}), "labels");
  const Loss loss = cross_entropy(b, logits, labels, hlo::ElementType::f32);
  const int forward = b.size();
  const InstructionId slope = hlo::transform::gradients(b, loss.value, std::vector{logits}, loss.held, loss.given)[0];
  EXPECT_EQ(b.type(slope), hlo::ElementType::bf16);
  // From the forward part it reads only the logits, also converted, constants, and one number per row.
  for (InstructionId id = forward; id < b.size(); ++id) {
    for (const InstructionId operand : b[id].operands) {
      if (operand >= forward || b.shape(operand).rank() < 2) continue;
      const hlo::Opcode opcode = b[operand].opcode;
      const bool is_free = opcode == hlo::Opcode::broadcast || opcode == hlo::Opcode::iota ||
                           opcode == hlo::Opcode::convert || opcode == hlo::Opcode::compare;
      EXPECT_TRUE(operand == logits || is_free) << b[operand].name;
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::layers
