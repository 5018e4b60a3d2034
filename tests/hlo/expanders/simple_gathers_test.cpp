// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/simple_gathers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/literal.h"
#include "hlo/rules/row_indexing.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::hlo::expanders {
namespace {

/// Random integers; indices from 6 below the array to 12 beyond its first elements.
std::vector<Literal> random_arguments(const Computation& entry, std::mt19937& random) {
  std::vector<Literal> arguments;
  for (const InstructionId parameter : entry.parameters) {
    Literal& argument = arguments.emplace_back(make_zeros(entry[parameter].shape));
    std::uniform_int_distribution<int> number(-6, 12);
    const bool is_unsigned = entry[parameter].shape.element_type == ElementType::u8;
    for (double& value : argument.values) value = is_unsigned ? std::abs(number(random)) : number(random);
    for (std::int64_t& value : argument.integers) value = number(random);
  }
  return arguments;
}

/// The module with simple gathers and scatters, which computes the same from 40 random arguments.
Module simplified(const std::string& body) {
  const Module before = text::testing::graph_of(
      "HloModule m\n"
      "set {\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}\n"
      "keep {\n  ROOT a = f32[] parameter(0)\n  b = f32[] parameter(1)\n}\n"
      "twice {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] constant(2)\n"
      "  d = f32[] multiply(b, c)\n  ROOT e = f32[] subtract(a, d)\n}\n"
      "both {\n  a = f32[] parameter(0)\n  b = s32[] parameter(1)\n  c = f32[] parameter(2)\n"
      "  d = s32[] parameter(3)\n  e = f32[] maximum(a, c)\n  f = s32[] add(b, d)\n"
      "  ROOT t = (f32[], s32[]) tuple(e, f)\n}\n"
      "ENTRY main {\n" +
      body + "}\n");
  Module after = before;
  simplify_gathers(after);
  build::verify(after);
  std::mt19937 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    const std::vector<Literal> arguments = random_arguments(before.entry_computation(), random);
    EXPECT_TRUE(same_values(eval::evaluate(before, arguments), eval::evaluate(after, arguments))) << body;
  }
  return after;
}

std::ptrdiff_t count_of(const Module& module, Opcode opcode) {
  return std::ranges::count(module.entry_computation().instructions, opcode, &Instruction::opcode);
}

constexpr const char* window_of_gather =
    "offset_dims={0,1}, collapsed_slice_dims={1}, start_index_map={2,1}, index_vector_dim=0, slice_sizes={4,1,2}\n";

TEST(SimpleGathers, OfOneWindowAreDynamicSlices) {
  const Module module = simplified(std::string("  x = f32[4,6,5] parameter(0)\n  i = s32[2] parameter(1)\n"
                                               "  ROOT g = f32[4,2] gather(x, i), ") +
                                   window_of_gather);
  EXPECT_EQ(count_of(module, Opcode::gather), 0);
  EXPECT_EQ(count_of(module, Opcode::dynamic_slice), 1);
}

TEST(SimpleGathers, OfOneWindowMayHaveIndexDimensionsOfOne) {
  const Module module = simplified(
      "  x = f32[4,6] parameter(0)\n  i = s32[1,1,1] parameter(1)\n"
      "  ROOT g = f32[1,4,1] gather(x, i), offset_dims={1}, collapsed_slice_dims={1}, start_index_map={1}, "
      "index_vector_dim=2, slice_sizes={4,1}\n");
  EXPECT_EQ(count_of(module, Opcode::dynamic_slice), 1);
}

TEST(SimpleGathers, OfOneKnownWindowAreSlices) {
  for (const char* start : {"{3,-2}", "{1,4}", "{9,9}"}) {
    const Module module = simplified(std::string("  x = f32[4,6,5] parameter(0)\n  i = s32[2] constant(") + start +
                                     ")\n  ROOT g = f32[4,2] gather(x, i), " + window_of_gather);
    EXPECT_EQ(count_of(module, Opcode::slice), 1) << start;
    EXPECT_EQ(count_of(module, Opcode::dynamic_slice), 0) << start;
  }
}

std::string scatter_of_window(const std::string& indices, const std::string& combiner) {
  return "  x = f32[4,6,5] parameter(0)\n  u = f32[4,2] parameter(1)\n" + indices +
         "  ROOT s = f32[4,6,5] scatter(x, i, u), update_window_dims={0,1}, inserted_window_dims={1}, "
         "scatter_dims_to_operand_dims={2,1}, index_vector_dim=0, to_apply=" +
         combiner + "\n";
}

TEST(SimpleGathers, AScatterOfOneWindowIsAnUpdateUnlessItLeavesTheArray) {
  for (const char* combiner : {"set", "keep", "twice"}) {
    const Module module = simplified(scatter_of_window("  i = s32[2] parameter(2)\n", combiner));
    EXPECT_EQ(count_of(module, Opcode::scatter), 0) << combiner;
    EXPECT_EQ(count_of(module, Opcode::dynamic_update_slice), 1) << combiner;
    EXPECT_EQ(count_of(module, Opcode::select), 1) << combiner;
  }
}

TEST(SimpleGathers, AScatterOfOneKnownWindowNeedsNoSelection) {
  for (const char* start : {"{0,0}", "{3,5}"}) {
    const Module module = simplified(scatter_of_window(std::string("  i = s32[2] constant(") + start + ")\n", "twice"));
    EXPECT_EQ(count_of(module, Opcode::dynamic_update_slice), 1) << start;
    EXPECT_EQ(count_of(module, Opcode::select), 0) << start;
  }
  for (const char* start : {"{-1,0}", "{0,-1}", "{4,0}", "{0,6}"}) {
    const Module module = simplified(scatter_of_window(std::string("  i = s32[2] constant(") + start + ")\n", "twice"));
    EXPECT_EQ(count_of(module, Opcode::dynamic_update_slice), 0) << start << ": nothing is updated";
  }
}

TEST(SimpleGathers, AScatterOfOneWindowMayHaveSeveralArrays) {
  for (const char* indices : {"  i = s32[1] parameter(4)\n", "  i = s32[1] constant({7})\n"}) {
    const Module module =
        simplified(std::string("  x = f32[3,8] parameter(0)\n  y = s32[3,8] parameter(1)\n  u = f32[3,2] parameter(2)\n"
                               "  v = s32[3,2] parameter(3)\n") +
                   indices +
                   "  ROOT s = (f32[3,8], s32[3,8]) scatter(x, y, i, u, v), update_window_dims={0,1}, "
                   "inserted_window_dims={}, scatter_dims_to_operand_dims={1}, index_vector_dim=0, to_apply=both\n");
    EXPECT_EQ(count_of(module, Opcode::scatter), 0);
  }
}

// 299 is beyond the numbers of eight bits.
TEST(SimpleGathers, OfOneWindowMayHaveNarrowIndices) {
  for (const char* type : {"u8", "s8", "s16"}) {
    const std::string arguments =
        std::string("  x = f32[300] parameter(0)\n  i = ") + type + "[1] parameter(1)\n  u = f32[] parameter(2)\n";
    simplified(arguments +
               "  ROOT s = f32[300] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
               "scatter_dims_to_operand_dims={0}, index_vector_dim=0, to_apply=twice\n");
    simplified(arguments +
               "  ROOT g = f32[] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0}, "
               "index_vector_dim=0, slice_sizes={1}\n");
  }
}

TEST(SimpleGathers, OfWholeArraysAreBroadcasts) {
  const Module module = simplified(
      "  x = f32[4,1,5] parameter(0)\n  i = s32[3,2] parameter(1)\n"
      "  ROOT g = f32[4,3,5] gather(x, i), offset_dims={0,2}, collapsed_slice_dims={1}, "
      "start_index_map={1,0}, index_vector_dim=1, slice_sizes={4,1,5}\n");
  EXPECT_EQ(count_of(module, Opcode::gather), 0);
  EXPECT_EQ(count_of(module, Opcode::broadcast), 1);
}

/// Whether the gather or scatter that is left indexes rows along one dimension by one index each.
bool indexes_rows(const Module& module, Opcode opcode) {
  const Computation& entry = module.entry_computation();
  const auto op = std::ranges::find(entry.instructions, opcode, &Instruction::opcode);
  if (op == entry.instructions.end() || op->gather->index_map.size() != 1) return false;
  const Shape& rows = opcode == Opcode::gather ? op->shape : entry[op->operands[2]].shape;
  return rules::row_indexing(op->gather, entry[op->operands[0]].shape, entry[op->operands[1]].shape, rows).has_value();
}

TEST(SimpleGathers, LeaveIndicesOfWholeDimensions) {
  const std::string rest =
      " gather(x, i), offset_dims={0,2,3}, start_index_map={1,2}, index_vector_dim=1, slice_sizes={2,1,3}\n";
  EXPECT_TRUE(indexes_rows(simplified("  x = f32[2,9,3] parameter(0)\n  i = s32[4,2] parameter(1)\n"
                                      "  ROOT g = f32[2,4,1,3]" +
                                      rest),
                           Opcode::gather));
}

TEST(SimpleGathers, NumberWindowsByOneDimension) {
  EXPECT_TRUE(indexes_rows(simplified("  x = f32[2,9,3] parameter(0)\n  i = s32[4,2,1] parameter(1)\n"
                                      "  ROOT g = f32[2,4,2,3] gather(x, i), offset_dims={0,3}, "
                                      "collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=2, "
                                      "slice_sizes={2,1,3}\n"),
                           Opcode::gather));
  EXPECT_TRUE(indexes_rows(simplified("  x = f32[9,3] parameter(0)\n  i = s32[2,4] parameter(1)\n"
                                      "  u = f32[2,4,3] parameter(2)\n"
                                      "  ROOT s = f32[9,3] scatter(x, i, u), update_window_dims={2}, "
                                      "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                      "index_vector_dim=2, to_apply=twice\n"),
                           Opcode::scatter));
}

TEST(SimpleGathers, NumberWindowsAsBeforeIfTheirDimensionsAreApart) {
  simplified(
      "  x = f32[9,3] parameter(0)\n  i = s32[2,4] parameter(1)\n"
      "  ROOT g = f32[2,3,4] gather(x, i), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, "
      "index_vector_dim=2, slice_sizes={1,3}\n");
}

std::string scatter_of_rows(const std::string& columns, const std::string& combiner) {
  return "  x = f32[2,9,3] parameter(0)\n  u = f32[2,4,1,3] parameter(1)\n  r = s32[4,1] parameter(2)\n" + columns +
         "  i = s32[4,2] concatenate(r, z), dimensions={1}\n"
         "  ROOT s = f32[2,9,3] scatter(x, i, u), update_window_dims={0,2,3}, inserted_window_dims={}, "
         "scatter_dims_to_operand_dims={1,2}, index_vector_dim=1, to_apply=" +
         combiner + "\n";
}

TEST(SimpleGathers, AScatterLeavesIndicesOfWholeDimensionsThatAreZero) {
  EXPECT_TRUE(indexes_rows(simplified(scatter_of_rows("  z = s32[4,1] constant({{0},{0},{0},{0}})\n", "twice")),
                           Opcode::scatter));
  EXPECT_FALSE(indexes_rows(simplified(scatter_of_rows("  z = s32[4,1] constant({{0},{1},{0},{0}})\n", "twice")),
                            Opcode::scatter))
      << "the second row is dropped";
  EXPECT_FALSE(indexes_rows(simplified(scatter_of_rows("  z = s32[4,1] parameter(3)\n", "twice")), Opcode::scatter));
}

}  // namespace
}  // namespace podsim::hlo::expanders
