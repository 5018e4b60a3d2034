// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/overlap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "sw/compiler/memory_account.h"
#include "tests/hlo/literals.h"
#include "tests/hlo/text/graph_of.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

using Names = std::vector<std::string>;

hlo::Module overlapped(const hlo::Module& module, const sw::TargetMachine& machine = sw::tpu_v3()) {
  return overlap_collectives(module, machine, {});
}

/// Names of the products, updates, collectives and dones of the entry, in order.
Names order_of(const hlo::Module& module) {
  Names names;
  for (const hlo::Instruction& instruction : module.entry_computation().instructions) {
    if (instruction.opcode == hlo::Opcode::dot || instruction.opcode == hlo::Opcode::dynamic_update_slice ||
        hlo::is_collective(instruction.opcode)) {
      names.push_back(instruction.name);
    }
  }
  return names;
}

/// A module whose entry has these lines behind its parameters: x and w of bf16[2048,2048], s of bf16[512,512], and the
/// parts p of bf16[16,2048].
hlo::Module module_of(const std::string& lines, const std::string& attributes = "") {
  return hlo::text::testing::graph_of("HloModule m, replica_count=128" + attributes + R"(
add {
  a = bf16[] parameter(0)
  b = bf16[] parameter(1)
  ROOT sum = bf16[] add(a, b)
}
ENTRY e {
  x = bf16[2048,2048] parameter(0)
  w = bf16[2048,2048] parameter(1)
  s = bf16[512,512] parameter(2)
  p = bf16[16,2048] parameter(3)
  i = s32[] parameter(4)
)" + lines + "}\n");
}

constexpr const char* product = ", lhs_contracting_dims={1}, rhs_contracting_dims={0}\n";

std::string dot(const std::string& name, const std::string& lhs, const std::string& rhs, const std::string& type) {
  return "  " + name + " = " + type + " dot(" + lhs + ", " + rhs + ")" + product;
}

constexpr const char* large = "bf16[2048,2048]";
constexpr const char* small = "bf16[512,512]";

// 8 MiB over two links take 60 us; the product of 512 x 512 less than 10 us.
TEST(Overlap, OpsThatDoNotWaitGoBeforeThoseThatDo) {
  const std::string lines = dot("first", "x", "w", large) +
                            "  sum = bf16[2048,2048] all-reduce(first), replica_groups={}, to_apply=add\n" +
                            dot("reader", "sum", "w", large) + dot("other", "s", "s", small) +
                            "  ROOT t = (bf16[2048,2048], bf16[512,512]) tuple(reader, other)\n";
  EXPECT_EQ(order_of(overlapped(module_of(lines))), (Names{"first", "sum", "other", "sum.done", "reader"}));
}

// 512 KiB over two links take 4 us, the other product nearly 300.
TEST(Overlap, AnOpThatIsMuchLongerThanTheWaitDoesNotGoFirst) {
  const std::string lines = dot("first", "s", "s", small) +
                            "  sum = bf16[512,512] all-reduce(first), replica_groups={}, to_apply=add\n" +
                            dot("reader", "sum", "s", small) + dot("other", "x", "w", large) +
                            "  ROOT t = (bf16[512,512], bf16[2048,2048]) tuple(reader, other)\n";
  EXPECT_EQ(order_of(overlapped(module_of(lines))), (Names{"first", "sum", "sum.done", "reader", "other"}));
}

// 8 MiB over four links take 30 us, and every product of 2048 x 2048 x 2048 nearly 300.
TEST(Overlap, WeightsAreGatheredBesideTheOpBeforeTheirReader) {
  const std::string lines = dot("first", "x", "w", large) + dot("second", "first", "w", large) +
                            "  all = bf16[2048,2048] all-gather(p), replica_groups={}, dimensions={0}\n" +
                            dot("reader", "second", "all", large) + "  ROOT t = (bf16[2048,2048]) tuple(reader)\n";
  EXPECT_EQ(order_of(overlapped(module_of(lines))), (Names{"first", "all", "second", "all.done", "reader"}));
}

TEST(Overlap, AnUpdateInPlaceComesBehindAReaderThatWaits) {
  const std::string lines = dot("first", "x", "w", large) +
                            "  sum = bf16[2048,2048] all-reduce(first), replica_groups={}, to_apply=add\n" +
                            dot("reader", "sum", "x", large) +
                            "  row = bf16[1,2048] slice(w), slice={[0:1], [0:2048]}\n"
                            "  update = bf16[2048,2048] dynamic-update-slice(x, row, i, i)\n"
                            "  ROOT t = (bf16[2048,2048], bf16[2048,2048]) tuple(reader, update)\n";
  EXPECT_EQ(order_of(overlapped(module_of(lines))), (Names{"first", "sum", "sum.done", "reader", "update"}));
}

TEST(Overlap, ACollectiveThatIsTheResultIsWaitedFor) {
  const std::string lines = dot("first", "x", "w", large) +
                            "  ROOT sum = bf16[2048,2048] all-reduce(first), replica_groups={}, to_apply=add\n";
  const hlo::Module module = overlapped(module_of(lines));
  EXPECT_EQ(order_of(module), (Names{"first", "sum", "sum.done"}));
  EXPECT_EQ(module.entry_computation()[module.entry_computation().root].name, "sum.done");
}

TEST(Overlap, AScheduledModuleStaysAsItIs) {
  const std::string lines = dot("first", "x", "w", large) +
                            "  sum = bf16[2048,2048] all-reduce(first), replica_groups={}, to_apply=add\n" +
                            dot("reader", "sum", "w", large) + dot("other", "s", "s", small) +
                            "  ROOT t = (bf16[2048,2048], bf16[512,512]) tuple(reader, other)\n";
  const hlo::Module module = module_of(lines, ", is_scheduled=true");
  EXPECT_EQ(hlo::to_string(overlapped(module)), hlo::to_string(module));
}

// Every gathered weight takes 8 MiB until its reader: with all of them ahead, 24 MiB more than one after another.
TEST(Overlap, DoesNotLookAheadFurtherThanTheMemoryAllows) {
  std::string lines = dot("y0", "x", "w", large);
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    lines += "  all" + n + " = bf16[2048,2048] all-gather(p), replica_groups={}, dimensions={0}\n" +
             dot("y" + next, "y" + n, "all" + n, large);
  }
  const hlo::Module module = module_of(lines + "  ROOT t = (bf16[2048,2048]) tuple(y4)\n");
  sw::TargetMachine machine = sw::tpu_v3();
  machine.ici.link_rate = machine.ici.link_rate * 0.05;  // so that a gather takes as long as two products
  const base::Bytes before = account_memory(module).peak;
  EXPECT_GT(account_memory(overlapped(module, machine)).peak, before);
  machine.hbm.capacity_per_core = before;
  EXPECT_LE(account_memory(overlapped(module, machine)).peak, before);
}

// Gradients that one op reads at the end: a core that waited for their sums there would keep what each of them reads,
// 24 MiB more for each. A core that waits when they are over needs no more than without overlap, and they still
// overlap.
TEST(Overlap, WhatACollectiveReadsIsNotKeptUntilItsResultIsReadWhereMemoryIsShort) {
  std::string lines = dot("y0", "x", "w", large), sum = "p";
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i), next = std::to_string(i + 1);
    lines += dot("g" + n, "y" + n, "w", large) + "  s" + n + " = bf16[16,2048] reduce-scatter(g" + n +
             "), replica_groups={}, dimensions={0}, to_apply=add\n" + dot("y" + next, "y" + n, "x", large);
  }
  for (int i = 0; i < 4; ++i) {
    const std::string n = std::to_string(i);
    lines += "  t" + n + " = bf16[16,2048] add(" + sum + ", s" + n + ")\n";
    sum = "t" + n;
  }
  const hlo::Module module = module_of(lines + "  ROOT t = (bf16[2048,2048], bf16[16,2048]) tuple(y4, t3)\n");
  sw::TargetMachine machine = sw::tpu_v3();
  const base::Bytes before = account_memory(module).peak;
  EXPECT_GT(account_memory(overlapped(module, machine)).peak, before + base::Bytes(16 << 20));
  machine.hbm.capacity_per_core = before + base::Bytes(8 << 20);
  const hlo::Module small_memory = overlapped(module, machine);
  EXPECT_LE(account_memory(small_memory).peak, machine.hbm.capacity_per_core);
  const Names order = order_of(small_memory);
  for (int i = 0; i < 3; ++i) {
    const std::string n = std::to_string(i);
    const auto start = std::ranges::find(order, "s" + n), done = std::ranges::find(order, "s" + n + ".done");
    EXPECT_GT(done - start, 1) << n;
  }
}

/// Small arrays, products and sums of earlier values, some of them all-reduced.
hlo::Module random_module() {
  hlo::build::GraphBuilder b("random");
  std::vector<hlo::InstructionId> values;
  for (const char* name : {"x", "y", "z"}) {
    values.push_back(b.parameter(hlo::make_shape(hlo::ElementType::f32, {4, 4}), name));
  }
  for (int steps = *rc::gen::inRange(1, 30); steps > 0; --steps) {
    const hlo::InstructionId x = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    const hlo::InstructionId y = values[*rc::gen::inRange<std::size_t>(0, values.size())];
    const int kind = *rc::gen::inRange(0, 3);
    values.push_back(kind == 0 ? b.all_reduce(x) : kind == 1 ? b.add(x, y) : b.dot(x, y, {{}, {}, {1}, {0}}));
  }
  return std::move(b).build(b.tuple(values));
}

RC_GTEST_PROP(Overlap, AnyModuleKeepsItsResultsAndEndsWhatItStarts, ()) {
  const hlo::Module module = random_module();
  const hlo::Module changed = overlapped(module);
  hlo::build::verify(changed);
  const hlo::Computation& entry = changed.entry_computation();
  std::vector<int> readers(entry.instructions.size(), 0);
  for (const hlo::Instruction& instruction : entry.instructions) {
    for (const hlo::InstructionId operand : instruction.operands) {
      const bool is_start = entry[operand].phase == hlo::AsyncPhase::start;
      RC_ASSERT(is_start == (instruction.phase == hlo::AsyncPhase::done));
      ++readers[std::size_t(operand)];
    }
  }
  for (std::size_t id = 0; id < readers.size(); ++id) {
    const hlo::AsyncPhase phase = entry.instructions[id].phase;
    RC_ASSERT(entry.instructions[id].opcode != hlo::Opcode::all_reduce || phase != hlo::AsyncPhase::none);
    if (phase == hlo::AsyncPhase::start) RC_ASSERT(readers[id] == 1);
  }
  std::vector<std::vector<hlo::Literal>> arguments(2);
  unsigned seed = 1;
  for (std::vector<hlo::Literal>& own : arguments) {
    for (const hlo::InstructionId id : module.entry_computation().parameters) {
      own.push_back(hlo::testing::random_literal(module.entry_computation()[id].shape, seed++));
    }
  }
  const auto expected = hlo::eval::evaluate_partitions(module, arguments);
  const auto actual = hlo::eval::evaluate_partitions(changed, arguments);
  for (std::size_t p = 0; p < arguments.size(); ++p) {
    for (std::size_t i = 0; i < expected[p].elements.size(); ++i) {
      RC_ASSERT(actual[p].elements[i].values == expected[p].elements[i].values);
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
