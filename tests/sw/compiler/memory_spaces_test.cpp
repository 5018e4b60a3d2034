// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_spaces.h"

#include <gtest/gtest.h>

#include "hlo/rules/instruction_error.h"
#include "sw/driver/compile.h"
#include "tests/hlo/text/graph_of.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

/// A sum whose result is in this memory.
hlo::Module sum_in(const std::string& space, const std::string& shape = "f32[512,1024]") {
  const std::string order = shape.find(',') == shape.rfind(',') ? "{1,0" : "{2,1,0";
  return hlo::text::testing::graph_of("HloModule m, is_scheduled=true\nENTRY %e (x: " + shape + ") -> " + shape +
                                      " {\n  %x = " + shape + order + ":T(8,128)} parameter(0)\n  %s = " + shape +
                                      order + ":T(8,128)" + space + "} add(%x, %x)\n  ROOT %r = " + shape + order +
                                      ":T(8,128)} negate(%s)\n}\n");
}

TEST(MemorySpaces, AProgramNamesMemoriesOfTheMachine) {
  EXPECT_NO_THROW(require_memories(sum_in(""), sw::tpu_v3()));
  EXPECT_NO_THROW(require_memories(sum_in("S(1)"), sw::tpu_v3()));
  EXPECT_NO_THROW(require_memories(sum_in("S(2)"), sw::cmem_machine()));
  EXPECT_THROW(require_memories(sum_in("S(3)"), sw::cmem_machine()), hlo::rules::InstructionError);
}

TEST(MemorySpaces, AnotherMemoryIsRefusedAtItsInstruction) {
  try {
    driver::compile(sum_in("S(2)"), sw::tpu_v3());
    FAIL();
  } catch (const hlo::rules::InstructionError& error) {
    EXPECT_EQ(error.instruction(), "s");
    const base::Diagnostic& said = error.diagnostics().front();
    EXPECT_EQ(said.message, "s has f32[512,1024]{1,0:T(8,128)S(2)} in memory S(2), which tpu-v3 does not have");
    EXPECT_EQ(said.hint, "it has S(0) hbm, S(1) vmem; a table [memory.NAME] of a machine file declares another");
  }
}

// Sync flags and scalars have numbers of their own: S(5) in profiles of TPU v3, S(2) and S(6) in those of later chips.
TEST(MemorySpaces, WhatFitsIntoScalarMemoryMayHaveAnyNumber) {
  EXPECT_NO_THROW(require_memories(sum_in("S(5)", "f32[8,128]"), sw::tpu_v3()));
}

// 68 MiB; a core has 64 MiB of the level, and 16 MiB of VMEM.
TEST(MemorySpaces, WhatDoesNotFitSaysWhichMemory) {
  const auto refusal = [](const std::string& space) -> std::string {
    try {
      driver::compile(sum_in(space, "f32[17,1024,1024]"), sw::cmem_machine());
    } catch (const driver::OutOfMemory& error) {
      EXPECT_EQ(error.diagnostics().front().hint, "the largest buffers there: s 68 MiB");
      return error.diagnostics().front().message;
    }
    return "";
  };
  EXPECT_EQ(refusal(""), "");
  EXPECT_EQ(refusal("S(1)"),
            "out of memory: m needs 68 MiB of vmem per core at its peak (at s), a tpu-v3 core has 16 MiB");
  EXPECT_EQ(refusal("S(2)"),
            "out of memory: m needs 68 MiB of cmem per core at its peak (at s), a tpu-v3 core has 64 MiB");
}

}  // namespace
}  // namespace podsim::sw::compiler
