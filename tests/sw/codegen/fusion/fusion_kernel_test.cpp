// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/fusion/fusion_kernel.h"

#include <string>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/build/graph_builder.h"
#include "sw/codegen/fusion/no_code.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/fusion/random_fusion.h"

namespace podsim::sw::codegen::fusion {
namespace {

using hlo::ElementType;

/// Builds random graphs and holds their kernels to the evaluator. Returns how many had code.
int verify_random_graphs(std::uint64_t first, int count) {
  const TargetMachine small = machine_with_vmem(1024), large = machine_with_vmem(16 * 1024);
  int with_code = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t seed = first + std::uint64_t(i);
    SCOPED_TRACE("seed " + std::to_string(seed));
    const TargetMachine& machine = seed % 2 == 0 ? small : large;
    try {
      const families::Kernel kernel = build_fusion(machine, random_fusion(seed));
      expect_reference(machine, kernel);
      ++with_code;
    } catch (const NoCode&) {
      continue;
    }
    if (testing::Test::HasFailure()) return with_code;
  }
  return with_code;
}

TEST(FusionKernel, ARandomGraphHasTheResultsOfTheEvaluator) {
  EXPECT_GE(verify_random_graphs(1, 150), 120) << "of 150 graphs are not refused";
}

/// Ten tests, 5000 graphs in all.
class FusionKernelInManyCases : public ::testing::TestWithParam<int> {};

TEST_P(FusionKernelInManyCases, FiveHundredRandomGraphsInFiveThousandCases) {
  EXPECT_GE(verify_random_graphs(100'000U + 500U * unsigned(GetParam()), 500), 400) << "of 500 graphs are not refused";
}

INSTANTIATE_TEST_SUITE_P(Hundreds, FusionKernelInManyCases, ::testing::Range(0, 10));

/// relu(scale x + shift + residual) with a scale and a shift per channel, as after a convolution.
hlo::Module normalised(const hlo::Shape& array, std::int64_t channels) {
  hlo::build::GraphBuilder graph("normalised");
  const auto per_channel = [&](const std::string& name) {
    const hlo::InstructionId vector = graph.parameter(hlo::make_shape(ElementType::f32, {channels}), name);
    const hlo::InstructionId spread = graph.broadcast(vector, array.dimensions, {3});
    return spread;
  };
  const hlo::InstructionId x = graph.convert(graph.parameter(array, "x"), ElementType::f32);
  const hlo::InstructionId scaled = graph.add(graph.multiply(x, per_channel("scale")), per_channel("shift"));
  const hlo::InstructionId sum =
      graph.add(graph.convert(scaled, ElementType::bf16), graph.parameter(array, "residual"));
  hlo::Module module = std::move(graph).build(graph.maximum(sum, graph.full_like(sum, 0)));
  for (hlo::Instruction& instruction : module.computations[std::size_t(module.entry)].instructions) {
    if (instruction.shape.rank() == 4) instruction.shape.minor_to_major = array.minor_to_major;
  }
  return module;
}

TEST(FusionKernel, ChannelsInLanesOrSublanesGiveTheSame) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const std::vector<int>& order : {std::vector{3, 0, 2, 1}, std::vector{0, 3, 2, 1}}) {
    hlo::Shape array = hlo::make_shape(ElementType::bf16, {16, 5, 7, 72});
    array.minor_to_major = order;
    expect_reference(machine, build_fusion(machine, normalised(array, 72)));
  }
}

TEST(FusionKernel, AnArrayMovesOnceWithTheBytesOfItsTiles) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  hlo::Shape array = hlo::make_shape(ElementType::bf16, {64, 14, 14, 256});
  array.minor_to_major = {3, 0, 2, 1};
  const families::Kernel kernel = build_fusion(machine, normalised(array, 256));
  const hw::bundle::BundleRunResult run = time_of(machine, kernel);
  const std::int64_t bytes = std::int64_t(2) * 64 * 14 * 14 * 256;
  const std::int64_t vectors = 2 * 1024 * 4;  // of 256 elements, padded to a tile
  EXPECT_EQ(run.hbm_read.value(), 2 * bytes + vectors);
  EXPECT_EQ(run.hbm_written.value(), bytes);
}

// A search without a memory visits 2^36 values.
TEST(FusionKernel, AValueWithManyUsersIsAnalysedOnce) {
  hlo::build::GraphBuilder graph("doubled");
  hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {8, 256}), "x");
  hlo::InstructionId row = graph.parameter(hlo::make_shape(ElementType::f32, {256}), "row");
  for (int i = 0; i < 36; ++i) {
    x = graph.add(x, x);
    row = graph.add(row, row);
  }
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  expect_reference(machine,
                   build_fusion(machine, std::move(graph).build(graph.add(x, graph.broadcast(row, {8, 256}, {1})))));
}

TEST(FusionKernel, TheLogarithmOfOnePlusASmallNumberHasItsRelativeAccuracy) {
  hlo::build::GraphBuilder graph("log1p");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {64, 1024}), "x");
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  expect_reference(machine, build_fusion(machine, std::move(graph).build(graph.unary(hlo::Opcode::log_plus_one, x))));
}

TEST(FusionKernel, AnOpThatUsesAValueTwiceReadsItOnce) {
  hlo::build::GraphBuilder graph("square");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {64, 128}), "x");
  const hlo::InstructionId square = graph.multiply(x, x);
  const hlo::Module module = std::move(graph).build(square);
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  const families::Kernel kernel = build_fusion(machine, module, module.entry_computation(), square);
  EXPECT_EQ(kernel.inputs.size(), 1U);
  EXPECT_EQ(expect_reference(machine, kernel).hbm_read.value(), 64 * 128 * 4);
}

/// Why a graph has no code, in a word.
std::string cause_of(const hlo::Module& module) {
  try {
    static_cast<void>(build_fusion(machine_with_vmem(16 * 1024), module));
  } catch (const NoCode& none) {
    return none.cause();
  }
  return "";
}

// exp(y log x) is not x^y for x < 0, nor 0^0.
TEST(FusionKernel, APowerHasCodeForAPositiveConstantBaseOnly) {
  const hlo::Shape shape = hlo::make_shape(ElementType::f32, {8, 128});
  hlo::build::GraphBuilder any("any");
  const hlo::InstructionId x = any.parameter(shape, "x"), y = any.parameter(shape, "y");
  EXPECT_EQ(cause_of(std::move(any).build(any.power(x, y))), "power");
  for (const double base : {-2.0, 0.0, 1.0}) {
    hlo::build::GraphBuilder graph("base");
    const hlo::InstructionId exponent = graph.parameter(shape, "y");
    EXPECT_EQ(cause_of(std::move(graph).build(graph.power(graph.full(shape, base), exponent))), "power") << base;
  }
  hlo::build::GraphBuilder graph("decay");
  const hlo::InstructionId exponent = graph.parameter(shape, "y");
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  expect_reference(machine,
                   build_fusion(machine, std::move(graph).build(graph.power(graph.full(shape, 0.9), exponent))));
}

TEST(FusionKernel, AnEmptyArrayHasNoCode) {
  hlo::build::GraphBuilder graph("empty");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {0, 256}), "x");
  EXPECT_EQ(cause_of(std::move(graph).build(graph.reduce_add(x, {0}))), "type");
}

TEST(FusionKernel, AReductionThatIgnoresItsSumIsNotASum) {
  hlo::build::GraphBuilder graph("twice");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {8, 256}), "x");
  const hlo::InstructionId sum = graph.reduce_add(x, {1});
  hlo::Module module = std::move(graph).build(sum);
  hlo::Computation& combiner = module.computations[std::size_t(module.entry_computation()[sum].called.front())];
  combiner.instructions[std::size_t(combiner.root)].operands[0] = combiner[combiner.root].operands[1];
  EXPECT_EQ(cause_of(module), "reduce");
}

TEST(FusionKernel, ACountOfPredHasNoCode) {
  hlo::build::GraphBuilder graph("parity");
  const hlo::InstructionId x = graph.parameter(hlo::make_shape(ElementType::f32, {8, 2}), "x");
  const hlo::InstructionId odd = graph.iota(hlo::make_shape(ElementType::pred, {8, 2}), 1);
  EXPECT_EQ(cause_of(std::move(graph).build(graph.select(odd, x, graph.negate(x)))), "type");
}

TEST(FusionKernel, WhatHasNoCodeIsNamed) {
  hlo::build::GraphBuilder graph("sorted");
  const hlo::Shape shape = hlo::make_shape(ElementType::f32, {8, 128});
  const hlo::InstructionId x = graph.parameter(shape, "x");
  const hlo::Module module = std::move(graph).build(graph.reverse(x, {1}));
  EXPECT_EQ(cause_of(module), "reverse");
}

}  // namespace
}  // namespace podsim::sw::codegen::fusion
