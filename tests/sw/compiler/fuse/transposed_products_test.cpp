// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/transposed_products.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler::fuse {
namespace {

/// Number of transposes after the pass, which must not change a bit of the result.
std::ptrdiff_t transposes_left(const std::string& body) {
  const hlo::Module before = hlo::text::testing::graph_of("HloModule m\nENTRY main {\n" + body + "}\n");
  hlo::Module after = before;
  exchange_operands_of_transposed_dots(after.computations[std::size_t(after.entry)]);
  hlo::build::verify(after);
  std::vector<hlo::Literal> arguments;
  const hlo::Computation& entry = before.entry_computation();
  for (const hlo::InstructionId parameter : entry.parameters) {
    arguments.push_back(hlo::testing::random_literal(entry[parameter].shape, int(arguments.size()) + 1));
  }
  EXPECT_TRUE(hlo::same_values(hlo::eval::evaluate(before, arguments), hlo::eval::evaluate(after, arguments)));
  return std::ranges::count(after.entry_computation().instructions, hlo::Opcode::transpose, &hlo::Instruction::opcode);
}

TEST(TransposedProducts, RowsAndColumnsThatAreExchangedExchangeTheOperands) {
  EXPECT_EQ(transposes_left("  a = f32[5,3] parameter(0)\n  b = f32[5,4] parameter(1)\n  w = f32[4,3] parameter(2)\n"
                            "  d = f32[3,4] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
                            "  t = f32[4,3] transpose(d), dimensions={1,0}\n  ROOT u = f32[4,3] subtract(w, t)\n"),
            0);
}

TEST(TransposedProducts, BatchesStayInFrontAndSidesMayHaveSeveralDimensions) {
  EXPECT_EQ(transposes_left("  a = bf16[2,5,3] parameter(0)\n  b = bf16[5,2,4,6] parameter(1)\n"
                            "  d = bf16[2,3,4,6] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={1}, "
                            "lhs_contracting_dims={1}, rhs_contracting_dims={0}, operand_precision={highest,default}\n"
                            "  ROOT t = bf16[2,4,6,3] transpose(d), dimensions={0,2,3,1}\n"),
            0);
}

TEST(TransposedProducts, WhatIsNoExchangeOrHasOtherReadersStays) {
  const std::string product =
      "  a = f32[5,3,2] parameter(0)\n  b = f32[5,4] parameter(1)\n"
      "  d = f32[3,2,4] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n";
  EXPECT_EQ(transposes_left(product + "  ROOT t = f32[2,3,4] transpose(d), dimensions={1,0,2}\n"), 1);
  EXPECT_EQ(transposes_left(product + "  ROOT t = f32[4,2,3] transpose(d), dimensions={2,1,0}\n"), 1);
  EXPECT_EQ(transposes_left(product + "  ROOT t = f32[4,3,2] transpose(d), dimensions={2,0,1}\n"), 0);
  EXPECT_EQ(transposes_left(product + "  t = f32[4,3,2] transpose(d), dimensions={2,0,1}\n"
                                      "  ROOT r = (f32[3,2,4], f32[4,3,2]) tuple(d, t)\n"),
            1);
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
