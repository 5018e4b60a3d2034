// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/known_indices.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/literal.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::expanders {
namespace {

/// Gathers and scatters that are left; the values stay.
std::ptrdiff_t left(const std::string& body) {
  const Module before = text::testing::graph_of(
      "HloModule m\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}\n"
      "ENTRY main {\n" +
      body + "}\n");
  Module after = before;
  slice_known_gathers(after);
  build::verify(after);
  std::vector<Literal> arguments;
  for (const InstructionId parameter : before.entry_computation().parameters) {
    Literal& argument = arguments.emplace_back(make_zeros(before.entry_computation()[parameter].shape));
    double next = 1;
    for (double& value : argument.values) value = next++;
  }
  EXPECT_TRUE(same_values(eval::evaluate(before, arguments), eval::evaluate(after, arguments))) << body;
  const std::vector<Instruction>& all = after.entry_computation().instructions;
  return std::ranges::count(all, Opcode::gather, &Instruction::opcode) +
         std::ranges::count(all, Opcode::scatter, &Instruction::opcode);
}

/// Rows of x, f32[4,6,3], along its second dimension.
std::string gather(const std::string& indices, int count) {
  const std::string n = std::to_string(count);
  return "  x = f32[4,6,3] parameter(0)\n" + indices + "  ROOT g = f32[4," + n +
         ",3] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, "
         "slice_sizes={4,1,3}\n";
}

TEST(KnownIndices, OfARollAreSlices) {
  EXPECT_EQ(left(gather("  i = s32[6] constant({2,3,4,5,0,1})\n", 6)), 0);
  EXPECT_EQ(left(gather("  n = s32[6] iota(), iota_dimension=0\n  c = s32[] constant(4)\n"
                        "  s = s32[6] broadcast(c), dimensions={}\n  m = s32[6] add(n, s)\n"
                        "  d = s32[] constant(6)\n  w = s32[6] broadcast(d), dimensions={}\n"
                        "  i = s32[6] remainder(m, w)\n",
                        6)),
            0)
      << "as aten.roll computes them";
}

TEST(KnownIndices, MayHaveAnyStepAndAreClamped) {
  EXPECT_EQ(left(gather("  i = s32[3] constant({0,2,4})\n", 3)), 0);
  EXPECT_EQ(left(gather("  i = s32[6] constant({5,4,3,2,1,0})\n", 6)), 0);
  EXPECT_EQ(left(gather("  i = s32[4] constant({-3,1,5,9})\n", 4)), 0);
}

TEST(KnownIndices, TheRowsMayBeAnyDimensionOfTheResult) {
  EXPECT_EQ(left("  x = f32[4,6] parameter(0)\n  i = s32[3,1] constant({{1},{2},{3}})\n"
                 "  ROOT g = f32[3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, "
                 "index_vector_dim=1, slice_sizes={4,1}\n"),
            0);
}

TEST(KnownIndices, OfArgumentsAndWithoutStretchesStay) {
  EXPECT_EQ(left("  i = s32[6] parameter(1)\n" + gather("", 6)), 1);
  EXPECT_EQ(
      left("  x = f32[40] parameter(0)\n  i = s32[20] constant({0,9,3,30,7,2,11,39,1,20,5,17,8,2,33,4,21,6,38,0})\n"
           "  ROOT g = f32[20] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
           "index_vector_dim=1, slice_sizes={1}\n"),
      1);
  EXPECT_EQ(left("  x = f32[4,6] parameter(0)\n  i = s32[2] constant({0,1})\n"
                 "  ROOT g = f32[2,2,6] gather(x, i), offset_dims={1,2}, collapsed_slice_dims={}, start_index_map={0}, "
                 "index_vector_dim=1, slice_sizes={2,6}\n"),
            1)
      << "windows that overlap";
}

std::string scatter(const std::string& indices, int count) {
  return "  x = f32[6,2] parameter(0)\n  u = f32[" + std::to_string(count) + ",2] parameter(1)\n" + indices +
         "  ROOT s = f32[6,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
         "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n";
}

TEST(KnownIndices, OfAnAddingScatterAreASum) {
  EXPECT_EQ(left(scatter("  i = s32[6] constant({2,3,4,5,0,1})\n", 6)), 0);
  EXPECT_EQ(left(scatter("  i = s32[3] constant({4,3,2})\n", 3)), 0);
  EXPECT_EQ(left(scatter("  i = s32[3] constant({0,1,5})\n", 3)), 0) << "rows between them stay";
}

TEST(KnownIndices, OfAScatterWithSharedOrMissingRowsStay) {
  EXPECT_EQ(left(scatter("  i = s32[3] constant({1,2,2})\n", 3)), 1);
  EXPECT_EQ(left(scatter("  i = s32[3] constant({4,5,6})\n", 3)), 1);
}

}  // namespace
}  // namespace podsim::hlo::expanders
