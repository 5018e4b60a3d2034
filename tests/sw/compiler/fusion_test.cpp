// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "sw/graph/evaluator.h"
#include "sw/graph/flops.h"
#include "sw/graph/graph_builder.h"
#include "tests/sw/compiler/random_module.h"

namespace podsim::sw {
namespace {

const ConvolutionDimensions kNhwc = convolution_dimensions("b01f_01io->b01f");

Literal random_literal(const Shape& shape, std::mt19937& random) {
  std::normal_distribution<double> normal;
  Literal literal{shape, std::vector<double>(std::size_t(shape.element_count())), {}};
  for (double& value : literal.values) value = round_to(shape.element_type, normal(random));
  return literal;
}

std::vector<Literal> random_arguments(const Module& module) {
  std::mt19937 random(7);
  std::vector<Literal> arguments;
  for (InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(random_literal(module.entry_computation()[id].shape, random));
  }
  return arguments;
}

void expect_same(const Literal& a, const Literal& b) {
  ASSERT_EQ(a.elements.size(), b.elements.size());
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(a.values, b.values);
  for (std::size_t i = 0; i < a.elements.size(); ++i) expect_same(a.elements[i], b.elements[i]);
}

void expect_same_values(const Module& module) {
  Module fused = fuse(module);
  ASSERT_NO_THROW(verify(fused));
  std::vector<Literal> arguments = random_arguments(module);
  expect_same(evaluate(fused, arguments), evaluate(module, arguments));
}

std::vector<const Instruction*> fusions(const Module& module) {
  std::vector<const Instruction*> found;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == Opcode::fusion) found.push_back(&instruction);
  }
  return found;
}

/// x -> relu(x * scale + shift), per feature.
InstructionId normalise(GraphBuilder& b, InstructionId x, InstructionId scale, InstructionId shift) {
  std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  InstructionId wide = b.convert(x, ElementType::f32);
  InstructionId y = b.add(b.multiply(wide, b.broadcast(scale, sizes, {3})), b.broadcast(shift, sizes, {3}));
  return b.convert(b.maximum(y, b.full_like(y, 0)), b.type(x));
}

InstructionId image(GraphBuilder& b, std::string name, std::int64_t channels) {
  return b.parameter(make_shape(ElementType::bf16, {2, 6, 6, channels}), std::move(name));
}

InstructionId vector_of(GraphBuilder& b, std::string name, std::int64_t size) {
  return b.parameter(make_shape(ElementType::f32, {size}), std::move(name));
}

InstructionId pointwise(GraphBuilder& b, InstructionId x, std::string name, std::int64_t channels) {
  InstructionId kernel = b.parameter(make_shape(ElementType::f32, {1, 1, b.shape(x).dimensions[3], channels}), name);
  return b.convolution(x, b.convert(kernel, ElementType::bf16), {{}, {}}, kNhwc);
}

TEST(Fusion, NormalisationIsRecomputedInTheNextConvolutionAndStatisticsJoinTheOneBefore) {
  GraphBuilder b("block");
  InstructionId x = image(b, "x", 16);
  InstructionId first = pointwise(b, x, "k1", 24);
  InstructionId wide = b.convert(first, ElementType::f32);
  InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  InstructionId second = pointwise(b, normalise(b, first, sum, squares), "k2", 16);
  Module module = std::move(b).build(second);
  Module fused = fuse(module);

  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->shape.tuple_shapes.size(), 3U) << "convolution, sum and sum of squares in one op";
  EXPECT_EQ(found[1]->fusion_kind, FusionKind::output);
  EXPECT_TRUE(std::ranges::any_of(found[1]->operands, [&](InstructionId operand) {
    return fused.entry_computation()[operand].shape == make_shape(ElementType::bf16, {2, 6, 6, 24});
  })) << "the second convolution reads the first one's raw output";
  expect_same_values(module);
}

TEST(Fusion, AResidualJoinThatManyOpsReadIsStoredOnce) {
  GraphBuilder b("join");
  InstructionId x = image(b, "x", 16);
  InstructionId y = image(b, "y", 16);
  InstructionId join = b.maximum(b.add(x, y), b.full_like(x, 0));
  std::vector<InstructionId> readers;
  for (int i = 0; i < 4; ++i) readers.push_back(pointwise(b, join, "k" + std::to_string(i), 16));
  Module module = std::move(b).build(b.tuple(readers));
  Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]->fusion_kind, FusionKind::loop);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  expect_same_values(module);
}

TEST(Fusion, AnElementwiseEpilogueStaysWithItsConvolution) {
  GraphBuilder b("epilogue");
  InstructionId x = image(b, "x", 16);
  InstructionId mask = image(b, "mask", 8);
  InstructionId y = pointwise(b, x, "k", 8);
  InstructionId zero = b.full_like(y, 0);
  InstructionId masked = b.select(b.compare(mask, zero, ComparisonDirection::gt), y, zero);
  Module module = std::move(b).build(masked);
  Module fused = fuse(module);
  EXPECT_EQ(fusions(fused).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, OfTwoConvolutionsThatMeetInASumTheLaterOneAdds) {
  GraphBuilder b("meet");
  InstructionId x = image(b, "x", 16);
  InstructionId sum = b.add(pointwise(b, x, "k1", 8), pointwise(b, x, "k2", 8));
  Module module = std::move(b).build(sum);
  Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  EXPECT_EQ(found[1]->operands.size(), 3U);
  expect_same_values(module);
}

TEST(Fusion, AReductionDoesNotJoinAFusionItsOtherInputsDependOn) {
  GraphBuilder b("cycle");
  InstructionId x = image(b, "x", 16);
  InstructionId y = pointwise(b, x, "k1", 16);
  InstructionId z = pointwise(b, y, "k2", 16);
  InstructionId both = b.reduce_add(b.convert(b.multiply(y, z), ElementType::f32), {0, 1, 2});
  Module module = std::move(b).build(b.tuple({y, z, both}));
  expect_same_values(module);
}

TEST(Fusion, MomentumAndWeightOfOneParameterAreUpdatedByOneOp) {
  GraphBuilder b("update");
  InstructionId weight = vector_of(b, "w", 4096);
  InstructionId momentum = vector_of(b, "m", 4096);
  InstructionId gradient = vector_of(b, "g", 4096);
  InstructionId new_momentum = b.add(b.multiply(momentum, b.full_like(momentum, 0.9)), gradient);
  InstructionId new_weight = b.subtract(weight, b.multiply(new_momentum, b.full_like(weight, 0.1)));
  Module module = std::move(b).build(b.tuple({new_weight, new_momentum}));
  EXPECT_EQ(fusions(fuse(module)).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, WhatASelectAndScatterReadsIsStoredAndRecomputedByReadersThatHaveItsInputs) {
  GraphBuilder b("pool");
  InstructionId x = image(b, "x", 16);
  InstructionId scaled = normalise(b, x, vector_of(b, "scale", 16), vector_of(b, "shift", 16));
  WindowDimension half{.size = 2, .stride = 2};
  std::vector<WindowDimension> window{{}, half, half, {}};
  InstructionId pooled = b.reduce_window_max(scaled, window);
  InstructionId scattered = b.select_and_scatter(scaled, pooled, b.constant(ElementType::bf16, 0), window,
                                                 b.comparator(ComparisonDirection::ge, ElementType::bf16),
                                                 b.combiner(Opcode::add, ElementType::bf16));
  // Reads x in any case, so that the scaled image costs it nothing but arithmetic.
  InstructionId both = b.reduce_add(b.convert(b.multiply(scaled, x), ElementType::f32), {0, 1, 2});
  Module module = std::move(b).build(b.tuple({scattered, both}));
  Module fused = fuse(module);
  const Computation& entry = fused.entry_computation();
  const Shape whole = make_shape(ElementType::bf16, {2, 6, 6, 16});
  auto reads = [&](const Instruction& reader, InstructionId value) {
    return std::ranges::find(reader.operands, value) != reader.operands.end();
  };
  for (const Instruction& instruction : entry.instructions) {
    if (instruction.opcode == Opcode::select_and_scatter) {
      EXPECT_FALSE(reads(instruction, entry.parameters[0])) << "the scaled image is in memory";
    }
    if (instruction.opcode == Opcode::fusion && instruction.shape == make_shape(ElementType::f32, {16})) {
      EXPECT_TRUE(reads(instruction, entry.parameters[0]));
      EXPECT_EQ(std::ranges::count_if(instruction.operands, [&](InstructionId i) { return entry[i].shape == whole; }),
                1);
    }
  }
  expect_same_values(module);
}

// y -> (y + sum(z)) would join y's fusion, but z's sum needs y.
TEST(Fusion, AGroupDoesNotTakeInWhatDependsOnItThroughAnotherGroup) {
  GraphBuilder b("through");
  InstructionId x = image(b, "x", 16);
  InstructionId y = pointwise(b, x, "k1", 16);
  InstructionId sum = b.reduce_add(b.convert(y, ElementType::f32), {0, 1, 2});
  InstructionId z = normalise(b, y, sum, sum);
  InstructionId product = b.multiply(z, y);
  InstructionId last = b.reduce_add(b.convert(product, ElementType::f32), {0, 1, 2});
  InstructionId end = normalise(b, product, last, sum);
  Module module = std::move(b).build(b.tuple({y, z, product, end, sum, last}));
  expect_same_values(module);
}

bool same_bits(const Literal& a, const Literal& b) {
  auto same = [](double x, double y) { return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y); };
  return std::ranges::equal(a.values, b.values, same) && std::ranges::equal(a.elements, b.elements, same_bits);
}

bool is_matmul(const Instruction& instruction) {
  return instruction.opcode == Opcode::convolution || instruction.opcode == Opcode::dot;
}

RC_GTEST_PROP(Fusion, AnyGraphFusedHasTheSameParametersAndTheSameResultsBitForBit, ()) {
  Module module = testing::RandomModule::make();
  Module fused = fuse(module);
  verify(fused);
  const Computation &before = module.entry_computation(), &after = fused.entry_computation();
  RC_ASSERT(after.parameters.size() == before.parameters.size());
  for (std::size_t i = 0; i < after.parameters.size(); ++i) {
    RC_ASSERT(after[after.parameters[i]].name == before[before.parameters[i]].name);
    RC_ASSERT(after[after.parameters[i]].shape == before[before.parameters[i]].shape);
  }
  std::vector<Literal> arguments = random_arguments(module);
  RC_ASSERT(same_bits(evaluate(fused, arguments), evaluate(module, arguments)));
}

RC_GTEST_PROP(Fusion, AnyGraphFusedMovesNoMoreBytesHasOneMatmulPerOpAndEveryMatmulOnce, ()) {
  Module module = testing::RandomModule::make();
  Module fused = fuse(module);
  std::int64_t matmuls = 0;
  for (const Instruction& instruction : fused.entry_computation().instructions) {
    if (instruction.opcode != Opcode::fusion) {
      matmuls += is_matmul(instruction) ? 1 : 0;
      continue;
    }
    std::int64_t here = std::ranges::count_if(fused.computations[instruction.called[0]].instructions, is_matmul);
    RC_ASSERT(here <= 1);
    RC_ASSERT((here == 1) == (instruction.fusion_kind == FusionKind::output));
    matmuls += here;
  }
  RC_ASSERT(matmuls == std::ranges::count_if(module.entry_computation().instructions, is_matmul));
  RC_ASSERT(cost(fused).bytes <= cost(module).bytes);
}

}  // namespace
}  // namespace podsim::sw
