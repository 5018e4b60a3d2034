// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/recompute.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "tests/hlo/hlo_text.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

constexpr std::int64_t kib4_tile = 8 * 128 * 4;  // f32[8,128]
constexpr std::int64_t scalar = 4;               // the zero that a sum begins with

RecomputedModule fitted(const hlo::Module& module, base::Bytes capacity) {
  return recompute_to_fit(module, capacity, capacity);
}

/// a is read by b and by the end; in between is an array of sixteen tiles.
hlo::Module with_a_long_life() {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(hlo::make_shape(hlo::ElementType::f32, {8, 128}), "x");
  const hlo::InstructionId a = g.negate(x);
  const hlo::InstructionId b = g.tanh(a);
  const hlo::InstructionId many = g.broadcast(b, {16, 8, 128}, {1, 2});
  return std::move(g).build(g.add(a, g.reduce_add(many, {0})));
}

// x, a, b and the sixteen tiles at the broadcast; x, a, the sixteen tiles and the sum at the reduction. Without a there
// is one tile less in both.
TEST(Recompute, AnArrayIsMadeAgainBeforeItsNextReader) {
  const hlo::Module module = with_a_long_life();
  ASSERT_EQ(account_memory(module).peak.value(), 19 * kib4_tile + scalar);
  const RecomputedModule again = fitted(module, base::Bytes(18 * kib4_tile + scalar));
  EXPECT_EQ(again.ops, 1);
  EXPECT_EQ(account_memory(again.module).peak.value(), 18 * kib4_tile + scalar);
  const hlo::Computation& entry = again.module.entry_computation();
  EXPECT_EQ(std::ranges::count(entry.instructions, hlo::Opcode::negate, &hlo::Instruction::opcode), 2);
  const hlo::Instruction& end = entry[entry.root];
  EXPECT_EQ(end.operands[0], entry.root - 1) << "right before it is read";
  EXPECT_TRUE(entry[end.operands[0]].op_name.starts_with("rematerialised/"));
}

TEST(Recompute, NothingRunsTwiceIfTheMemoryIsEnough) {
  const hlo::Module module = with_a_long_life();
  const RecomputedModule same = fitted(module, base::Bytes(19 * kib4_tile + scalar));
  EXPECT_EQ(same.ops, 0);
  EXPECT_EQ(same.module.entry_computation().instructions.size(), module.entry_computation().instructions.size());
}

// Both products are read before and after the peak. The larger one is made again, as XLA's pass does.
TEST(Recompute, TheArrayThatFreesMostIsMadeAgain) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 1024}), "x");
  const hlo::InstructionId w = g.parameter(hlo::make_shape(hlo::ElementType::f32, {1024, 2048}), "w");
  const hlo::InstructionId little = g.negate(x);
  const hlo::InstructionId much = g.dot(x, w, {{}, {}, {1}, {0}});
  const hlo::InstructionId left = g.slice(much, {{0, 1024}, {0, 1024}});
  const hlo::InstructionId many = g.broadcast(g.add(little, left), {16, 1024, 1024}, {1, 2});
  const hlo::InstructionId end = g.add(g.multiply(little, left), g.reduce_add(many, {0}));
  const hlo::Module module = std::move(g).build(g.tuple({end, g.negate(much)}));
  const base::Bytes peak = account_memory(module).peak;
  const RecomputedModule again = fitted(module, peak - base::Bytes(1));
  EXPECT_EQ(again.ops, 1);
  const auto& instructions = again.module.entry_computation().instructions;
  EXPECT_EQ(std::ranges::count(instructions, hlo::Opcode::dot, &hlo::Instruction::opcode), 2);
}

// A fusion of two results, a product and random numbers, all of the same size and read again behind the peak.
hlo::Module with_several_results() {
  return hlo::testing::graph_of(R"(HloModule m
    pair {
      p = f32[64,1024] parameter(0)
      n = f32[64,1024] negate(p)
      e = f32[1,1024] slice(n), slice={[0:1],[0:1024]}
      f = f32[1,1024] exponential(e)
      ROOT t = (f32[64,1024], f32[1,1024]) tuple(n, f)
    }
    ENTRY e {
      x = f32[64,1024] parameter(0)
      zero = f32[] constant(0)
      one = f32[] constant(1)
      r = f32[64,1024] rng(zero, one), distribution=rng_uniform
      n = f32[64,1024] negate(x)
      f = (f32[64,1024], f32[1,1024]) fusion(x), kind=kLoop, calls=pair
      a = f32[64,1024] get-tuple-element(f), index=0
      b = f32[1,1024] get-tuple-element(f), index=1
      l = f32[1024] reshape(b)
      w = f32[64,1024] broadcast(l), dimensions={1}
      s = f32[64,1024] add(a, n)
      u = f32[64,1024] add(s, w)
      m = f32[64,1024] multiply(u, r)
      wide = f32[16,64,1024] broadcast(m), dimensions={1,2}
      v = f32[16,64,1024] exponential(wide)
      row = f32[1,64,1024] slice(v), slice={[0:1],[0:64],[0:1024]}
      y = f32[64,1024] reshape(row)
      c = f32[64,1024] add(y, a)
      d = f32[64,1024] add(c, n)
      ROOT z = f32[64,1024] add(d, r)
    })");
}

int runs_of(const hlo::Module& module, hlo::Opcode opcode) {
  return int(std::ranges::count(module.entry_computation().instructions, opcode, &hlo::Instruction::opcode));
}

TEST(Recompute, AnOpOfSeveralResultsRunsAgainOnlyIfOthersAreNotEnough) {
  const hlo::Module module = with_several_results();
  const base::Bytes peak = account_memory(module).peak;
  const RecomputedModule one = fitted(module, peak - base::Bytes(1));
  EXPECT_EQ(runs_of(one.module, hlo::Opcode::negate), 2);
  EXPECT_EQ(runs_of(one.module, hlo::Opcode::fusion), 1);
  const RecomputedModule both = fitted(module, account_memory(one.module).peak - base::Bytes(1));
  EXPECT_EQ(runs_of(both.module, hlo::Opcode::negate), 2);
  EXPECT_EQ(runs_of(both.module, hlo::Opcode::fusion), 2);
  EXPECT_EQ(account_memory(both.module).peak.value(), peak.value() - 2 * 64 * 1024 * 4);
}

TEST(Recompute, RandomNumbersAreKept) {
  EXPECT_EQ(runs_of(fitted(with_several_results(), base::Bytes(0)).module, hlo::Opcode::rng), 1);
}

RC_GTEST_PROP(Recompute, RepeatedOpsChangeNoBitAndTakeNoMoreMemory, ()) {
  const hlo::Module fused = sw::driver::fused(testing::RandomModule::make(), sw::tpu_v3());
  const base::Bytes peak = account_memory(fused).peak;
  const RecomputedModule again = fitted(fused, base::Bytes(0));
  hlo::build::verify(again.module);
  RC_ASSERT(account_memory(again.module).peak <= peak);
  RC_TAG(again.ops > 0);
  const std::vector<hlo::Literal> arguments = testing::random_arguments(fused);
  RC_ASSERT(hlo::same_values(hlo::eval::evaluate(again.module, arguments), hlo::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
