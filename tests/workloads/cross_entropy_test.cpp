// SPDX-License-Identifier: Apache-2.0
#include "workloads/cross_entropy.h"

#include <gtest/gtest.h>

#include "sw/graph/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads {
namespace {

using sw::GraphBuilder;
using sw::InstructionId;
using sw::Literal;

/// Loss of logits [2, 3, 5] and its gradient for them.
Literal loss_and_slope(bool smoothed_form, const std::vector<Literal>& arguments) {
  GraphBuilder b("test");
  const InstructionId logits = b.parameter(arguments[0].shape, "logits");
  const InstructionId labels = b.parameter(arguments[1].shape, "labels");
  const Loss loss = smoothed_form ? softmax_cross_entropy(b, logits, labels, 0)
                                  : cross_entropy(b, logits, labels, sw::ElementType::f64);
  const InstructionId value = b.multiply(loss.value, b.full_like(loss.value, 3));
  const InstructionId slope = sw::gradients(b, value, std::vector{logits}, loss.held, loss.given)[0];
  const InstructionId root = b.tuple({value, slope});
  const sw::Module module = std::move(b).build(root);
  sw::verify(module);
  return sw::evaluate(module, arguments);
}

TEST(cross_entropy, and_its_slope_are_those_of_a_softmax_without_smoothing) {
  const std::vector<Literal> arguments{
      sw::testing::random_literal(sw::make_shape(sw::ElementType::f64, {2, 3, 5}), 1, -20, 20),
      sw::testing::make_literal(sw::ElementType::s32, {2, 3}, {0, 4, 2, 2, 1, 3})};
  const Literal actual = loss_and_slope(false, arguments), expected = loss_and_slope(true, arguments);
  sw::testing::expect_near(actual.elements[0], expected.elements[0], 1e-12);
  sw::testing::expect_near(actual.elements[1], expected.elements[1], 1e-12, 1e-14);
}

TEST(cross_entropy, keeps_no_wide_logits_for_the_way_back) {
  GraphBuilder b("test");
  const InstructionId logits = b.parameter(sw::make_shape(sw::ElementType::bf16, {8, 100}), "logits");
  const InstructionId labels = b.parameter(sw::make_shape(sw::ElementType::s32, {8}), "labels");
  const Loss loss = cross_entropy(b, logits, labels, sw::ElementType::f32);
  const int forward = b.size();
  const InstructionId slope = sw::gradients(b, loss.value, std::vector{logits}, loss.held, loss.given)[0];
  EXPECT_EQ(b.type(slope), sw::ElementType::bf16);
  // Of the way forward it reads the logits, also converted, constants, and numbers of rows.
  for (InstructionId id = forward; id < b.size(); ++id) {
    for (const InstructionId operand : b[id].operands) {
      if (operand >= forward || b.shape(operand).rank() < 2) continue;
      const sw::Opcode opcode = b[operand].opcode;
      const bool is_free = opcode == sw::Opcode::broadcast || opcode == sw::Opcode::iota ||
                           opcode == sw::Opcode::convert || opcode == sw::Opcode::compare;
      EXPECT_TRUE(operand == logits || is_free) << b[operand].name;
    }
  }
}

}  // namespace
}  // namespace podsim::workloads
