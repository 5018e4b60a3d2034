// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/simplified_reshapes.h"

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
hlo::Computation simplified_reshapes_of(const std::string& body) {
  const hlo::Module before =
      hlo::text::testing::graph_of("HloModule m\nENTRY main {\n  x = f32[3,4] parameter(0)\n" + body + "}\n");
  hlo::Module after = before;
  hlo::Computation& entry = after.computations[std::size_t(after.entry)];
  simplify_reshapes(entry);
  hlo::build::verify(after);
  hlo::Literal argument = hlo::make_zeros(entry[entry.parameters[0]].shape);
  double next = 1;
  for (double& value : argument.values) value = next++;
  const std::span<const hlo::Literal> arguments(&argument, 1);
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(before, arguments), hlo::eval::evaluate(after, arguments))) << body;
  return entry;
}

hlo::Opcode opcode_of_root(const std::string& body) {
  const hlo::Computation entry = simplified_reshapes_of(body);
  return entry[entry.root].opcode;
}

TEST(SimplifiedReshapes, BroadcastsThatOnlyAddUnitsAreReshapes) {
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[3,4,1] broadcast(x), dimensions={0,1}\n"), hlo::Opcode::reshape);
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[1,3,1,4] broadcast(x), dimensions={1,3}\n"), hlo::Opcode::reshape);
}

TEST(SimplifiedReshapes, OtherBroadcastsStay) {
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[3,4,2] broadcast(x), dimensions={0,1}\n"), hlo::Opcode::broadcast);
  EXPECT_EQ(opcode_of_root("  ROOT b = f32[4,3,1] broadcast(x), dimensions={1,0}\n"), hlo::Opcode::broadcast)
      << "transposed";
}

TEST(SimplifiedReshapes, ReadWhatReshapesRead) {
  const hlo::Computation entry = simplified_reshapes_of(
      "  a = f32[3,4,1] broadcast(x), dimensions={0,1}\n  b = f32[12] reshape(a)\n  c = f32[2,6] reshape(b)\n"
      "  ROOT d = f32[2,6] negate(c)\n");
  const hlo::Instruction& reshape = entry[entry[entry.root].operands[0]];
  EXPECT_EQ(reshape.opcode, hlo::Opcode::reshape);
  EXPECT_EQ(reshape.operands[0], entry.parameters[0]);
}

TEST(SimplifiedReshapes, AndBackReadTheArray) {
  const hlo::Computation entry = simplified_reshapes_of(
      "  a = f32[3,4,1] broadcast(x), dimensions={0,1}\n  b = f32[3,4] reshape(a)\n  ROOT d = f32[3,4] negate(b)\n");
  EXPECT_EQ(entry[entry.root].operands[0], entry.parameters[0]);
}

TEST(SimplifiedReshapes, WithAGivenLayoutStay) {
  const hlo::Computation entry = simplified_reshapes_of(
      "  a = f32[12,1]{0,1} reshape(x)\n  b = f32[3,4] reshape(a)\n  ROOT d = f32[3,4] negate(b)\n");
  EXPECT_NE(entry[entry.root].operands[0], entry.parameters[0]);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
