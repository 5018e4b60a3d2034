// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/narrow_lookups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using enum hlo::ElementType;

/// Rows of an f32 table; if `wide`, they are also read as they are.
hlo::Module lookup(bool wide) {
  build::GraphBuilder b("lookup");
  const hlo::InstructionId table = b.parameter(hlo::make_shape(f32, {6, 4}), "table");
  const hlo::InstructionId indices = b.parameter(hlo::make_shape(s32, {3, 1}), "indices");
  const hlo::InstructionId rows = b.gather(table, indices, {{1}, {0}, {0}, {}, {}, 1}, {1, 4});
  const hlo::InstructionId narrow = b.convert(rows, bf16);
  const hlo::InstructionId sum = b.add(narrow, narrow);
  return std::move(b).build(b.tuple(wide ? std::vector{sum, rows} : std::vector{sum}));
}

const hlo::Instruction& gather_of(const hlo::Module& module) {
  return *std::ranges::find(module.entry_computation().instructions, hlo::Opcode::gather, &hlo::Instruction::opcode);
}

TEST(NarrowLookups, ReadRowsOfTheConvertedTableWithTheSameValues) {
  const hlo::Module before = lookup(false), after = narrow_lookups(before);
  build::verify(after);
  EXPECT_EQ(gather_of(after).shape.element_type, bf16);
  const std::vector arguments{hlo::testing::random_literal(hlo::make_shape(f32, {6, 4}), 1),
                              hlo::testing::make_literal(s32, {3, 1}, {5, 0, 2})};
  EXPECT_EQ(eval::evaluate(after, arguments).elements[0].values, eval::evaluate(before, arguments).elements[0].values);
}

TEST(NarrowLookups, StayWideWhereRowsAreReadWide) {
  const hlo::Module after = narrow_lookups(lookup(true));
  build::verify(after);
  EXPECT_EQ(gather_of(after).shape.element_type, f32);
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
