// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_order.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sw/compiler/compile.h"
#include "sw/compiler/memory_account.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/ir/hlo_text.h"

namespace podsim::sw::compiler {
namespace {

constexpr std::int64_t ordered_tile = 8 * 128 * 4;

std::vector<std::string> names_in_order(const ir::Module& module) {
  std::vector<std::string> names;
  for (const ir::Instruction& instruction : module.entry_computation().instructions) names.push_back(instruction.name);
  return names;
}

int place_in_order(const ir::Module& module, const std::string& name) {
  const std::vector<std::string> order = names_in_order(module);
  return int(std::ranges::find(order, name) - order.begin());
}

/// Two arrays of four tiles whose maxima come last, behind an array of twelve tiles.
ir::Module with_late_maxima() {
  ir::build::GraphBuilder g("late_maxima");
  const auto wide = [&](ir::InstructionId x, std::int64_t copies) { return g.broadcast(x, {copies, 8, 128}, {1, 2}); };
  const ir::InstructionId x = g.parameter(ir::make_shape(ir::ElementType::f32, {8, 128}), "x");
  const ir::InstructionId first = wide(x, 4);
  const ir::InstructionId second = wide(g.negate(x), 4);
  const ir::InstructionId many = wide(g.tanh(x), 12);
  std::vector<ir::InstructionId> maxima;
  for (const ir::InstructionId array : {many, first, second}) maxima.push_back(g.reduce_max(array, {0}));
  return std::move(g).build(g.tuple(maxima));
}

// At the maximum of the twelve tiles: x, the maximum, the number it begins with, and 4 + 4 tiles that wait for theirs,
// or these two maxima themselves.
TEST(MemoryOrder, WhatFreesMostComesNext) {
  const ir::Module module = with_late_maxima();
  EXPECT_EQ(account_memory(module).peak.value(), (1 + 1 + 4 + 4 + 12) * ordered_tile + 4);
  const ir::Module ordered = ordered_by_memory(module);
  ir::build::verify(ordered);
  EXPECT_EQ(account_memory(ordered).peak.value(), (1 + 1 + 1 + 1 + 12) * ordered_tile + 4);
}

TEST(MemoryOrder, AScheduledModuleStaysAsItIs) {
  ir::Module module = with_late_maxima();
  module.scheduled = true;
  EXPECT_EQ(names_in_order(ordered_by_memory(module)), names_in_order(module));
}

// The sum would free two tiles before the infeed.
TEST(MemoryOrder, NothingMovesOverAnInstructionWithEffects) {
  const ir::Module module = ir::testing::graph_of_entry(R"(
    x = f32[8,128] parameter(0)
    a = f32[2,8,128] broadcast(x), dimensions={1,2}
    t = token[] after-all()
    i = (f32[8,8,128], token[]) infeed(t)
    b = f32[8,8,128] get-tuple-element(i), index=0
    row = f32[1,8,128] slice(b), slice={[0:1],[0:8],[0:128]}
    low = f32[1,8,128] slice(a), slice={[0:1],[0:8],[0:128]}
    ROOT sum = f32[1,8,128] add(row, low))");
  const ir::Module ordered = ordered_by_memory(module);
  EXPECT_LT(place_in_order(ordered, "a"), place_in_order(ordered, "i"));
  EXPECT_GT(place_in_order(ordered, "low"), place_in_order(ordered, "i"));
}

// The update would free the four tiles of the row that it writes. It stays behind the reader of what it overwrites, and
// what replaces a donated parameter behind the readers of the parameter.
TEST(MemoryOrder, ReadersComeBeforeWhatOverwritesTheirOperand) {
  const ir::Module module = ir::testing::graph_of_entry(R"(
    x = f32[4,8,128] parameter(0)
    p = f32[8,128] parameter(1)
    zero = s32[] constant(0)
    old = f32[4,8,128] exponential(x)
    many = f32[16,8,128] broadcast(p), dimensions={1,2}
    start = f32[2,8,128] slice(many), slice={[0:2],[0:8],[0:128]}
    reader = f32[4,8,128] negate(old)
    row = f32[1,8,128] slice(reader), slice={[0:1],[0:8],[0:128]}
    of_p = f32[8,128] tanh(p)
    new_p = f32[8,128] cosine(p)
    update = f32[4,8,128] dynamic-update-slice(old, start, zero, zero, zero)
    ROOT t = (f32[8,128], f32[4,8,128], f32[1,8,128], f32[8,128]) tuple(new_p, update, row, of_p))");
  const std::vector<ir::Donation> donations{{.output = 0, .parameter = 1}};
  const ir::Module ordered = ordered_by_memory(module, donations);
  EXPECT_LT(place_in_order(ordered, "reader"), place_in_order(ordered, "update"));
  EXPECT_LT(place_in_order(ordered, "of_p"), place_in_order(ordered, "new_p"));
  EXPECT_LT(place_in_order(ordered, "many"), place_in_order(ordered, "new_p"));
}

RC_GTEST_PROP(MemoryOrder, ChangesNoBitAndTakesNoMoreMemory, ()) {
  const ir::Module fused = sw::compiler::fused(testing::RandomModule::make(), hw::tpu_v3());
  const ir::Module ordered = ordered_by_memory(fused);
  ir::build::verify(ordered);
  RC_ASSERT(account_memory(ordered).peak <= account_memory(fused).peak);
  RC_TAG(names_in_order(ordered) != names_in_order(fused));
  const std::vector<ir::Literal> arguments = testing::random_arguments(fused);
  RC_ASSERT(ir::same_values(ir::eval::evaluate(ordered, arguments), ir::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
