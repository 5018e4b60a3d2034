// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/fusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "sw/ir/transform/flops.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::compiler::fuse {
namespace {

const ir::ConvolutionDimensions nhwc = ir::build::convolution_dimensions("b01f_01io->b01f");

ir::Literal random_literal(const ir::Shape& shape, std::mt19937& random) {
  std::normal_distribution<double> normal;
  ir::Literal literal{shape, std::vector<double>(std::size_t(shape.element_count())), {}};
  for (double& value : literal.values) value = ir::round_to(shape.element_type, normal(random));
  return literal;
}

std::vector<ir::Literal> random_arguments(const ir::Module& module) {
  std::mt19937 random(7);
  std::vector<ir::Literal> arguments;
  for (ir::InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(random_literal(module.entry_computation()[id].shape, random));
  }
  return arguments;
}

void expect_same(const ir::Literal& a, const ir::Literal& b) {
  ASSERT_EQ(a.elements.size(), b.elements.size());
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(a.values, b.values);
  for (std::size_t i = 0; i < a.elements.size(); ++i) expect_same(a.elements[i], b.elements[i]);
}

void expect_same_values(const ir::Module& module) {
  ir::Module fused = fuse(module);
  ASSERT_NO_THROW(ir::build::verify(fused));
  std::vector<ir::Literal> arguments = random_arguments(module);
  expect_same(ir::eval::evaluate(fused, arguments), ir::eval::evaluate(module, arguments));
}

std::vector<const ir::Instruction*> fusions(const ir::Module& module) {
  std::vector<const ir::Instruction*> found;
  for (const ir::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == ir::Opcode::fusion) found.push_back(&instruction);
  }
  return found;
}

/// x -> relu(x * scale + shift), per feature.
ir::InstructionId normalise(ir::build::GraphBuilder& b, ir::InstructionId x, ir::InstructionId scale,
                            ir::InstructionId shift) {
  std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  ir::InstructionId wide = b.convert(x, ir::ElementType::f32);
  ir::InstructionId y = b.add(b.multiply(wide, b.broadcast(scale, sizes, {3})), b.broadcast(shift, sizes, {3}));
  return b.convert(b.maximum(y, b.full_like(y, 0)), b.type(x));
}

ir::InstructionId image(ir::build::GraphBuilder& b, std::string name, std::int64_t channels) {
  return b.parameter(ir::make_shape(ir::ElementType::bf16, {2, 6, 6, channels}), std::move(name));
}

ir::InstructionId vector_of(ir::build::GraphBuilder& b, std::string name, std::int64_t size) {
  return b.parameter(ir::make_shape(ir::ElementType::f32, {size}), std::move(name));
}

ir::InstructionId pointwise(ir::build::GraphBuilder& b, ir::InstructionId x, std::string name, std::int64_t channels) {
  ir::InstructionId kernel =
      b.parameter(ir::make_shape(ir::ElementType::f32, {1, 1, b.shape(x).dimensions[3], channels}), name);
  return b.convolution(x, b.convert(kernel, ir::ElementType::bf16), {{}, {}}, nhwc);
}

TEST(Fusion, NormalisationIsRecomputedInTheNextConvolutionAndStatisticsJoinTheOneBefore) {
  ir::build::GraphBuilder b("block");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId first = pointwise(b, x, "k1", 24);
  ir::InstructionId wide = b.convert(first, ir::ElementType::f32);
  ir::InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  ir::InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  ir::InstructionId second = pointwise(b, normalise(b, first, sum, squares), "k2", 16);
  ir::Module module = std::move(b).build(second);
  ir::Module fused = fuse(module);

  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->shape.tuple_shapes.size(), 3U) << "convolution, sum and sum of squares in one op";
  EXPECT_EQ(found[1]->fusion_kind, ir::FusionKind::output);
  EXPECT_TRUE(std::ranges::any_of(found[1]->operands, [&](ir::InstructionId operand) {
    return fused.entry_computation()[operand].shape == ir::make_shape(ir::ElementType::bf16, {2, 6, 6, 24});
  })) << "the second convolution reads the first one's raw output";
  expect_same_values(module);
}

TEST(Fusion, AResidualJoinThatManyOpsReadIsStoredOnce) {
  ir::build::GraphBuilder b("join");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId y = image(b, "y", 16);
  ir::InstructionId join = b.maximum(b.add(x, y), b.full_like(x, 0));
  std::vector<ir::InstructionId> readers;
  for (int i = 0; i < 4; ++i) readers.push_back(pointwise(b, join, "k" + std::to_string(i), 16));
  ir::Module module = std::move(b).build(b.tuple(readers));
  ir::Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]->fusion_kind, ir::FusionKind::loop);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  expect_same_values(module);
}

TEST(Fusion, AnElementwiseEpilogueStaysWithItsConvolution) {
  ir::build::GraphBuilder b("epilogue");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId mask = image(b, "mask", 8);
  ir::InstructionId y = pointwise(b, x, "k", 8);
  ir::InstructionId zero = b.full_like(y, 0);
  ir::InstructionId masked = b.select(b.compare(mask, zero, ir::ComparisonDirection::gt), y, zero);
  ir::Module module = std::move(b).build(masked);
  ir::Module fused = fuse(module);
  EXPECT_EQ(fusions(fused).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, OfTwoConvolutionsThatMeetInASumTheLaterOneAdds) {
  ir::build::GraphBuilder b("meet");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId sum = b.add(pointwise(b, x, "k1", 8), pointwise(b, x, "k2", 8));
  ir::Module module = std::move(b).build(sum);
  ir::Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  EXPECT_EQ(found[1]->operands.size(), 3U);
  expect_same_values(module);
}

std::int64_t bytes_moved(const ir::Module& fused) {
  const ir::Computation& entry = fused.entry_computation();
  std::int64_t bytes = 0;
  for (ir::InstructionId id = 0; id < ir::InstructionId(entry.instructions.size()); ++id) {
    if (entry[id].opcode == ir::Opcode::fusion || entry[id].opcode == ir::Opcode::reduce) {
      bytes += ir::transform::cost(fused, entry, id).bytes.value();
    }
  }
  return bytes;
}

TEST(Fusion, ASoftmaxReadsItsInputForItsMaximaForItsSumsAndForItsResult) {
  ir::build::GraphBuilder b("softmax");
  const std::vector<std::int64_t> sizes{2048, 1024};
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, sizes), "x");
  ir::InstructionId power = b.exponential(b.subtract(x, b.broadcast(b.reduce_max(x, {1}), sizes, {0})));
  ir::InstructionId sum = b.broadcast(b.reduce_add(power, {1}), sizes, {0});
  ir::Module module = std::move(b).build(b.divide(power, sum));
  const ir::Module fused = fuse(module);
  // Three reads and a write of the array; the maxima are written once and read twice, the sums once each.
  const std::int64_t array = 2048 * 1024 * 4, vector = 2048 * 4;
  EXPECT_EQ(bytes_moved(fused), 4 * array + 5 * vector);
}

// The norm of the weights is that which the op of the step before took of what it wrote.
TEST(Fusion, TheNormOfAParameterStaysWithTheUpdateThatNeedsIt) {
  ir::build::GraphBuilder b("norm");
  ir::InstructionId w = b.parameter(ir::make_shape(ir::ElementType::f32, {256, 128}), "w");
  ir::InstructionId norm = b.reduce_add(b.multiply(w, w), {0, 1});
  ir::Module module = std::move(b).build(b.multiply(w, b.broadcast(b.rsqrt(norm), {256, 128}, {})));
  EXPECT_EQ(fusions(fuse(module)).size(), 1U);
}

TEST(Fusion, TheSumOfAllElementsOfAComputedValueIsKnownOnlyAfterTheOp) {
  ir::build::GraphBuilder b("scaled_by_norm");
  const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {256, 128});
  const ir::InstructionId w = b.parameter(shape, "w"), g = b.parameter(shape, "g");
  const ir::InstructionId direction = b.add(g, b.tanh(w));
  const ir::InstructionId norm = b.reduce_add(b.multiply(direction, direction), {0, 1});
  const ir::Module module = std::move(b).build(b.multiply(direction, b.broadcast(b.rsqrt(norm), {256, 128}, {})));
  const ir::Module fused = fuse(module);
  // Both ops read w and g; the second writes an array.
  EXPECT_EQ(bytes_moved(fused), 5 * 256 * 128 * 4 + 2 * 4);
  expect_same_values(module);
}

/// Adds rows [4,8] at places s32[4,1] to an array [1000,8].
ir::InstructionId scattered(ir::build::GraphBuilder& b, ir::InstructionId table) {
  const ir::InstructionId places = b.iota(ir::make_shape(ir::ElementType::s32, {4, 1}), 0);
  const ir::InstructionId rows = b.parameter(ir::make_shape(ir::ElementType::f32, {4, 8}), "rows");
  return b.scatter(table, places, rows, {{1}, {0}, {0}, {}, {}, 1}, b.combiner(ir::Opcode::add, ir::ElementType::f32));
}

TEST(Fusion, AScatterFillsTheArrayThatItAddsTo) {
  const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {1000, 8});
  ir::build::GraphBuilder b("filled");
  const ir::Module module = std::move(b).build(scattered(b, b.full(shape, 2)));
  const ir::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.back()->fusion_kind, ir::FusionKind::custom);
  EXPECT_EQ(found.back()->shape, shape);
  expect_same_values(module);
}

TEST(Fusion, AScatterReadsAStoredArrayIfThatIsComputed) {
  ir::build::GraphBuilder b("computed");
  const ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {1000, 8}), "x");
  const ir::Module module = std::move(b).build(scattered(b, b.tanh(x)));
  const ir::Module fused = fuse(module);
  EXPECT_EQ(fused.entry_computation()[fused.entry_computation().root].opcode, ir::Opcode::scatter);
  expect_same_values(module);
}

TEST(Fusion, AReshapeThatMovesElementsIsAnOpOfItsOwn) {
  const auto ops = [](std::vector<std::int64_t> to) {
    ir::build::GraphBuilder b("reshaped");
    const ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::f32, {16, 8, 256}), "x");
    const ir::Module module = std::move(b).build(b.tanh(b.reshape(b.exponential(x), std::move(to))));
    expect_same_values(module);
    const ir::Module fused = fuse(module);
    return std::ranges::count_if(fused.entry_computation().instructions,
                                 [](const ir::Instruction& i) { return i.opcode != ir::Opcode::parameter; });
  };
  EXPECT_EQ(ops({128, 256}), 1) << "eight rows are a tile";
  EXPECT_EQ(ops({16, 8, 4, 64}), 3) << "the lanes become shorter rows";
}

TEST(Fusion, AValueThatIsReadInSlicesIsStoredOnce) {
  ir::build::GraphBuilder b("slices");
  const std::int64_t rows = 4096, columns = 128, parts = 4;
  const ir::Shape shape = ir::make_shape(ir::ElementType::f32, {rows, columns});
  const ir::InstructionId value =
      b.add(b.exponential(b.parameter(shape, "x")), b.multiply(b.parameter(shape, "y"), b.parameter(shape, "z")));
  std::vector<ir::InstructionId> results;
  for (std::int64_t i = 0; i < parts; ++i) {
    const ir::InstructionId part = b.slice(value, {{i * rows / parts, (i + 1) * rows / parts}, {0, columns}});
    results.push_back(b.tanh(part));
    results.back() = b.all_reduce(results.back());
  }
  const ir::Module module = std::move(b).build(b.tuple(results));
  const ir::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), std::size_t(parts) + 1);
  EXPECT_EQ(found.front()->operands.size(), 3U);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i]->operands.size(), 1U);
}

TEST(Fusion, AllFactorsOfAnActivationsGradientAreInTheOpOfTheProductBeforeIt) {
  ir::build::GraphBuilder b("diamond");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId h = image(b, "h", 8);
  ir::InstructionId g = pointwise(b, x, "k", 8);
  ir::InstructionId slope = b.add(b.multiply(g, b.tanh(h)), b.multiply(b.multiply(g, h), b.exponential(h)));
  ir::InstructionId next = pointwise(b, slope, "k2", 16), other = pointwise(b, slope, "k3", 16);
  ir::Module module = std::move(b).build(b.tuple({next, other}));
  const ir::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0]->operands.size(), 3U) << "x, h and the kernel";
  EXPECT_FALSE(found[0]->shape.is_tuple());
  expect_same_values(module);
}

TEST(Fusion, AResultThatIsWidenedForAnAllReduceIsStoredWideAlone) {
  ir::build::GraphBuilder b("gradient");
  ir::InstructionId x = b.parameter(ir::make_shape(ir::ElementType::bf16, {32, 64}), "x");
  ir::InstructionId g = b.parameter(ir::make_shape(ir::ElementType::bf16, {32, 128}), "g");
  ir::InstructionId product = b.convert(b.dot(x, g, {{}, {}, {0}, {0}}), ir::ElementType::f32);
  const ir::Module fused = fuse(std::move(b).build(b.all_reduce(product)));
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->shape, ir::make_shape(ir::ElementType::f32, {64, 128}));
}

/// The softmax of a product of bf16 in f32, with a mask of places or an array of f32 added first.
ir::Module softmax_of_product(bool has_mask) {
  ir::build::GraphBuilder b("scores");
  const std::vector<std::int64_t> sizes{512, 1024};
  const ir::InstructionId q = b.parameter(ir::make_shape(ir::ElementType::bf16, {512, 64}), "q");
  const ir::InstructionId k = b.parameter(ir::make_shape(ir::ElementType::bf16, {1024, 64}), "k");
  ir::InstructionId scores = b.convert(b.dot(q, k, {{}, {}, {1}, {1}}), ir::ElementType::f32);
  scores = b.multiply(scores, b.full_like(scores, 0.125));
  if (has_mask) {
    const ir::Shape places = ir::make_shape(ir::ElementType::s32, sizes);
    const ir::InstructionId allowed = b.compare(b.iota(places, 0), b.iota(places, 1), ir::ComparisonDirection::ge);
    scores = b.select(allowed, scores, b.full_like(scores, -1e9));
  } else {
    scores = b.add(scores, b.parameter(ir::make_shape(ir::ElementType::f32, sizes), "distances"));
  }
  const ir::InstructionId power = b.exponential(b.subtract(scores, b.broadcast(b.reduce_max(scores, {1}), sizes, {0})));
  const ir::InstructionId sum = b.broadcast(b.reduce_add(power, {1}), sizes, {0});
  return std::move(b).build(b.convert(b.divide(power, sum), ir::ElementType::bf16));
}

// TPU v3 stores the scores of BERT's attention in bf16, together with their maxima.
TEST(Fusion, ScoresThatAreScaledAndMaskedInWiderNumbersAreStoredAsTheProductMakesThem) {
  const ir::Module module = softmax_of_product(true);
  const ir::Module fused = fuse(module);
  const auto found = fusions(fused);
  // The product and maxima; sums; quotients. Narrow scores are written once, read twice, and the result is as narrow.
  ASSERT_EQ(found.size(), 3U);
  const std::int64_t operands = (512 + 1024) * 128 * 2, array = 512 * 1024 * 2, vector = 512 * 4;
  EXPECT_EQ(bytes_moved(fused), operands + 4 * array + 5 * vector);
  expect_same_values(module);
}

TEST(Fusion, WhatIsAddedToAnotherLargeArrayAfterItIsWidenedIsStoredWide) {
  const ir::Module module = softmax_of_product(false);
  const ir::Module fused = fuse(module);
  ASSERT_EQ(fusions(fused).size(), 3U);
  const std::int64_t operands = (512 + 1024) * 128 * 2, array = 512 * 1024 * 4, vector = 512 * 4;
  EXPECT_EQ(bytes_moved(fused), operands + array + 3 * array + array / 2 + 5 * vector);
  expect_same_values(module);
}

TEST(Fusion, AReductionDoesNotJoinAFusionItsOtherInputsDependOn) {
  ir::build::GraphBuilder b("cycle");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId y = pointwise(b, x, "k1", 16);
  ir::InstructionId z = pointwise(b, y, "k2", 16);
  ir::InstructionId both = b.reduce_add(b.convert(b.multiply(y, z), ir::ElementType::f32), {0, 1, 2});
  ir::Module module = std::move(b).build(b.tuple({y, z, both}));
  expect_same_values(module);
}

TEST(Fusion, MomentumAndWeightOfOneParameterAreUpdatedByOneOp) {
  ir::build::GraphBuilder b("update");
  ir::InstructionId weight = vector_of(b, "w", 4096);
  ir::InstructionId momentum = vector_of(b, "m", 4096);
  ir::InstructionId gradient = vector_of(b, "g", 4096);
  ir::InstructionId new_momentum = b.add(b.multiply(momentum, b.full_like(momentum, 0.9)), gradient);
  ir::InstructionId new_weight = b.subtract(weight, b.multiply(new_momentum, b.full_like(weight, 0.1)));
  ir::Module module = std::move(b).build(b.tuple({new_weight, new_momentum}));
  EXPECT_EQ(fusions(fuse(module)).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, WhatASelectAndScatterReadsIsStoredAndRecomputedByReadersThatHaveItsInputs) {
  ir::build::GraphBuilder b("pool");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId scaled = normalise(b, x, vector_of(b, "scale", 16), vector_of(b, "shift", 16));
  ir::WindowDimension half{.size = 2, .stride = 2};
  std::vector<ir::WindowDimension> window{{}, half, half, {}};
  ir::InstructionId pooled = b.reduce_window_max(scaled, window);
  ir::InstructionId scattered = b.select_and_scatter(scaled, pooled, b.constant(ir::ElementType::bf16, 0), window,
                                                     b.comparator(ir::ComparisonDirection::ge, ir::ElementType::bf16),
                                                     b.combiner(ir::Opcode::add, ir::ElementType::bf16));
  // Reads x anyway, so that the scaled image costs only arithmetic.
  ir::InstructionId both = b.reduce_add(b.convert(b.multiply(scaled, x), ir::ElementType::f32), {0, 1, 2});
  ir::Module module = std::move(b).build(b.tuple({scattered, both}));
  ir::Module fused = fuse(module);
  const ir::Computation& entry = fused.entry_computation();
  const ir::Shape whole = ir::make_shape(ir::ElementType::bf16, {2, 6, 6, 16});
  auto reads = [&](const ir::Instruction& reader, ir::InstructionId value) {
    return std::ranges::find(reader.operands, value) != reader.operands.end();
  };
  for (const ir::Instruction& instruction : entry.instructions) {
    if (instruction.opcode == ir::Opcode::select_and_scatter) {
      EXPECT_FALSE(reads(instruction, entry.parameters[0])) << "the scaled image is in memory";
    }
    if (instruction.opcode == ir::Opcode::fusion && instruction.shape == ir::make_shape(ir::ElementType::f32, {16})) {
      EXPECT_TRUE(reads(instruction, entry.parameters[0]));
      EXPECT_EQ(
          std::ranges::count_if(instruction.operands, [&](ir::InstructionId i) { return entry[i].shape == whole; }), 1);
    }
  }
  expect_same_values(module);
}

// y -> (y + sum(z)) would join y's fusion, but z's sum needs y.
TEST(Fusion, AGroupDoesNotTakeInWhatDependsOnItThroughAnotherGroup) {
  ir::build::GraphBuilder b("through");
  ir::InstructionId x = image(b, "x", 16);
  ir::InstructionId y = pointwise(b, x, "k1", 16);
  ir::InstructionId sum = b.reduce_add(b.convert(y, ir::ElementType::f32), {0, 1, 2});
  ir::InstructionId z = normalise(b, y, sum, sum);
  ir::InstructionId product = b.multiply(z, y);
  ir::InstructionId last = b.reduce_add(b.convert(product, ir::ElementType::f32), {0, 1, 2});
  ir::InstructionId end = normalise(b, product, last, sum);
  ir::Module module = std::move(b).build(b.tuple({y, z, product, end, sum, last}));
  expect_same_values(module);
}

bool is_matmul(const ir::Instruction& instruction) {
  return instruction.opcode == ir::Opcode::convolution || instruction.opcode == ir::Opcode::dot;
}

RC_GTEST_PROP(Fusion, AnyGraphFusedHasTheSameParametersAndTheSameResultsBitForBit, ()) {
  ir::Module module = testing::RandomModule::make();
  ir::Module fused = fuse(module);
  ir::build::verify(fused);
  const ir::Computation &before = module.entry_computation(), &after = fused.entry_computation();
  RC_ASSERT(after.parameters.size() == before.parameters.size());
  for (std::size_t i = 0; i < after.parameters.size(); ++i) {
    RC_ASSERT(after[after.parameters[i]].name == before[before.parameters[i]].name);
    RC_ASSERT(after[after.parameters[i]].shape == before[before.parameters[i]].shape);
  }
  std::vector<ir::Literal> arguments = random_arguments(module);
  RC_ASSERT(ir::testing::same_bits(ir::eval::evaluate(fused, arguments), ir::eval::evaluate(module, arguments)));
}

RC_GTEST_PROP(Fusion, AnyGraphFusedMovesNoMoreBytesHasOneMatmulPerOpAndEveryMatmulOnce, ()) {
  ir::Module module = testing::RandomModule::make();
  ir::Module fused = fuse(module);
  std::int64_t matmuls = 0;
  for (const ir::Instruction& instruction : fused.entry_computation().instructions) {
    if (instruction.opcode != ir::Opcode::fusion) {
      matmuls += is_matmul(instruction) ? 1 : 0;
      continue;
    }
    std::int64_t here = std::ranges::count_if(fused.computations[instruction.called[0]].instructions, is_matmul);
    RC_ASSERT(here <= 1);
    RC_ASSERT((here == 1) == (instruction.fusion_kind == ir::FusionKind::output));
    matmuls += here;
  }
  RC_ASSERT(matmuls == std::ranges::count_if(module.entry_computation().instructions, is_matmul));
  RC_ASSERT(ir::transform::cost(fused).bytes <= ir::transform::cost(module).bytes);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
