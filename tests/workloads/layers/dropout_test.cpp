// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/dropout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/gradient.h"
#include "hlo/transform/rematerialize.h"
#include "sw/driver/compile.h"
#include "tests/sw/target_machines.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads::layers {
namespace {

using hlo::InstructionId;
using hlo::Literal;

using Dropout = InstructionId (*)(hlo::build::GraphBuilder&, InstructionId, double);

/// The module of y = dropout(x) and of d sum(y g) / dx.
hlo::Module value_and_slope(Dropout dropout, const std::vector<std::int64_t>& sizes, double rate) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), "x");
  const InstructionId g = b.parameter(b.shape(x), "g");
  const InstructionId y = dropout(b, x, rate);
  std::vector<std::int64_t> all(sizes.size());
  std::iota(all.begin(), all.end(), 0);
  const InstructionId loss = b.reduce_add(b.multiply(y, g), all);
  const InstructionId slope = hlo::transform::gradients(b, loss, std::vector{x})[0];
  hlo::Module module = std::move(b).build(b.tuple({y, slope}));
  hlo::build::verify(module);
  return module;
}

/// Every element is 0 or x / (1 - rate), its slope the same of g, and as many are kept as a binomial law allows.
void expect_dropped(const hlo::Module& module, double rate) {
  const hlo::Shape& shape = module.entry_computation()[0].shape;
  const std::vector<Literal> arguments{hlo::testing::random_literal(shape, 1, 1, 2),
                                       hlo::testing::random_literal(shape, 2, 1, 2)};
  const Literal result = hlo::eval::evaluate(module, arguments);
  const auto& y = result.elements[0].values;
  const auto& slope = result.elements[1].values;
  double kept = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double factor = y[i] == 0 ? 0 : 1 / (1 - rate);
    EXPECT_NEAR(y[i], arguments[0].values[i] * factor, 1e-6);
    EXPECT_NEAR(slope[i], arguments[1].values[i] * factor, 1e-6);
    kept += y[i] == 0 ? 0 : 1;
  }
  const double count = double(y.size()), sigma = std::sqrt(count * rate * (1 - rate));
  EXPECT_NEAR(kept, count * (1 - rate), 5 * sigma);
}

TEST(Dropout, KeepsTheShareOfItsRateAndTheirSlopes) {
  for (const double rate : {0.1, 0.5}) {
    expect_dropped(value_and_slope(dropped, {3, 40, 50}, rate), rate);
    expect_dropped(value_and_slope(dropped_by_bits, {2, 3, 20, 64}, rate), rate);
    expect_dropped(value_and_slope(dropped_by_bits, {5, 200, 6}, rate), rate);  // words of two columns
    expect_dropped(value_and_slope(dropped_by_bits, {3, 200, 7}, rate), rate);  // and of one
  }
}

// Numbers that each reader drew again would keep other elements in the slope than in the value.
TEST(Dropout, DrawsItsMaskOnceHoweverItIsFused) {
  for (const Dropout dropout : {dropped, dropped_by_bits}) {
    const hlo::Module module = value_and_slope(dropout, {4, 64, 128}, 0.3);
    const hlo::Module fused = sw::driver::fused(module, sw::tpu_v3());
    expect_dropped(fused, 0.3);
    const auto& instructions = fused.entry_computation().instructions;
    EXPECT_EQ(std::ranges::count(instructions, hlo::Opcode::rng, &hlo::Instruction::opcode), 0) << "in a fusion";
  }
}

// [8,512,512] as bits: 8 x 512 x 512 / 8 bytes, which silicon stores as u32[.,512] words.
TEST(Dropout, BitsTakeAnEighthOfAByteEach) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {8, 512, 512}), "x");
  dropped_by_bits(b, x, 0.1);
  std::int64_t words = 0;
  for (InstructionId id = 0; id < b.size(); ++id) {
    if (b[id].opcode == hlo::Opcode::reduce) words += 4 * b.shape(id).element_count();
  }
  EXPECT_EQ(words, 8 * 512 * 512 / 8);
}

// A layer that is computed once more keeps the bits of its mask, not the numbers that they come from.
TEST(Dropout, ALayerThatIsComputedOnceMoreReadsItsBits) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {4, 64, 128}), "x");
  const InstructionId g = b.parameter(b.shape(x), "g");
  const InstructionId y = [&] {
    const hlo::build::GraphBuilder::Scope scope(b, "layer0");
    return dropped_by_bits(b, b.tanh(x), 0.3);
  }();
  const InstructionId loss = b.reduce_add(b.multiply(y, g), {0, 1, 2});
  const InstructionId slope = hlo::transform::gradients(b, loss, std::vector{x})[0];
  const hlo::Module module = std::move(b).build(b.tuple({y, slope}));
  const hlo::Module again = hlo::transform::rematerialise(module, hlo::transform::Rematerialisation::layer).module;
  const hlo::Module fused = sw::driver::fused(again, sw::tpu_v3());
  std::int64_t words = 0, elements = 0;
  for (const hlo::Instruction& op : fused.entry_computation().instructions) {
    const bool stores = op.opcode == hlo::Opcode::fusion || op.opcode == hlo::Opcode::rng;
    if (stores && op.shape.element_type == hlo::ElementType::u32) words += op.shape.element_count();
    if (stores && op.shape.element_type == hlo::ElementType::pred) elements += op.shape.element_count();
  }
  EXPECT_EQ(words, 4 * 64 * 128 / 32);
  EXPECT_EQ(elements, 0) << "the mask is not stored";
}

TEST(Dropout, DoesNothingAtARateOfZero) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {2, 2}), "x");
  EXPECT_EQ(dropped(b, x, 0), x);
  EXPECT_EQ(dropped_by_bits(b, x, 0), x);
}

}  // namespace
}  // namespace podsim::workloads::layers
