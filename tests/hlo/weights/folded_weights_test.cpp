// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/folded_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::weights {
namespace {

constexpr ElementType f32 = ElementType::f32;

bool has(const Module& module, Opcode opcode) {
  const std::vector<Instruction>& entry = module.entry_computation().instructions;
  return std::ranges::find(entry, opcode, &Instruction::opcode) != entry.end();
}

/// y = x (w - mean of w) + bias, with the mean of each column.
Module centred(bool reads_weight_too) {
  build::GraphBuilder b("centred");
  const InstructionId x = b.parameter(make_shape(f32, {3, 4}), "x"), w = b.parameter(make_shape(f32, {4, 5}), "w"),
                      bias = b.parameter(make_shape(f32, {5}), "bias");
  const InstructionId mean = b.multiply(b.reduce_add(w, {0}), b.full(make_shape(f32, {5}), 0.25));
  const InstructionId own = b.subtract(w, b.broadcast(mean, {4, 5}, {1}));
  InstructionId y = b.dot(x, own, {{}, {}, {1}, {0}});
  if (reads_weight_too) y = b.add(y, b.dot(x, w, {{}, {}, {1}, {0}}));
  return std::move(b).build(b.add(y, b.broadcast(bias, {3, 5}, {1})));
}

TEST(FoldedWeights, HoldWhatIsComputedFromWeightsAlone) {
  const Module module = centred(false);
  const std::vector<std::int64_t> weights{1, 2};
  const FoldedWeights folded = with_folded_weights(module, weights);
  build::verify(folded.module);
  EXPECT_EQ(folded.parameters, (std::vector<std::int64_t>{0, 2, -1}));
  EXPECT_FALSE(has(folded.module, Opcode::reduce));
  EXPECT_FALSE(has(folded.module, Opcode::subtract));
  const Computation& entry = folded.module.entry_computation();
  EXPECT_EQ(entry[entry.parameters[2]].name, "w/folded");
  const Literal x = testing::random_literal(make_shape(f32, {3, 4}), 1),
                w = testing::random_literal(make_shape(f32, {4, 5}), 2),
                bias = testing::random_literal(make_shape(f32, {5}), 3);
  Literal centre = w;
  for (std::size_t column = 0; column < 5; ++column) {
    double mean = 0;
    for (std::size_t row = 0; row < 4; ++row) mean += w.values[row * 5 + column] / 4;
    for (std::size_t row = 0; row < 4; ++row) {
      double& value = centre.values[row * 5 + column];
      value = round_to(f32, value - mean);
    }
  }
  testing::expect_near(eval::evaluate(folded.module, std::vector{x, bias, centre}),
                       eval::evaluate(module, std::vector{x, w, bias}), 1e-5, 1e-5);
}

TEST(FoldedWeights, KeepArraysThatAreReadAsTheyAre) {
  const Module module = centred(true);
  const std::vector<std::int64_t> weights{1, 2};
  const FoldedWeights folded = with_folded_weights(module, weights);
  EXPECT_EQ(folded.parameters, (std::vector<std::int64_t>{0, 1, 2}));
  EXPECT_TRUE(has(folded.module, Opcode::subtract));
}

// Positions times 2 have as many elements as the table of positions, their outer sum with another has more.
TEST(FoldedWeights, KeepWhatHasMoreElementsThanItsWeights) {
  build::GraphBuilder b("sum");
  const InstructionId x = b.parameter(make_shape(f32, {6, 6}), "x"), u = b.parameter(make_shape(f32, {6}), "u"),
                      v = b.parameter(make_shape(f32, {6}), "v");
  const InstructionId sum = b.add(b.broadcast(b.tanh(u), {6, 6}, {0}), b.broadcast(v, {6, 6}, {1}));
  const Module module = std::move(b).build(b.add(x, sum));
  const std::vector<std::int64_t> weights{1, 2};
  const FoldedWeights folded = with_folded_weights(module, weights);
  EXPECT_FALSE(has(folded.module, Opcode::tanh));
  EXPECT_EQ(std::ranges::count(folded.module.entry_computation().instructions, Opcode::add, &Instruction::opcode), 2);
  EXPECT_EQ(folded.parameters, (std::vector<std::int64_t>{0, 2, -1}));
}

TEST(FoldedWeights, LeaveProgramsWithoutAnyAsTheyAre) {
  build::GraphBuilder b("plain");
  const InstructionId x = b.parameter(make_shape(f32, {3, 4}), "x"), w = b.parameter(make_shape(f32, {4, 5}), "w");
  const InstructionId y = b.dot(x, b.convert(w, ElementType::bf16), {{}, {}, {1}, {0}});
  const Module module = std::move(b).build(y);
  const std::vector<std::int64_t> weights{1};
  const FoldedWeights folded = with_folded_weights(module, weights);
  EXPECT_EQ(to_string(folded.module), to_string(module));
  EXPECT_EQ(folded.parameters, (std::vector<std::int64_t>{0, 1}));
}

}  // namespace
}  // namespace podsim::hlo::weights
