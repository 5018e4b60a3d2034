// SPDX-License-Identifier: Apache-2.0
#include "hlo/spmd/propagate/own_constants.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/spmd/annotated_text.h"

namespace podsim::hlo::spmd::propagate {
namespace {

using enum hlo::ElementType;

constexpr std::int64_t length = 8;

/// Two vectors that have nothing in common but the numbers 0 to 7, added to both, and the zeros below which neither is.
hlo::Module unrelated_vectors() {
  build::GraphBuilder b("vectors");
  const hlo::Shape shape = hlo::make_shape(s32, {length});
  const hlo::InstructionId x = b.parameter(shape, "x"), y = b.parameter(shape, "y"), numbers = b.iota(shape, 0);
  const hlo::InstructionId zeros = b.full(shape, 0);
  const auto counted = [&](hlo::InstructionId value) { return b.maximum(b.add(value, numbers), zeros); };
  const hlo::InstructionId left = counted(x), right = counted(y);
  return std::move(b).build(b.tuple({left, right}));
}

std::ptrdiff_t count(const hlo::Module& module, hlo::Opcode opcode) {
  return std::ranges::count(module.entry_computation().instructions, opcode, &hlo::Instruction::opcode);
}

TEST(OwnConstants, AreOneForEachReaderWithTheSameValues) {
  const hlo::Module before = unrelated_vectors(), after = give_own_constants(before);
  build::verify(after);
  EXPECT_EQ(count(before, Opcode::iota), 1);
  EXPECT_EQ(count(after, Opcode::iota), 2);
  EXPECT_EQ(count(after, Opcode::broadcast), 2);
  const std::vector arguments{hlo::testing::random_literal(hlo::make_shape(s32, {length}), 1),
                              hlo::testing::random_literal(hlo::make_shape(s32, {length}), 2)};
  const hlo::Literal expected = eval::evaluate(before, arguments), found = eval::evaluate(after, arguments);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(found.elements[i].values, expected.elements[i].values);
}

// A reader that reads it twice has one; names are free, whatever other values are called.
TEST(OwnConstants, HaveNamesOfTheirOwn) {
  const hlo::Module before = hlo::testing::graph_of_entry(R"(
    x = s32[8] parameter(0)  iota = s32[8] iota(), iota_dimension=0  iota.2 = s32[8] negate(x)
    iota.3 = s32[8] add(iota.2, iota)  square = s32[8] multiply(iota, iota)  ROOT sum = s32[8] add(iota.3, square))");
  const hlo::Module after = give_own_constants(before);
  build::verify(after);
  EXPECT_EQ(count(after, Opcode::iota), 2);
  std::set<std::string> names;
  for (const hlo::Instruction& instruction : after.entry_computation().instructions) {
    EXPECT_TRUE(names.insert(instruction.name).second) << instruction.name;
  }
}

/// `left` is split over the cores with x, `right` has only the numbers in common with it and remains whole.
TEST(OwnConstants, DoNotSpreadShardingsToOtherReaders) {
  const hlo::Module shared = hlo::testing::graph_of_entry(R"(
    x = s32[8] parameter(0)  y = s32[8] parameter(1)  numbers = s32[8] iota(), iota_dimension=0
    left = s32[8] add(x, numbers)  right = s32[8] add(y, numbers)
    ROOT both = (s32[8], s32[8]) tuple(left, right))");
  for (const bool own : {false, true}) {
    const hlo::Module program = own ? give_own_constants(shared) : shared;
    const testing::Propagated p(program, mesh::Mesh::parse("core=2"), {{"x", {"core"}}});
    EXPECT_EQ(p("left"), "[core]");
    EXPECT_EQ(p("right"), own ? "replicated" : "[core]");
  }
}

}  // namespace
}  // namespace podsim::hlo::spmd::propagate
