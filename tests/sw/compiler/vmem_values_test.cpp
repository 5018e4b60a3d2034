// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/vmem_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sw/compiler/lowering.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/ir/hlo_text.h"
#include "tests/sw/ir/literals.h"

namespace podsim::sw::compiler {
namespace {

hw::Machine machine_with(base::Bytes values) {
  hw::Machine machine = hw::tpu_v3();
  machine.compiler.vmem_for_values = values;
  return machine;
}

constexpr std::int64_t square = 512 * 512 * 4;

/// x, the squares a, b and c in a chain, and their sum.
ir::Module chain() {
  return ir::testing::graph_of_entry(R"(
    x = f32[512,512] parameter(0)
    w = f32[512,512] parameter(1)
    a = f32[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[512,512] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    c = f32[512,512] dot(b, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT d = f32[512,512] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
}

std::int64_t in_vmem(const ir::Module& module, const char* name) {
  const auto& instructions = module.entry_computation().instructions;
  return std::ranges::find(instructions, name, &ir::Instruction::name)->shape.memory_space;
}

base::Bytes traffic(const Program& program) {
  base::Bytes sum;
  for (const ProgramItem& item : program.items) {
    if (item.kind != ProgramItem::Kind::op) continue;
    for (const hw::TileRun& run : program.ops[std::size_t(item.index)].tiles.runs) {
      for (const hw::TileTransfer& transfer : run.work.reads) sum += transfer.bytes * run.count;
      for (const hw::TileTransfer& transfer : run.work.writes) sum += transfer.bytes * run.count;
    }
  }
  return sum;
}

// Each of a, b and c is written once and read once; two neighbours are needed at the same time.
TEST(VmemValues, SaveTheirWriteAndTheirReads) {
  const hw::Machine machine = machine_with(base::Bytes(2 * square));
  const ir::Module placed = place_values_in_vmem(chain(), machine);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(in_vmem(placed, name), 1) << name;
  for (const char* name : {"x", "w", "d"}) EXPECT_EQ(in_vmem(placed, name), 0) << name;
  const base::Bytes before = traffic(lower(chain(), machine)), after = traffic(lower(placed, machine));
  EXPECT_EQ((before - after).value(), 6 * square);
  EXPECT_EQ(account_memory(placed).peak.value(), 3 * square) << "x, w and d";
}

TEST(VmemValues, AreOnlyThoseThatFitTogether) {
  const ir::Module placed = place_values_in_vmem(chain(), machine_with(base::Bytes(square)));
  EXPECT_EQ(in_vmem(placed, "a") + in_vmem(placed, "b") + in_vmem(placed, "c"), 2) << "a and c, not b beside them";
  EXPECT_EQ(in_vmem(placed, "b"), 0);
}

TEST(VmemValues, NoneAreThereByDefault) {
  const ir::Module placed = place_values_in_vmem(chain(), hw::tpu_v3());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(in_vmem(placed, name), 0) << name;
}

TEST(VmemValues, WhatACollectiveReadsStaysInHbm) {
  const ir::Module module = ir::testing::graph_of_entry(R"(
    x = f32[512,512] parameter(0)
    a = f32[512,512] exponential(x)
    s = f32[512,512] all-reduce(a), replica_groups={}, to_apply=add_f32
    b = f32[512,512] exponential(s)
    ROOT c = f32[512,512] exponential(b))",
                                                        ir::testing::scalar_functions);
  const ir::Module placed = place_values_in_vmem(module, machine_with(base::Bytes(4 * square)));
  EXPECT_EQ(in_vmem(placed, "a"), 0);
  EXPECT_EQ(in_vmem(placed, "s"), 0);
  EXPECT_EQ(in_vmem(placed, "b"), 1);
}

TEST(VmemValues, LeaveAScheduledTextAsItIs) {
  ir::Module module = chain();
  module.scheduled = true;
  EXPECT_EQ(in_vmem(place_values_in_vmem(module, machine_with(base::Bytes(2 * square))), "a"), 0);
}

RC_GTEST_PROP(VmemValues, ChangeNoBitAndFitTheirPart, ()) {
  const ir::Module fused = sw::driver::fused(testing::RandomModule::make(), hw::tpu_v3());
  const base::Bytes part(*rc::gen::inRange<std::int64_t>(4096, 1 << 16));
  const ir::Module placed = place_values_in_vmem(fused, machine_with(part));
  ir::build::verify(placed);
  // The bytes of HBM that the placed values leave at any position are no more than their part of VMEM.
  const Liveness before = find_liveness(fused), after = find_liveness(placed);
  for (std::size_t i = 0; i < before.live.size(); ++i) {
    RC_ASSERT(after.live[i] <= before.live[i]);
    RC_ASSERT(before.live[i] - after.live[i] <= part);
  }
  std::vector<ir::Literal> arguments;
  for (const ir::InstructionId id : fused.entry_computation().parameters) {
    arguments.push_back(ir::testing::random_literal(fused.entry_computation()[id].shape, unsigned(id)));
  }
  RC_ASSERT(ir::same_values(ir::eval::evaluate(placed, arguments), ir::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
