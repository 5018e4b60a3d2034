// SPDX-License-Identifier: Apache-2.0
#include "sw/spmd/propagate/narrow_lookups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sw/ir/build/graph_builder.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::spmd::propagate {
namespace {

using enum ir::ElementType;

/// Rows of an f32 table; if `wide`, they are also read as they are.
ir::Module lookup(bool wide) {
  ir::build::GraphBuilder b("lookup");
  const ir::InstructionId table = b.parameter(ir::make_shape(f32, {6, 4}), "table");
  const ir::InstructionId indices = b.parameter(ir::make_shape(s32, {3, 1}), "indices");
  const ir::InstructionId rows = b.gather(table, indices, {{1}, {0}, {0}, {}, {}, 1}, {1, 4});
  const ir::InstructionId narrow = b.convert(rows, bf16);
  const ir::InstructionId sum = b.add(narrow, narrow);
  return std::move(b).build(b.tuple(wide ? std::vector{sum, rows} : std::vector{sum}));
}

const ir::Instruction& gather_of(const ir::Module& module) {
  return *std::ranges::find(module.entry_computation().instructions, ir::Opcode::gather, &ir::Instruction::opcode);
}

TEST(NarrowLookups, ReadRowsOfTheConvertedTableWithTheSameValues) {
  const ir::Module before = lookup(false), after = narrow_lookups(before);
  ir::build::verify(after);
  EXPECT_EQ(gather_of(after).shape.element_type, bf16);
  const std::vector arguments{ir::testing::random_literal(ir::make_shape(f32, {6, 4}), 1),
                              ir::testing::make_literal(s32, {3, 1}, {5, 0, 2})};
  EXPECT_EQ(ir::eval::evaluate(after, arguments).elements[0].values,
            ir::eval::evaluate(before, arguments).elements[0].values);
}

TEST(NarrowLookups, StayWideWhereRowsAreReadWide) {
  const ir::Module after = narrow_lookups(lookup(true));
  ir::build::verify(after);
  EXPECT_EQ(gather_of(after).shape.element_type, f32);
}

}  // namespace
}  // namespace podsim::sw::spmd::propagate
