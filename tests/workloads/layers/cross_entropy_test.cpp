// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/cross_entropy.h"
#include "sw/ir/build/verify.h"

#include <gtest/gtest.h>

#include "sw/ir/eval/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::layers {
namespace {

using sw::ir::InstructionId;
using sw::ir::Literal;
using sw::ir::build::GraphBuilder;

/// Loss of logits [2, 3, 5] and its gradient for them.
sw::ir::Literal loss_and_slope(bool smoothed_form, const std::vector<sw::ir::Literal>& arguments,
                               double smoothing = 0) {
  sw::ir::build::GraphBuilder b("test");
  const InstructionId logits = b.parameter(arguments[0].shape, "logits");
  const InstructionId labels = b.parameter(arguments[1].shape, "labels");
  const Loss loss = smoothed_form ? softmax_cross_entropy(b, logits, labels, smoothing)
                                  : cross_entropy(b, logits, labels, sw::ir::ElementType::f64, smoothing);
  const InstructionId value = b.multiply(loss.value, b.full_like(loss.value, 3));
  const InstructionId slope = sw::ir::transform::gradients(b, value, std::vector{logits}, loss.held, loss.given)[0];
  const InstructionId root = b.tuple({value, slope});
  const sw::ir::Module module = std::move(b).build(root);
  sw::ir::build::verify(module);
  return sw::ir::eval::evaluate(module, arguments);
}

TEST(CrossEntropy, AndItsSlopeAreThoseOfASoftmax) {
  const std::vector<sw::ir::Literal> arguments{
      sw::ir::testing::random_literal(sw::ir::make_shape(sw::ir::ElementType::f64, {2, 3, 5}), 1, -20, 20),
      sw::ir::testing::make_literal(sw::ir::ElementType::s32, {2, 3}, {0, 4, 2, 2, 1, 3})};
  for (const double smoothing : {0.0, 0.1, 0.5}) {
    const sw::ir::Literal actual = loss_and_slope(false, arguments, smoothing);
    const sw::ir::Literal expected = loss_and_slope(true, arguments, smoothing);
    sw::ir::testing::expect_near(actual.elements[0], expected.elements[0], 1e-12);
    sw::ir::testing::expect_near(actual.elements[1], expected.elements[1], 1e-12, 1e-14);
  }
}

TEST(CrossEntropy, KeepsNoWideLogitsForTheWayBack) {
  sw::ir::build::GraphBuilder b("test");
  const InstructionId logits = b.parameter(sw::ir::make_shape(sw::ir::ElementType::bf16, {8, 100}), "logits");
  const InstructionId labels = b.parameter(sw::ir::make_shape(sw::ir::ElementType::s32, {8}), "labels");
  const Loss loss = cross_entropy(b, logits, labels, sw::ir::ElementType::f32);
  const int forward = b.size();
  const InstructionId slope =
      sw::ir::transform::gradients(b, loss.value, std::vector{logits}, loss.held, loss.given)[0];
  EXPECT_EQ(b.type(slope), sw::ir::ElementType::bf16);
  // From the forward part it reads only the logits, also converted, constants, and one number per row.
  for (InstructionId id = forward; id < b.size(); ++id) {
    for (const InstructionId operand : b[id].operands) {
      if (operand >= forward || b.shape(operand).rank() < 2) continue;
      const sw::ir::Opcode opcode = b[operand].opcode;
      const bool is_free = opcode == sw::ir::Opcode::broadcast || opcode == sw::ir::Opcode::iota ||
                           opcode == sw::ir::Opcode::convert || opcode == sw::ir::Opcode::compare;
      EXPECT_TRUE(operand == logits || is_free) << b[operand].name;
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::layers
