// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/fusion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/transform/flops.h"
#include "tests/hlo/literals.h"
#include "tests/sw/compiler/random_module.h"

namespace podsim::sw::compiler::fuse {
namespace {

const hlo::ConvolutionDimensions nhwc = hlo::build::convolution_dimensions("b01f_01io->b01f");

hlo::Literal random_literal(const hlo::Shape& shape, std::mt19937& random) {
  std::normal_distribution<double> normal;
  hlo::Literal literal{shape, std::vector<double>(std::size_t(shape.element_count())), {}};
  for (double& value : literal.values) value = hlo::round_to(shape.element_type, normal(random));
  return literal;
}

std::vector<hlo::Literal> random_arguments(const hlo::Module& module) {
  std::mt19937 random(7);
  std::vector<hlo::Literal> arguments;
  for (hlo::InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(random_literal(module.entry_computation()[id].shape, random));
  }
  return arguments;
}

void expect_same(const hlo::Literal& a, const hlo::Literal& b) {
  ASSERT_EQ(a.elements.size(), b.elements.size());
  ASSERT_EQ(a.values.size(), b.values.size());
  EXPECT_EQ(a.values, b.values);
  for (std::size_t i = 0; i < a.elements.size(); ++i) expect_same(a.elements[i], b.elements[i]);
}

void expect_same_values(const hlo::Module& module) {
  hlo::Module fused = fuse(module);
  ASSERT_NO_THROW(hlo::build::verify(fused));
  std::vector<hlo::Literal> arguments = random_arguments(module);
  expect_same(hlo::eval::evaluate(fused, arguments), hlo::eval::evaluate(module, arguments));
}

std::vector<const hlo::Instruction*> fusions(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> found;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == hlo::Opcode::fusion) found.push_back(&instruction);
  }
  return found;
}

/// x -> relu(x * scale + shift), per feature.
hlo::InstructionId normalise(hlo::build::GraphBuilder& b, hlo::InstructionId x, hlo::InstructionId scale,
                             hlo::InstructionId shift) {
  std::vector<std::int64_t> sizes = b.shape(x).dimensions;
  hlo::InstructionId wide = b.convert(x, hlo::ElementType::f32);
  hlo::InstructionId y = b.add(b.multiply(wide, b.broadcast(scale, sizes, {3})), b.broadcast(shift, sizes, {3}));
  return b.convert(b.maximum(y, b.full_like(y, 0)), b.type(x));
}

hlo::InstructionId image(hlo::build::GraphBuilder& b, std::string name, std::int64_t channels) {
  return b.parameter(hlo::make_shape(hlo::ElementType::bf16, {2, 6, 6, channels}), std::move(name));
}

hlo::InstructionId vector_of(hlo::build::GraphBuilder& b, std::string name, std::int64_t size) {
  return b.parameter(hlo::make_shape(hlo::ElementType::f32, {size}), std::move(name));
}

hlo::InstructionId pointwise(hlo::build::GraphBuilder& b, hlo::InstructionId x, std::string name,
                             std::int64_t channels) {
  hlo::InstructionId kernel =
      b.parameter(hlo::make_shape(hlo::ElementType::f32, {1, 1, b.shape(x).dimensions[3], channels}), name);
  return b.convolution(x, b.convert(kernel, hlo::ElementType::bf16), {{}, {}}, nhwc);
}

TEST(Fusion, NormalisationIsRecomputedInTheNextConvolutionAndStatisticsJoinTheOneBefore) {
  hlo::build::GraphBuilder b("block");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId first = pointwise(b, x, "k1", 24);
  hlo::InstructionId wide = b.convert(first, hlo::ElementType::f32);
  hlo::InstructionId sum = b.reduce_add(wide, {0, 1, 2});
  hlo::InstructionId squares = b.reduce_add(b.multiply(wide, wide), {0, 1, 2});
  hlo::InstructionId second = pointwise(b, normalise(b, first, sum, squares), "k2", 16);
  hlo::Module module = std::move(b).build(second);
  hlo::Module fused = fuse(module);

  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->shape.tuple_shapes.size(), 3U) << "convolution, sum and sum of squares in one op";
  EXPECT_EQ(found[1]->fusion_kind, hlo::FusionKind::output);
  EXPECT_TRUE(std::ranges::any_of(found[1]->operands, [&](hlo::InstructionId operand) {
    return fused.entry_computation()[operand].shape == hlo::make_shape(hlo::ElementType::bf16, {2, 6, 6, 24});
  })) << "the second convolution reads the first one's raw output";
  expect_same_values(module);
}

TEST(Fusion, AResidualJoinThatManyOpsReadIsStoredOnce) {
  hlo::build::GraphBuilder b("join");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId y = image(b, "y", 16);
  hlo::InstructionId join = b.maximum(b.add(x, y), b.full_like(x, 0));
  std::vector<hlo::InstructionId> readers;
  for (int i = 0; i < 4; ++i) readers.push_back(pointwise(b, join, "k" + std::to_string(i), 16));
  hlo::Module module = std::move(b).build(b.tuple(readers));
  hlo::Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found[0]->fusion_kind, hlo::FusionKind::loop);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  expect_same_values(module);
}

TEST(Fusion, AnElementwiseEpilogueStaysWithItsConvolution) {
  hlo::build::GraphBuilder b("epilogue");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId mask = image(b, "mask", 8);
  hlo::InstructionId y = pointwise(b, x, "k", 8);
  hlo::InstructionId zero = b.full_like(y, 0);
  hlo::InstructionId masked = b.select(b.compare(mask, zero, hlo::ComparisonDirection::gt), y, zero);
  hlo::Module module = std::move(b).build(masked);
  hlo::Module fused = fuse(module);
  EXPECT_EQ(fusions(fused).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, OfTwoConvolutionsThatMeetInASumTheLaterOneAdds) {
  hlo::build::GraphBuilder b("meet");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId sum = b.add(pointwise(b, x, "k1", 8), pointwise(b, x, "k2", 8));
  hlo::Module module = std::move(b).build(sum);
  hlo::Module fused = fuse(module);
  auto found = fusions(fused);
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]->operands.size(), 2U);
  EXPECT_EQ(found[1]->operands.size(), 3U);
  expect_same_values(module);
}

std::int64_t bytes_moved(const hlo::Module& fused) {
  const hlo::Computation& entry = fused.entry_computation();
  std::int64_t bytes = 0;
  for (hlo::InstructionId id = 0; id < hlo::InstructionId(entry.instructions.size()); ++id) {
    if (entry[id].opcode == hlo::Opcode::fusion || entry[id].opcode == hlo::Opcode::reduce) {
      bytes += hlo::transform::cost(fused, entry, id).bytes.value();
    }
  }
  return bytes;
}

TEST(Fusion, ASoftmaxReadsItsInputForItsMaximaForItsSumsAndForItsResult) {
  hlo::build::GraphBuilder b("softmax");
  const std::vector<std::int64_t> sizes{2048, 1024};
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), "x");
  hlo::InstructionId power = b.exponential(b.subtract(x, b.broadcast(b.reduce_max(x, {1}), sizes, {0})));
  hlo::InstructionId sum = b.broadcast(b.reduce_add(power, {1}), sizes, {0});
  hlo::Module module = std::move(b).build(b.divide(power, sum));
  const hlo::Module fused = fuse(module);
  // Three reads and a write of the array; the maxima are written once and read twice, the sums once each.
  const std::int64_t array = 2048 * 1024 * 4, vector = 2048 * 4;
  EXPECT_EQ(bytes_moved(fused), 4 * array + 5 * vector);
}

// The norm of the weights is the one that the op of the previous step computed from the weights that it wrote.
TEST(Fusion, TheNormOfAParameterStaysWithTheUpdateThatNeedsIt) {
  hlo::build::GraphBuilder b("norm");
  hlo::InstructionId w = b.parameter(hlo::make_shape(hlo::ElementType::f32, {256, 128}), "w");
  hlo::InstructionId norm = b.reduce_add(b.multiply(w, w), {0, 1});
  hlo::Module module = std::move(b).build(b.multiply(w, b.broadcast(b.rsqrt(norm), {256, 128}, {})));
  EXPECT_EQ(fusions(fuse(module)).size(), 1U);
}

TEST(Fusion, TheSumOfAllElementsOfAComputedValueIsKnownOnlyAfterTheOp) {
  hlo::build::GraphBuilder b("scaled_by_norm");
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {256, 128});
  const hlo::InstructionId w = b.parameter(shape, "w"), g = b.parameter(shape, "g");
  const hlo::InstructionId direction = b.add(g, b.tanh(w));
  const hlo::InstructionId norm = b.reduce_add(b.multiply(direction, direction), {0, 1});
  const hlo::Module module = std::move(b).build(b.multiply(direction, b.broadcast(b.rsqrt(norm), {256, 128}, {})));
  const hlo::Module fused = fuse(module);
  // Both ops read w and g; the second writes an array.
  EXPECT_EQ(bytes_moved(fused), 5 * 256 * 128 * 4 + 2 * 4);
  expect_same_values(module);
}

/// Adds rows [4,8] at positions s32[4,1] to an array [1000,8].
hlo::InstructionId scattered(hlo::build::GraphBuilder& b, hlo::InstructionId table) {
  const hlo::InstructionId places = b.iota(hlo::make_shape(hlo::ElementType::s32, {4, 1}), 0);
  const hlo::InstructionId rows = b.parameter(hlo::make_shape(hlo::ElementType::f32, {4, 8}), "rows");
  return b.scatter(table, places, rows, {{1}, {0}, {0}, {}, {}, 1},
                   b.combiner(hlo::Opcode::add, hlo::ElementType::f32));
}

TEST(Fusion, AScatterFillsTheArrayThatItAddsTo) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {1000, 8});
  hlo::build::GraphBuilder b("filled");
  const hlo::Module module = std::move(b).build(scattered(b, b.full(shape, 2)));
  const hlo::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found.back()->fusion_kind, hlo::FusionKind::custom);
  EXPECT_EQ(found.back()->shape, shape);
  expect_same_values(module);
}

TEST(Fusion, AScatterReadsAStoredArrayIfThatIsComputed) {
  hlo::build::GraphBuilder b("computed");
  const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {1000, 8}), "x");
  const hlo::Module module = std::move(b).build(scattered(b, b.tanh(x)));
  const hlo::Module fused = fuse(module);
  EXPECT_EQ(fused.entry_computation()[fused.entry_computation().root].opcode, hlo::Opcode::scatter);
  expect_same_values(module);
}

TEST(Fusion, AReshapeThatMovesElementsIsAnOpOfItsOwn) {
  const auto ops = [](std::vector<std::int64_t> to) {
    hlo::build::GraphBuilder b("reshaped");
    const hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::f32, {16, 8, 256}), "x");
    const hlo::Module module = std::move(b).build(b.tanh(b.reshape(b.exponential(x), std::move(to))));
    expect_same_values(module);
    const hlo::Module fused = fuse(module);
    return std::ranges::count_if(fused.entry_computation().instructions,
                                 [](const hlo::Instruction& i) { return i.opcode != hlo::Opcode::parameter; });
  };
  EXPECT_EQ(ops({128, 256}), 1) << "eight rows are a tile";
  EXPECT_EQ(ops({16, 8, 4, 64}), 3) << "the lanes become shorter rows";
}

TEST(Fusion, AValueThatIsReadInSlicesIsStoredOnce) {
  hlo::build::GraphBuilder b("slices");
  const std::int64_t rows = 4096, columns = 128, parts = 4;
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {rows, columns});
  const hlo::InstructionId value =
      b.add(b.exponential(b.parameter(shape, "x")), b.multiply(b.parameter(shape, "y"), b.parameter(shape, "z")));
  std::vector<hlo::InstructionId> results;
  for (std::int64_t i = 0; i < parts; ++i) {
    const hlo::InstructionId part = b.slice(value, {{i * rows / parts, (i + 1) * rows / parts}, {0, columns}});
    results.push_back(b.tanh(part));
    results.back() = b.all_reduce(results.back());
  }
  const hlo::Module module = std::move(b).build(b.tuple(results));
  const hlo::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), std::size_t(parts) + 1);
  EXPECT_EQ(found.front()->operands.size(), 3U);
  for (std::size_t i = 1; i < found.size(); ++i) EXPECT_EQ(found[i]->operands.size(), 1U);
}

TEST(Fusion, AllFactorsOfAnActivationsGradientAreInTheOpOfTheProductBeforeIt) {
  hlo::build::GraphBuilder b("diamond");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId h = image(b, "h", 8);
  hlo::InstructionId g = pointwise(b, x, "k", 8);
  hlo::InstructionId slope = b.add(b.multiply(g, b.tanh(h)), b.multiply(b.multiply(g, h), b.exponential(h)));
  hlo::InstructionId next = pointwise(b, slope, "k2", 16), other = pointwise(b, slope, "k3", 16);
  hlo::Module module = std::move(b).build(b.tuple({next, other}));
  const hlo::Module fused = fuse(module);
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0]->operands.size(), 3U) << "x, h and the kernel";
  EXPECT_FALSE(found[0]->shape.is_tuple());
  expect_same_values(module);
}

TEST(Fusion, AResultThatIsWidenedForAnAllReduceIsStoredWideAlone) {
  hlo::build::GraphBuilder b("gradient");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {32, 64}), "x");
  hlo::InstructionId g = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {32, 128}), "g");
  hlo::InstructionId product = b.convert(b.dot(x, g, {{}, {}, {0}, {0}}), hlo::ElementType::f32);
  const hlo::Module fused = fuse(std::move(b).build(b.all_reduce(product)));
  const auto found = fusions(fused);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0]->shape, hlo::make_shape(hlo::ElementType::f32, {64, 128}));
}

/// The softmax of a product of bf16 in f32, after a mask of positions or the addition of an array.
hlo::Module softmax_of_product(bool has_mask) {
  hlo::build::GraphBuilder b("scores");
  const std::vector<std::int64_t> sizes{512, 1024};
  const hlo::InstructionId q = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {512, 64}), "q");
  const hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1024, 64}), "k");
  hlo::InstructionId scores = b.convert(b.dot(q, k, {{}, {}, {1}, {1}}), hlo::ElementType::f32);
  scores = b.multiply(scores, b.full_like(scores, 0.125));
  if (has_mask) {
    const hlo::Shape places = hlo::make_shape(hlo::ElementType::s32, sizes);
    const hlo::InstructionId allowed = b.compare(b.iota(places, 0), b.iota(places, 1), hlo::ComparisonDirection::ge);
    scores = b.select(allowed, scores, b.full_like(scores, -1e9));
  } else {
    scores = b.add(scores, b.parameter(hlo::make_shape(hlo::ElementType::f32, sizes), "distances"));
  }
  const hlo::InstructionId power =
      b.exponential(b.subtract(scores, b.broadcast(b.reduce_max(scores, {1}), sizes, {0})));
  const hlo::InstructionId sum = b.broadcast(b.reduce_add(power, {1}), sizes, {0});
  return std::move(b).build(b.convert(b.divide(power, sum), hlo::ElementType::bf16));
}

// TPU v3 stores the scores of BERT's attention in bf16, together with their maxima.
TEST(Fusion, ScoresThatAreScaledAndMaskedInWiderNumbersAreStoredAsTheProductMakesThem) {
  const hlo::Module module = softmax_of_product(true);
  const hlo::Module fused = fuse(module);
  const auto found = fusions(fused);
  // The product and maxima; sums; quotients. Narrow scores are written once, read twice, and the result is as narrow.
  ASSERT_EQ(found.size(), 3U);
  const std::int64_t operands = (512 + 1024) * 128 * 2, array = 512 * 1024 * 2, vector = 512 * 4;
  EXPECT_EQ(bytes_moved(fused), operands + 4 * array + 5 * vector);
  expect_same_values(module);
}

TEST(Fusion, WhatIsAddedToAnotherLargeArrayAfterItIsWidenedIsStoredWide) {
  const hlo::Module module = softmax_of_product(false);
  const hlo::Module fused = fuse(module);
  ASSERT_EQ(fusions(fused).size(), 3U);
  const std::int64_t operands = (512 + 1024) * 128 * 2, array = 512 * 1024 * 4, vector = 512 * 4;
  EXPECT_EQ(bytes_moved(fused), operands + array + 3 * array + array / 2 + 5 * vector);
  expect_same_values(module);
}

TEST(Fusion, AReductionDoesNotJoinAFusionItsOtherInputsDependOn) {
  hlo::build::GraphBuilder b("cycle");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId y = pointwise(b, x, "k1", 16);
  hlo::InstructionId z = pointwise(b, y, "k2", 16);
  hlo::InstructionId both = b.reduce_add(b.convert(b.multiply(y, z), hlo::ElementType::f32), {0, 1, 2});
  hlo::Module module = std::move(b).build(b.tuple({y, z, both}));
  expect_same_values(module);
}

TEST(Fusion, MomentumAndWeightOfOneParameterAreUpdatedByOneOp) {
  hlo::build::GraphBuilder b("update");
  hlo::InstructionId weight = vector_of(b, "w", 4096);
  hlo::InstructionId momentum = vector_of(b, "m", 4096);
  hlo::InstructionId gradient = vector_of(b, "g", 4096);
  hlo::InstructionId new_momentum = b.add(b.multiply(momentum, b.full_like(momentum, 0.9)), gradient);
  hlo::InstructionId new_weight = b.subtract(weight, b.multiply(new_momentum, b.full_like(weight, 0.1)));
  hlo::Module module = std::move(b).build(b.tuple({new_weight, new_momentum}));
  EXPECT_EQ(fusions(fuse(module)).size(), 1U);
  expect_same_values(module);
}

TEST(Fusion, WhatASelectAndScatterReadsIsStoredAndRecomputedByReadersThatHaveItsInputs) {
  hlo::build::GraphBuilder b("pool");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId scaled = normalise(b, x, vector_of(b, "scale", 16), vector_of(b, "shift", 16));
  hlo::WindowDimension half{.size = 2, .stride = 2};
  std::vector<hlo::WindowDimension> window{{}, half, half, {}};
  hlo::InstructionId pooled = b.reduce_window_max(scaled, window);
  hlo::InstructionId scattered =
      b.select_and_scatter(scaled, pooled, b.constant(hlo::ElementType::bf16, 0), window,
                           b.comparator(hlo::ComparisonDirection::ge, hlo::ElementType::bf16),
                           b.combiner(hlo::Opcode::add, hlo::ElementType::bf16));
  // Reads x anyway, so that the scaled image costs only arithmetic.
  hlo::InstructionId both = b.reduce_add(b.convert(b.multiply(scaled, x), hlo::ElementType::f32), {0, 1, 2});
  hlo::Module module = std::move(b).build(b.tuple({scattered, both}));
  hlo::Module fused = fuse(module);
  const hlo::Computation& entry = fused.entry_computation();
  const hlo::Shape whole = hlo::make_shape(hlo::ElementType::bf16, {2, 6, 6, 16});
  auto reads = [&](const hlo::Instruction& reader, hlo::InstructionId value) {
    return std::ranges::find(reader.operands, value) != reader.operands.end();
  };
  for (const hlo::Instruction& instruction : entry.instructions) {
    if (instruction.opcode == hlo::Opcode::select_and_scatter) {
      EXPECT_FALSE(reads(instruction, entry.parameters[0])) << "the scaled image is in memory";
    }
    if (instruction.opcode == hlo::Opcode::fusion &&
        instruction.shape == hlo::make_shape(hlo::ElementType::f32, {16})) {
      EXPECT_TRUE(reads(instruction, entry.parameters[0]));
      EXPECT_EQ(
          std::ranges::count_if(instruction.operands, [&](hlo::InstructionId i) { return entry[i].shape == whole; }),
          1);
    }
  }
  expect_same_values(module);
}

// y -> (y + sum(z)) would join y's fusion, but z's sum needs y.
TEST(Fusion, AGroupDoesNotTakeInWhatDependsOnItThroughAnotherGroup) {
  hlo::build::GraphBuilder b("through");
  hlo::InstructionId x = image(b, "x", 16);
  hlo::InstructionId y = pointwise(b, x, "k1", 16);
  hlo::InstructionId sum = b.reduce_add(b.convert(y, hlo::ElementType::f32), {0, 1, 2});
  hlo::InstructionId z = normalise(b, y, sum, sum);
  hlo::InstructionId product = b.multiply(z, y);
  hlo::InstructionId last = b.reduce_add(b.convert(product, hlo::ElementType::f32), {0, 1, 2});
  hlo::InstructionId end = normalise(b, product, last, sum);
  hlo::Module module = std::move(b).build(b.tuple({y, z, product, end, sum, last}));
  expect_same_values(module);
}

bool is_matmul(const hlo::Instruction& instruction) {
  return instruction.opcode == hlo::Opcode::convolution || instruction.opcode == hlo::Opcode::dot;
}

RC_GTEST_PROP(Fusion, AnyGraphFusedHasTheSameParametersAndTheSameResultsBitForBit, ()) {
  hlo::Module module = testing::RandomModule::make();
  hlo::Module fused = fuse(module);
  hlo::build::verify(fused);
  const hlo::Computation &before = module.entry_computation(), &after = fused.entry_computation();
  RC_ASSERT(after.parameters.size() == before.parameters.size());
  for (std::size_t i = 0; i < after.parameters.size(); ++i) {
    RC_ASSERT(after[after.parameters[i]].name == before[before.parameters[i]].name);
    RC_ASSERT(after[after.parameters[i]].shape == before[before.parameters[i]].shape);
  }
  std::vector<hlo::Literal> arguments = random_arguments(module);
  RC_ASSERT(hlo::testing::same_bits(hlo::eval::evaluate(fused, arguments), hlo::eval::evaluate(module, arguments)));
}

RC_GTEST_PROP(Fusion, AnyGraphFusedMovesNoMoreBytesHasOneMatmulPerOpAndEveryMatmulOnce, ()) {
  hlo::Module module = testing::RandomModule::make();
  hlo::Module fused = fuse(module);
  std::int64_t matmuls = 0;
  for (const hlo::Instruction& instruction : fused.entry_computation().instructions) {
    if (instruction.opcode != hlo::Opcode::fusion) {
      matmuls += is_matmul(instruction) ? 1 : 0;
      continue;
    }
    std::int64_t here = std::ranges::count_if(fused.computations[instruction.called[0]].instructions, is_matmul);
    RC_ASSERT(here <= 1);
    RC_ASSERT((here == 1) == (instruction.fusion_kind == hlo::FusionKind::output));
    matmuls += here;
  }
  RC_ASSERT(matmuls == std::ranges::count_if(module.entry_computation().instructions, is_matmul));
  RC_ASSERT(hlo::transform::cost(fused).bytes <= hlo::transform::cost(module).bytes);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
