// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/recompute.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sw/compiler/compile.h"
#include "sw/compiler/memory_account.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::compiler {
namespace {

constexpr std::int64_t kib4_tile = 8 * 128 * 4;  // f32[8,128]
constexpr std::int64_t scalar = 4;               // the zero that a sum begins with

/// a is read by b and by the end; in between is an array of sixteen tiles.
ir::Module with_a_long_life() {
  ir::build::GraphBuilder g("test");
  const ir::InstructionId x = g.parameter(ir::make_shape(ir::ElementType::f32, {8, 128}), "x");
  const ir::InstructionId a = g.negate(x);
  const ir::InstructionId b = g.tanh(a);
  const ir::InstructionId many = g.broadcast(b, {16, 8, 128}, {1, 2});
  return std::move(g).build(g.add(a, g.reduce_add(many, {0})));
}

// x, a, b and the sixteen tiles at the broadcast; x, a, the sixteen tiles and the sum at the reduction. Without a there
// is one tile less in both.
TEST(Recompute, AnArrayIsMadeAgainBeforeItsNextReader) {
  const ir::Module module = with_a_long_life();
  ASSERT_EQ(account_memory(module).peak.value(), 19 * kib4_tile + scalar);
  const RecomputedModule again = recompute_to_fit(module, base::Bytes(18 * kib4_tile + scalar), hw::tpu_v3());
  EXPECT_EQ(again.ops, 1);
  EXPECT_EQ(account_memory(again.module).peak.value(), 18 * kib4_tile + scalar);
  const ir::Computation& entry = again.module.entry_computation();
  EXPECT_EQ(std::ranges::count(entry.instructions, ir::Opcode::negate, &ir::Instruction::opcode), 2);
  const ir::Instruction& end = entry[entry.root];
  EXPECT_EQ(end.operands[0], entry.root - 1) << "right before it is read";
  EXPECT_TRUE(entry[end.operands[0]].op_name.starts_with("rematerialised/"));
}

TEST(Recompute, NothingRunsTwiceIfTheMemoryIsEnough) {
  const ir::Module module = with_a_long_life();
  const RecomputedModule same = recompute_to_fit(module, base::Bytes(19 * kib4_tile + scalar), hw::tpu_v3());
  EXPECT_EQ(same.ops, 0);
  EXPECT_EQ(same.module.entry_computation().instructions.size(), module.entry_computation().instructions.size());
}

// The cheaper of two arrays of one size is made again: a negation reads one tile, the product of 128 x 128 weights also
// those.
TEST(Recompute, TheArrayThatCostsLeastIsMadeAgain) {
  ir::build::GraphBuilder g("test");
  const ir::InstructionId x = g.parameter(ir::make_shape(ir::ElementType::f32, {1024, 1024}), "x");
  const ir::InstructionId w = g.parameter(ir::make_shape(ir::ElementType::f32, {1024, 1024}), "w");
  const ir::InstructionId cheap = g.negate(x);
  const ir::InstructionId dear = g.dot(x, w, {{}, {}, {1}, {0}});
  const ir::InstructionId many = g.broadcast(g.add(cheap, dear), {16, 1024, 1024}, {1, 2});
  const ir::InstructionId end = g.add(g.multiply(cheap, dear), g.reduce_add(many, {0}));
  const ir::Module module = std::move(g).build(end);
  const base::Bytes peak = account_memory(module).peak;
  const RecomputedModule again = recompute_to_fit(module, peak - base::Bytes(1), hw::tpu_v3());
  EXPECT_EQ(again.ops, 1);
  const auto& instructions = again.module.entry_computation().instructions;
  EXPECT_EQ(std::ranges::count(instructions, ir::Opcode::negate, &ir::Instruction::opcode), 2);
  EXPECT_EQ(std::ranges::count(instructions, ir::Opcode::dot, &ir::Instruction::opcode), 1);
}

std::vector<ir::Literal> random_arguments(const ir::Module& module) {
  std::vector<ir::Literal> arguments;
  for (const ir::InstructionId id : module.entry_computation().parameters) {
    arguments.push_back(ir::testing::random_literal(module.entry_computation()[id].shape, unsigned(id)));
  }
  return arguments;
}

RC_GTEST_PROP(Recompute, RepeatedOpsChangeNoBitAndTakeNoMoreMemory, ()) {
  const ir::Module fused = sw::compiler::fused(testing::RandomModule::make(), hw::tpu_v3());
  const base::Bytes peak = account_memory(fused).peak;
  const RecomputedModule again = recompute_to_fit(fused, base::Bytes(0), hw::tpu_v3());
  ir::build::verify(again.module);
  RC_ASSERT(account_memory(again.module).peak <= peak);
  RC_TAG(again.ops > 0);
  const std::vector<ir::Literal> arguments = random_arguments(fused);
  RC_ASSERT(ir::same_values(ir::eval::evaluate(again.module, arguments), ir::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
