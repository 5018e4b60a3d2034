// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/rematerialize.h"

#include <gtest/gtest.h>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/transform/residual_network.h"

namespace podsim::hlo::transform {
namespace {

using testing::ResidualNetwork;
using testing::rewritten;
using testing::training;

std::int64_t count(const Module& module, Opcode opcode) {
  return std::ranges::count(module.entry_computation().instructions, opcode, &Instruction::opcode);
}

TEST(Rematerialise, FindsTheLayerOfAName) {
  EXPECT_EQ(layer_of("encoder/layer3/attention/query"), "encoder/layer3");
  EXPECT_EQ(layer_of("gradients/layer1/block0/conv1"), "layer1/block0");
  EXPECT_EQ(layer_of("head/layers"), "");
  EXPECT_EQ(layer_of("layer12"), "layer12");
  EXPECT_EQ(layer_of(""), "");
}

TEST(Rematerialise, ComputesTheSameBits) {
  const Module module = training({});
  std::vector<Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(testing::random_literal(module.entry_computation()[id].shape, unsigned(arguments.size())));
  }
  const Literal expected = eval::evaluate(module, arguments);
  for (const auto policy : {Rematerialisation::dots, Rematerialisation::layer}) {
    const Module again = rematerialise(module, policy).module;
    build::verify(again);
    const Literal actual = eval::evaluate(again, arguments);
    for (std::size_t i = 0; i < expected.elements.size(); ++i) {
      EXPECT_TRUE(same_values(actual.elements[i], expected.elements[i])) << to_string(policy) << " " << i;
    }
  }
}

// A layer's backward part reads x, tanh(x w) and, for the slope, tanh(x w) again; not the second dot's result.
TEST(Rematerialise, ComputesOnceMoreWhatThePolicyDoesNotKeep) {
  const ResidualNetwork n;
  const Module module = training(n);
  const double dot = 2.0 * double(n.rows * n.width * n.hidden);
  const RematerialisedModule dots = rematerialise(module, Rematerialisation::dots);
  EXPECT_EQ(dots.instructions, n.layers) << "the tanh of every layer";
  EXPECT_EQ(dots.flops, 0) << "which XLA counts apart";
  const RematerialisedModule layer = rematerialise(module, Rematerialisation::layer);
  EXPECT_EQ(layer.instructions, 2 * n.layers);
  EXPECT_EQ(layer.flops, dot * double(n.layers));
  EXPECT_EQ(count(layer.module, Opcode::dot), count(module, Opcode::dot) + n.layers);
  for (const Instruction& instruction : layer.module.entry_computation().instructions) {
    if (instruction.name.ends_with(".remat")) {
      EXPECT_TRUE(instruction.op_name.starts_with("rematerialised/layer")) << instruction.op_name;
    }
  }
}

TEST(Rematerialise, WhatIsComputedOnceMoreSurvivesARewrite) {
  const Module module = rematerialise(training({}), Rematerialisation::layer).module;
  EXPECT_EQ(count(rewritten(module), Opcode::dot), count(module, Opcode::dot));
  EXPECT_EQ(count(rewritten(module), Opcode::tanh), count(module, Opcode::tanh));
}

// Otherwise a later pass could move the recomputation to where its memory is still in use.
TEST(Rematerialise, NothingIsComputedOnceMoreBeforeTheGradientArrives) {
  const Module module = rematerialise(training({}), Rematerialisation::layer).module;
  const Computation& entry = module.entry_computation();
  std::vector<bool> after_gradients;
  for (const Instruction& instruction : entry.instructions) {
    const bool follows =
        std::ranges::any_of(instruction.operands, [&](InstructionId id) { return after_gradients[std::size_t(id)]; });
    after_gradients.push_back(follows || instruction.op_name.starts_with("gradients/"));
    if (instruction.name.ends_with(".remat")) {
      EXPECT_TRUE(follows) << instruction.name;
    }
  }
}

}  // namespace
}  // namespace podsim::hlo::transform
