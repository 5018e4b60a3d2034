// SPDX-License-Identifier: Apache-2.0
#include "sw/ir/transform/forward_part.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/transform/flops.h"
#include "sw/ir/transform/gradient.h"

namespace podsim::sw::ir::transform {
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
  const std::optional<Module> forward = forward_part(step.module, step.donations);
  ASSERT_TRUE(forward);
  build::verify(*forward);
  const Computation& entry = forward->entry_computation();
  EXPECT_EQ(entry[entry.root].shape.tuple_shapes.size(), 1U);
  EXPECT_FALSE(has(*forward, Opcode::all_reduce));
  EXPECT_TRUE(has(step.module, Opcode::all_reduce));
  EXPECT_EQ(std::ranges::count(entry.instructions, Opcode::dot, &Instruction::opcode), 1);
  EXPECT_EQ(std::ranges::count(step.module.entry_computation().instructions, Opcode::dot, &Instruction::opcode), 2);
  EXPECT_EQ(entry.parameters.size(), 2U);
}

TEST(ForwardPart, IsUnknownWhereNothingTellsTheLoss) {
  const Step without_loss = step_of(false), step = step_of(true);
  EXPECT_FALSE(forward_part(without_loss.module, without_loss.donations));
  EXPECT_FALSE(forward_part(step.module, {}));
}

}  // namespace
}  // namespace podsim::sw::ir::transform
