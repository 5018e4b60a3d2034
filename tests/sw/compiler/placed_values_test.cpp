// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/placed_values.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "sw/compiler/lowering.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "tests/hlo/hlo_text.h"
#include "tests/hlo/literals.h"
#include "tests/sw/compiler/random_module.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

sw::TargetMachine machine_with(base::Bytes values) {
  sw::TargetMachine machine = sw::tpu_v3();
  machine.compiler.vmem_for_values = values;
  return machine;
}

constexpr std::int64_t square = 512 * 512 * 4;

/// x, the squares a, b and c in a chain, and their sum.
hlo::Module chain() {
  return hlo::testing::graph_of_entry(R"(
    x = f32[512,512] parameter(0)
    w = f32[512,512] parameter(1)
    a = f32[512,512] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[512,512] dot(a, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    c = f32[512,512] dot(b, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT d = f32[512,512] dot(c, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
}

std::int64_t space_of(const hlo::Module& module, const char* name) {
  const auto& instructions = module.entry_computation().instructions;
  return std::ranges::find(instructions, name, &hlo::Instruction::name)->shape.memory_space;
}

hw::LevelBytes traffic(const Program& program) {
  hw::LevelBytes sum;
  for (const ProgramItem& item : program.items) {
    if (item.kind != ProgramItem::Kind::op) continue;
    for (const hw::TileRun& run : program.ops[std::size_t(item.index)].tiles.runs) {
      for (const hw::TileTransfer& transfer : run.work.reads) sum[transfer.level] += transfer.bytes * run.count;
      for (const hw::TileTransfer& transfer : run.work.writes) sum[transfer.level] += transfer.bytes * run.count;
    }
  }
  return sum;
}

// Each of a, b and c is written once and read once; two neighbours are needed at the same time.
TEST(PlacedValues, SaveTheirWriteAndTheirReads) {
  const sw::TargetMachine machine = machine_with(base::Bytes(2 * square));
  const hlo::Module placed = place_values(chain(), machine);
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(space_of(placed, name), 1) << name;
  for (const char* name : {"x", "w", "d"}) EXPECT_EQ(space_of(placed, name), 0) << name;
  const base::Bytes before = traffic(lower(chain(), machine)).total(), after = traffic(lower(placed, machine)).total();
  EXPECT_EQ((before - after).value(), 6 * square);
  EXPECT_EQ(account_memory(placed).peak.value(), 3 * square) << "x, w and d";
}

TEST(PlacedValues, AreOnlyThoseThatFitTogether) {
  const hlo::Module placed = place_values(chain(), machine_with(base::Bytes(square)));
  EXPECT_EQ(space_of(placed, "a") + space_of(placed, "b") + space_of(placed, "c"), 2) << "a and c, not b beside them";
  EXPECT_EQ(space_of(placed, "b"), 0);
}

TEST(PlacedValues, NoneAreThereByDefault) {
  const hlo::Module placed = place_values(chain(), sw::tpu_v3());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(space_of(placed, name), 0) << name;
}

TEST(PlacedValues, GoToADeclaredLevelWhereVmemHasNoRoom) {
  sw::TargetMachine machine = sw::cmem_machine();
  machine.compiler.vmem_for_values = base::Bytes(square);
  const hlo::Module placed = place_values(chain(), machine);
  EXPECT_EQ(space_of(placed, "a"), 1);
  EXPECT_EQ(space_of(placed, "b"), 2) << "beside a and c in VMEM";
  EXPECT_EQ(space_of(placed, "c"), 1);
  const hw::LevelBytes moved = traffic(lower(placed, machine));
  EXPECT_EQ(moved[2].value(), 2 * square) << "b is written once and read once";
  EXPECT_EQ(moved[hw::level::hbm], traffic(lower(chain(), machine))[hw::level::hbm] - base::Bytes(6 * square));
}

// A core's half of the level is 64 MiB; each of a, b and c is alive at the same time as the next.
TEST(PlacedValues, HaveOnlyACoresPartOfASharedLevel) {
  sw::TargetMachine machine = sw::cmem_machine();
  machine.levels.front().capacity = base::Bytes(2 * square);
  const hlo::Module shared = place_values(chain(), machine);
  EXPECT_EQ(space_of(shared, "a") + space_of(shared, "b") + space_of(shared, "c"), 4) << "two of three";
  machine.levels.front().parts = 1;
  const hlo::Module alone = place_values(chain(), machine);
  EXPECT_EQ(space_of(alone, "a") + space_of(alone, "b") + space_of(alone, "c"), 6);
}

TEST(PlacedValues, AreNotInALevelThatIsSlowerThanTheHbm) {
  sw::TargetMachine machine = sw::cmem_machine();
  machine.levels.front().write_rate = base::Bandwidth(100e9);
  EXPECT_FALSE(has_room_for_values(machine));
  EXPECT_EQ(space_of(place_values(chain(), machine), "a"), 0);
}

TEST(PlacedValues, TheAccountHasARowForEachMemory) {
  sw::TargetMachine machine = sw::cmem_machine();
  machine.compiler.vmem_for_values = base::Bytes(square);
  const MemoryAccount account = account_memory(place_values(chain(), machine), {}, 3);
  ASSERT_EQ(account.levels.size(), 2U);
  EXPECT_EQ(account.levels[0].number, 1);
  EXPECT_EQ(account.levels[0].peak.value(), square) << "a, then c";
  EXPECT_EQ(account.levels[1].number, 2);
  EXPECT_EQ(account.levels[1].peak.value(), square) << "b";
  EXPECT_EQ(account.levels[1].largest_at_peak.front().name, "b");
  EXPECT_EQ(account.peak.value(), 3 * square) << "x, w and d in the HBM";
  EXPECT_TRUE(account_memory(chain(), {}, 3).levels.empty());
}

TEST(PlacedValues, WhatACollectiveReadsStaysInHbm) {
  const hlo::Module module = hlo::testing::graph_of_entry(R"(
    x = f32[512,512] parameter(0)
    a = f32[512,512] exponential(x)
    s = f32[512,512] all-reduce(a), replica_groups={}, to_apply=add_f32
    b = f32[512,512] exponential(s)
    ROOT c = f32[512,512] exponential(b))",
                                                          hlo::testing::scalar_functions);
  const hlo::Module placed = place_values(module, machine_with(base::Bytes(4 * square)));
  EXPECT_EQ(space_of(placed, "a"), 0);
  EXPECT_EQ(space_of(placed, "s"), 0);
  EXPECT_EQ(space_of(placed, "b"), 1);
}

TEST(PlacedValues, LeaveAScheduledTextAsItIs) {
  hlo::Module module = chain();
  module.scheduled = true;
  EXPECT_EQ(space_of(place_values(module, machine_with(base::Bytes(2 * square))), "a"), 0);
}

RC_GTEST_PROP(PlacedValues, ChangeNoBitAndFitTheirPart, ()) {
  const hlo::Module fused = sw::driver::fused(testing::RandomModule::make(), sw::tpu_v3());
  const base::Bytes part(*rc::gen::inRange<std::int64_t>(4096, 1 << 16));
  const bool in_vmem = *rc::gen::arbitrary<bool>();
  sw::TargetMachine machine = in_vmem ? machine_with(part) : sw::cmem_machine();
  if (!in_vmem) machine.levels.front().capacity = 2 * part;
  const hlo::Module placed = place_values(fused, machine);
  hlo::build::verify(placed);
  // The bytes of HBM that the placed values leave at any position are no more than their part of VMEM or of the level.
  const Liveness before = find_liveness(fused), after = find_liveness(placed);
  for (std::size_t i = 0; i < before.live.size(); ++i) {
    RC_ASSERT(after.live[i] <= before.live[i]);
    RC_ASSERT(before.live[i] - after.live[i] <= part);
  }
  std::vector<hlo::Literal> arguments;
  for (const hlo::InstructionId id : fused.entry_computation().parameters) {
    arguments.push_back(hlo::testing::random_literal(fused.entry_computation()[id].shape, unsigned(id)));
  }
  RC_ASSERT(hlo::same_values(hlo::eval::evaluate(placed, arguments), hlo::eval::evaluate(fused, arguments)));
}

}  // namespace
}  // namespace podsim::sw::compiler
