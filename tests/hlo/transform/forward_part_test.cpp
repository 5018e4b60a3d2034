// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/forward_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/gradient.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::transform {
namespace {

struct Step {
  Module module;
  std::vector<Donation> donations;
};

/// loss = sum (x w), and w - its all-reduced gradient; with `losses` the loss is an output.
Step step_of(bool losses) {
  build::GraphBuilder b("step");
  const InstructionId x = b.parameter(make_shape(ElementType::f32, {8, 16}), "x");
  const InstructionId w = b.parameter(make_shape(ElementType::f32, {16, 32}), "w");
  const InstructionId y = b.tanh(b.dot(x, w, {{}, {}, {1}, {0}}));
  const InstructionId loss = b.reduce_add(y, {0, 1});
  const InstructionId gradient = gradients(b, loss, std::vector{w}).front();
  std::vector<InstructionId> outputs{b.subtract(w, b.all_reduce(gradient))};
  if (losses) outputs.push_back(loss);
  const InstructionId root = b.tuple(outputs);
  return {std::move(b).build(root), {{0, 1, 0}}};
}

bool has(const Module& module, Opcode opcode) {
  return std::ranges::any_of(module.entry_computation().instructions,
                             [&](const Instruction& instruction) { return instruction.opcode == opcode; });
}

TEST(ForwardPart, HasTheLossAndNeitherGradientsNorUpdates) {
  const Step step = step_of(true);
  const std::vector<InstructionId> results = forward_results(step.module, step.donations);
  ASSERT_EQ(results.size(), 1U);
  const ForwardPart forward = forward_part(step.module, results);
  build::verify(forward.module);
  const Computation& entry = forward.module.entry_computation();
  EXPECT_EQ(entry[entry.root].shape.tuple_shapes.size(), 1U);
  EXPECT_FALSE(has(forward.module, Opcode::all_reduce));
  EXPECT_TRUE(has(step.module, Opcode::all_reduce));
  EXPECT_EQ(std::ranges::count(entry.instructions, Opcode::dot, &Instruction::opcode), 1);
  EXPECT_EQ(std::ranges::count(step.module.entry_computation().instructions, Opcode::dot, &Instruction::opcode), 2);
  EXPECT_EQ(forward.parameters, (std::vector<std::int64_t>{0, 1}));
}

TEST(ForwardPart, IsUnknownWhereNothingTellsTheLoss) {
  const Step without_loss = step_of(false), step = step_of(true);
  EXPECT_TRUE(forward_results(without_loss.module, without_loss.donations).empty());
  EXPECT_TRUE(forward_results(step.module, {}).empty());
}

/// y = x w and its loss |y - t|^2; w falls by the slot, which is a running sum of gradients.
Step step_with_slot() {
  build::GraphBuilder b("step");
  const Shape square = make_shape(ElementType::f32, {16, 16});
  const InstructionId target = b.parameter(square, "target"), slot = b.parameter(square, "w/momentum");
  const InstructionId x = b.parameter(square, "x"), w = b.parameter(square, "w");
  const InstructionId y = b.dot(x, w, {{}, {}, {1}, {0}}), error = b.subtract(y, target);
  const InstructionId loss = b.reduce_add(b.multiply(error, error), {0, 1});
  const InstructionId sum = b.add(slot, gradients(b, loss, std::vector{w}).front());
  const InstructionId root = b.tuple({b.subtract(w, sum), sum, loss});
  return {std::move(b).build(root), {{0, 3, 0}, {1, 1, 0}}};
}

TEST(ForwardPart, ArgumentsAreTheNetworksTheOptimisersOrInputs) {
  const Step step = step_with_slot();
  using enum ArgumentKind;
  const std::vector<InstructionId> loss = forward_results(step.module, step.donations);
  EXPECT_EQ(argument_kinds(step.module, step.donations, loss, {}), (std::vector{input, slot, input, parameter}));
  const std::vector<std::int64_t> frozen{2};
  EXPECT_EQ(argument_kinds(step.module, step.donations, loss, frozen),
            (std::vector{input, slot, parameter, parameter}));
}

TEST(ForwardPart, UpToAPredictionItReadsNeitherTargetsNorSlots) {
  const Step step = step_with_slot();
  const Computation& whole = step.module.entry_computation();
  const auto product = std::ranges::find(whole.instructions, Opcode::dot, &Instruction::opcode);
  const std::vector<InstructionId> results{InstructionId(product - whole.instructions.begin())};
  const ForwardPart forward = forward_part(step.module, results);
  build::verify(forward.module);
  EXPECT_EQ(forward.parameters, (std::vector<std::int64_t>{2, 3}));
  EXPECT_FALSE(has(forward.module, Opcode::reduce));
}

/// A loop of four trips whose state is trip, h, w and the values of h by trip; h becomes tanh(h w). The result is h,
/// and the values too if `reads_values`.
Module recurrent(bool reads_values) {
  build::GraphBuilder b("recurrent");
  const InstructionId h = b.parameter(make_shape(ElementType::f32, {8, 16}), "h");
  const InstructionId w = b.parameter(make_shape(ElementType::f32, {16, 16}), "w");
  const InstructionId begin =
      b.tuple({b.constant(ElementType::s32, 0), h, w, b.full(make_shape(ElementType::f32, {4, 8, 16}), 0)});
  const Shape state = b.shape(begin);
  build::GraphBuilder goes_on("goes_on");
  const InstructionId less = goes_on.compare(goes_on.get_tuple_element(goes_on.parameter(state, "state"), 0),
                                             goes_on.constant(ElementType::s32, 4), ComparisonDirection::lt);
  build::GraphBuilder body("body");
  const InstructionId now = body.parameter(state, "state");
  const InstructionId trip = body.get_tuple_element(now, 0), of_w = body.get_tuple_element(now, 2);
  const InstructionId next = body.tanh(body.dot(body.get_tuple_element(now, 1), of_w, {{}, {}, {1}, {0}}));
  const InstructionId zero = body.constant(ElementType::s32, 0);
  const InstructionId values =
      body.dynamic_update_slice(body.get_tuple_element(now, 3), body.reshape(next, {1, 8, 16}), {trip, zero, zero});
  const InstructionId end = body.tuple({body.add(trip, body.constant(ElementType::s32, 1)), next, of_w, values});
  const ComputationId condition = b.computation(std::move(goes_on), less);
  const ComputationId step = b.computation(std::move(body), end);
  const InstructionId loop = b.while_loop(begin, condition, step, 4);
  std::vector<InstructionId> results{b.get_tuple_element(loop, 1)};
  if (reads_values) results.push_back(b.get_tuple_element(loop, 3));
  const InstructionId root = b.tuple(results);
  return std::move(b).build(root);
}

const Instruction& loop_of(const Module& module) {
  return *std::ranges::find(module.entry_computation().instructions, Opcode::while_loop, &Instruction::opcode);
}

TEST(ForwardPart, LoopsKeepNothingForGradientsThatAreGone) {
  const Module both = recurrent(true);
  const Computation& entry = both.entry_computation();
  const std::vector<InstructionId> last{entry[entry.root].operands[0]};
  const ForwardPart forward = forward_part(both, last);
  build::verify(forward.module);
  EXPECT_EQ(loop_of(both).shape.tuple_shapes.size(), 4U);
  EXPECT_EQ(loop_of(forward.module).shape.tuple_shapes.size(), 3U);
  const Computation& body = forward.module.computations[std::size_t(loop_of(forward.module).called[1])];
  EXPECT_EQ(std::ranges::count(body.instructions, Opcode::dynamic_update_slice, &Instruction::opcode), 0);

  // The value is that of the whole program.
  const std::vector<Literal> arguments{testing::random_literal(make_shape(ElementType::f32, {8, 16}), 1),
                                       testing::random_literal(make_shape(ElementType::f32, {16, 16}), 2)};
  EXPECT_EQ(eval::evaluate(forward.module, arguments).elements[0].values,
            eval::evaluate(both, arguments).elements[0].values);
}

TEST(ForwardPart, LoopsKeepWhatIsRead) {
  const Module both = recurrent(true);
  const Computation& entry = both.entry_computation();
  EXPECT_EQ(loop_of(forward_part(both, entry[entry.root].operands).module).shape.tuple_shapes.size(), 4U);
}

}  // namespace
}  // namespace podsim::hlo::transform
