// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::validation::kernels {
namespace {

using hlo::testing::make_literal;

using hlo::testing::infinity;
using hlo::testing::nan;
using Index = std::vector<std::int64_t>;

/// y = x / 3 on f32[3, 5], without a program: tests supply its results.
sw::codegen::families::Kernel third() {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {3, 5});
  hlo::build::GraphBuilder b("third");
  const hlo::InstructionId x = b.parameter(shape, "x");
  const hlo::InstructionId y = b.divide(x, b.full(shape, 3));
  sw::codegen::families::Kernel kernel;
  kernel.name = "third";
  kernel.inputs = {{"x", shape, 0}};
  kernel.outputs = {{"y", shape, 4096}};
  kernel.reference = std::move(b).build(y);
  kernel.rounding_steps = 2;
  return kernel;
}

/// The result of the comparison for outputs that `change` made from the correct ones.
template <class Change>
Verification verify_after(const hlo::Literal& x, Change change) {
  const sw::codegen::families::Kernel kernel = third();
  hlo::Literal y = hlo::eval::evaluate(kernel.reference, std::vector{x});
  change(y.values);
  hw::memory::DeviceMemory hbm(base::Bytes(1 << 20));
  sw::codegen::families::write_array(hbm, kernel.outputs[0], y);
  return verify_outputs(kernel, std::vector{x}, hbm);
}

hlo::Literal inputs() { return random_inputs(third(), 1, InputKind::finite)[0]; }

TEST(Verify, WhatIsEqualPassesAndNamesNoElement) {
  const Verification result = verify_after(inputs(), [](auto&) {});
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.elements, 15);
  EXPECT_EQ(result.worst.output, "");
}

TEST(Verify, AnErrorOfARoundingPassesAndIsTheWorstElement) {
  const hlo::Literal x = hlo::testing::make_literal(hlo::ElementType::f32, {3, 5}, std::vector<double>(15, 1));
  const Verification result = verify_after(x, [](auto& y) { y[7] += std::ldexp(1, -25); });  // one step from 1/3
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.worst.output, "y");
  EXPECT_EQ(result.worst.index, (Index{1, 2}));
  // Two steps of 2^-24 relative to 1/3.
  EXPECT_NEAR(result.worst_ratio, std::ldexp(1, -25) / (2 * std::ldexp(1, -24) / 3), 1e-6);
}

TEST(Verify, AnErrorOfSeveralRoundingsFails) {
  const hlo::Literal x = hlo::testing::make_literal(hlo::ElementType::f32, {3, 5}, std::vector<double>(15, 1));
  const Verification result = verify_after(x, [](auto& y) { y[14] += std::ldexp(3, -25), y[2] += 1; });
  EXPECT_EQ(result.differing, 2);
  EXPECT_EQ(result.worst.index, (Index{0, 2}));
  EXPECT_NEAR(result.worst.found, result.worst.expected + 1, 1e-6);
}

TEST(Verify, NanMustMeetNanAndInfinityTheSameInfinity) {
  hlo::Literal x = inputs();
  x.values[0] = nan, x.values[1] = infinity, x.values[2] = -infinity, x.values[3] = 1;
  EXPECT_TRUE(verify_after(x, [](auto&) {}).passed());
  const auto spoiled = [&](std::size_t i, double value) {
    return verify_after(x, [&](auto& y) { y[i] = value; }).differing;
  };
  EXPECT_EQ(spoiled(0, 0), 1);
  EXPECT_EQ(spoiled(0, infinity), 1);
  EXPECT_EQ(spoiled(1, -infinity), 1);
  EXPECT_EQ(spoiled(1, 1e38), 1);
  EXPECT_EQ(spoiled(2, nan), 1);
  EXPECT_EQ(spoiled(3, nan), 1);
  EXPECT_EQ(spoiled(3, infinity), 1);
}

TEST(Verify, MergedResultsKeepTheWorse) {
  Verification good, bad;
  good.elements = 10;
  bad.elements = 5;
  bad.differing = 2;
  bad.worst_ratio = 3;
  bad.worst.output = "y";
  merge(good, bad);
  EXPECT_EQ(good.elements, 15);
  EXPECT_FALSE(good.passed());
  EXPECT_EQ(good.worst.output, "y");
  merge(good, Verification{});
  EXPECT_EQ(good.worst_ratio, 3);
}

sw::codegen::families::Kernel with_inputs(std::vector<hlo::Shape> shapes) {
  sw::codegen::families::Kernel kernel;
  for (hlo::Shape& shape : shapes) kernel.inputs.push_back({"in", std::move(shape), 0});
  return kernel;
}

TEST(RandomInputs, DependOnSeedAndInputAndNothingElse) {
  const hlo::Shape shape = hlo::make_shape(hlo::ElementType::f32, {50, 20});
  const sw::codegen::families::Kernel kernel = with_inputs({shape, shape});
  const std::vector<hlo::Literal> first = random_inputs(kernel, 1, InputKind::finite);
  EXPECT_EQ(first[0].values, random_inputs(kernel, 1, InputKind::finite)[0].values);
  EXPECT_NE(first[0].values, first[1].values);
  EXPECT_NE(first[0].values, random_inputs(kernel, 2, InputKind::finite)[0].values);
}

TEST(RandomInputs, AreWhatTheyAreSaidToBe) {
  const sw::codegen::families::Kernel kernel = with_inputs({hlo::make_shape(hlo::ElementType::f32, {100, 100})});
  const std::vector<double> values = random_inputs(kernel, 3, InputKind::finite)[0].values;
  const auto share = [&](auto condition) { return double(std::ranges::count_if(values, condition)) / 1e4; };
  EXPECT_NEAR(share([](double v) { return v == 0; }), 1.0 / 16, 0.01);
  EXPECT_GT(share([](double v) { return v == 0 && std::signbit(v); }), 0.02);
  EXPECT_GT(share([](double v) { return std::abs(v) > 2; }), 0.01);
  EXPECT_GT(share([](double v) { return v != 0 && std::abs(v) < 1e-3; }), 0.05);
  EXPECT_EQ(share([](double v) { return std::abs(v) > 64; }), 0);
  double sum = 0;
  for (double v : values) sum += v;
  EXPECT_NEAR(sum / 1e4, 0, 0.1);
}

TEST(RandomInputs, OfTheSpecialKindHoldOneOfEachAndOtherwiseTheSameNumbers) {
  const sw::codegen::families::Kernel kernel =
      with_inputs({hlo::make_shape(hlo::ElementType::bf16, {40, 40}), hlo::make_shape(hlo::ElementType::s32, {40})});
  const std::vector<hlo::Literal> finite = random_inputs(kernel, 4, InputKind::finite);
  const std::vector<hlo::Literal> special = random_inputs(kernel, 4, InputKind::special);
  const std::vector<double>& values = special[0].values;
  EXPECT_EQ(std::ranges::count_if(values, [](double v) { return std::isnan(v); }), 1);
  EXPECT_EQ(std::ranges::count(values, infinity), 1);
  EXPECT_EQ(std::ranges::count(values, -infinity), 1);
  int different = 0;
  for (std::size_t i = 0; i < values.size(); ++i) different += values[i] == finite[0].values[i] ? 0 : 1;
  EXPECT_EQ(different, 3);
  EXPECT_EQ(special[1].values, finite[1].values);
}

TEST(RandomInputs, AreValuesOfTheirType) {
  const sw::codegen::families::Kernel kernel =
      with_inputs({hlo::make_shape(hlo::ElementType::bf16, {1000}), hlo::make_shape(hlo::ElementType::s32, {1000})});
  for (const hlo::Literal& literal : random_inputs(kernel, 5, InputKind::finite)) {
    for (double value : literal.values) EXPECT_EQ(hlo::round_to(literal.shape.element_type, value), value);
  }
}

TEST(RandomInputs, OfAnEmptyArrayAreEmpty) {
  const sw::codegen::families::Kernel kernel = with_inputs({hlo::make_shape(hlo::ElementType::f32, {0, 4})});
  EXPECT_TRUE(random_inputs(kernel, 1, InputKind::special)[0].values.empty());
}

}  // namespace
}  // namespace podsim::validation::kernels
