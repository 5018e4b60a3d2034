// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/simplified_moves.h"

#include <gtest/gtest.h>

#include <span>
#include <string>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "hlo/literal.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// A computation of x, f32[3,4], after the pass, whose value stays.
hlo::Computation simplified_moves_of(const std::string& body) {
  const hlo::Module before =
      hlo::text::testing::graph_of("HloModule m\nENTRY main {\n  x = f32[3,4] parameter(0)\n" + body + "}\n");
  hlo::Module after = before;
  hlo::Computation& entry = after.computations[std::size_t(after.entry)];
  simplify_moves(entry);
  hlo::build::verify(after);
  hlo::Literal argument = hlo::make_zeros(entry[entry.parameters[0]].shape);
  double next = 1;
  for (double& value : argument.values) value = next++;
  const std::span<const hlo::Literal> arguments(&argument, 1);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(before, arguments), hlo::eval::evaluate(after, arguments))) << body;
  return entry;
}

hlo::Opcode opcode_of_root(const std::string& body) {
  const hlo::Computation entry = simplified_moves_of(body);
  return entry[entry.root].opcode;
}

TEST(SimplifiedMoves, BroadcastsThatOnlyAddUnitsAreReshapes) {
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[3,4,1] broadcast(x), dimensions={0,1}\n"), hlo::Opcode::reshape);
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[1,3,1,4] broadcast(x), dimensions={1,3}\n"), hlo::Opcode::reshape);
}

TEST(SimplifiedMoves, OtherBroadcastsStay) {
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[3,4,2] broadcast(x), dimensions={0,1}\n"), hlo::Opcode::broadcast);
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[4,3,1] broadcast(x), dimensions={1,0}\n"), hlo::Opcode::broadcast)
      << "transposed";
}

TEST(SimplifiedMoves, ReshapesReadWhatReshapesRead) {
  const hlo::Computation entry = simplified_moves_of(
      "  a = f32[3,4,1] broadcast(x), dimensions={0,1}\n  b = f32[12] reshape(a)\n  c = f32[2,6] reshape(b)\n"
      "  ROOT d = f32[2,6] negate(c)\n");
  const hlo::Instruction& reshape = entry[entry[entry.root].operands[0]];
  EXPECT_EQ(reshape.opcode, hlo::Opcode::reshape);
  EXPECT_EQ(reshape.operands[0], entry.parameters[0]);
}

TEST(SimplifiedMoves, ReshapesThereAndBackReadTheArray) {
  const hlo::Computation entry = simplified_moves_of(
      "  a = f32[3,4,1] broadcast(x), dimensions={0,1}\n  b = f32[3,4] reshape(a)\n  ROOT d = f32[3,4] negate(b)\n");
  EXPECT_EQ(entry[entry.root].operands[0], entry.parameters[0]);
}

TEST(SimplifiedMoves, ReshapesWithAGivenLayoutStay) {
  const hlo::Computation entry = simplified_moves_of(
      "  a = f32[12,1]{0,1} reshape(x)\n  b = f32[3,4] reshape(a)\n  ROOT d = f32[3,4] negate(b)\n");
  EXPECT_NE(entry[entry.root].operands[0], entry.parameters[0]);
}

/// Whether the root reads x after the pass.
bool reads_array(const std::string& body) {
  const hlo::Computation entry = simplified_moves_of(body);
  return entry[entry.root].operands[0] == entry.parameters[0];
}

TEST(SimplifiedMoves, SlicesOfWholeArraysAreTheArrays) {
  const std::string root = "  ROOT d = f32[3,4] negate(s)\n", start = "  i = s32[] constant(1)\n";
  EXPECT_TRUE(reads_array("  s = f32[3,4] slice(x), slice={[0:3],[0:4]}\n" + root));
  EXPECT_TRUE(reads_array("  s = f32[3,4] concatenate(x), dimensions={1}\n" + root));
  EXPECT_TRUE(reads_array(start + "  s = f32[3,4] dynamic-slice(x, i, i), dynamic_slice_sizes={3,4}\n" + root));
  EXPECT_TRUE(reads_array(start +
                          "  z = f32[] constant(2)\n  y = f32[3,4] broadcast(z), dimensions={}\n"
                          "  s = f32[3,4] dynamic-update-slice(y, x, i, i)\n" +
                          root));
}

TEST(SimplifiedMoves, SlicesOfPartsStay) {
  const std::string start = "  i = s32[] constant(1)\n";
  EXPECT_FALSE(reads_array("  s = f32[2,4] slice(x), slice={[0:2],[0:4]}\n  ROOT d = f32[2,4] negate(s)\n"));
  EXPECT_FALSE(reads_array("  s = f32[6,4] concatenate(x, x), dimensions={0}\n  ROOT d = f32[6,4] negate(s)\n"));
  EXPECT_FALSE(reads_array(start + "  s = f32[3,2] dynamic-slice(x, i, i), dynamic_slice_sizes={3,2}\n"
                                   "  ROOT d = f32[3,2] negate(s)\n"));
  EXPECT_FALSE(reads_array(start + "  z = f32[] constant(2)\n  y = f32[6,4] broadcast(z), dimensions={}\n"
                                   "  s = f32[6,4] dynamic-update-slice(y, x, i, i)\n  ROOT d = f32[6,4] negate(s)\n"));
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
