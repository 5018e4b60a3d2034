// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/classed_program.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::spmd::propagate {
namespace {

// One layer and the gradient and update of its weight, by hand: y = x w, dw = x^T y, w' = w - dw.
Module layer_with_its_gradient() {
  Module module = text::testing::graph_of(R"(
HloModule m
ENTRY e {
  x = f32[32,8] parameter(0)
  w = f32[8,64] parameter(1)
  y = f32[32,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  dw = f32[8,64] dot(x, y), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  next = f32[8,64] subtract(w, dw)
  ROOT r = (f32[8,64]) tuple(next)
})");
  module.donations = {{.output = 0, .parameter = 1, .element = 0}};
  return module;
}

TEST(ClassedProgram, KnowsWeightsAndTheirGradientsFromOtherArrays) {
  const ClassedProgram program = classed_program(layer_with_its_gradient());
  ASSERT_EQ(program.kept.size(), 1U);
  EXPECT_EQ(program.kept[0].array.bytes, 8 * 64 * 4);
  ASSERT_EQ(program.inputs.size(), 1U);
  ASSERT_EQ(program.products.size(), 2U);
  const ClassedProduct& forward = program.products[0];
  const ClassedProduct& gradient = program.products[1];
  EXPECT_FALSE(forward.arrays[0].kept);
  EXPECT_TRUE(forward.arrays[1].kept);
  EXPECT_FALSE(forward.arrays[2].kept);
  EXPECT_TRUE(gradient.arrays[2].kept);
  EXPECT_EQ(forward.flops, 2.0 * 32 * 8 * 64);
}

TEST(ClassedProgram, FactorsOfAProductHaveTheClassesOfItsDimensions) {
  const ClassedProgram program = classed_program(layer_with_its_gradient());
  const int batch = program.products[0].arrays[0].classes[0], width = program.products[0].arrays[0].classes[1];
  const int units = program.products[0].arrays[1].classes[1];
  EXPECT_EQ((std::set<int>{batch, width, units}).size(), 3U);
  const auto summed = [&](const ClassedProduct& product) {
    std::set<int> classes;
    for (const ClassedFactor& factor : product.factors) {
      if (factor.reduced) classes.insert(factor.of_class);
    }
    return classes;
  };
  EXPECT_EQ(summed(program.products[0]), std::set<int>{width});
  EXPECT_EQ(summed(program.products[1]), std::set<int>{batch});
}

// 5 trips of a loop with one product each.
TEST(ClassedProgram, CountsTheBodyOfALoopAsOftenAsItRuns) {
  const ClassedProgram program = classed_program(text::testing::graph_of(R"(
HloModule m
body {
  s = (s32[], f32[16,16]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  a = f32[16,16] get-tuple-element(s), index=1
  one = s32[] constant(1)
  next = s32[] add(i, one)
  square = f32[16,16] dot(a, a), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT t = (s32[], f32[16,16]) tuple(next, square)
}
condition {
  s = (s32[], f32[16,16]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(5)
  ROOT less = pred[] compare(i, n), direction=LT
}
ENTRY e {
  a = f32[16,16] parameter(0)
  zero = s32[] constant(0)
  t = (s32[], f32[16,16]) tuple(zero, a)
  w = (s32[], f32[16,16]) while(t), condition=condition, body=body
  ROOT r = f32[16,16] get-tuple-element(w), index=1
})"));
  ASSERT_EQ(program.products.size(), 1U);
  EXPECT_EQ(program.products[0].count, 5);
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
