// SPDX-License-Identifier: Apache-2.0
#include "sw/target_machine.h"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw {
namespace {

class BadCompilerValue : public ::testing::TestWithParam<const char*> {};

TEST_P(BadCompilerValue, IsAnInputErrorThatNamesItsKey) {
  const std::string assignment = GetParam();
  try {
    tpu_v3_with({assignment});
    FAIL() << assignment << " was accepted";
  } catch (const base::InputError& error) {
    const std::string text = base::format(error.diagnostics().front());
    EXPECT_NE(text.find(assignment.substr(0, assignment.find('='))), std::string::npos) << text;
  }
}

INSTANTIATE_TEST_SUITE_P(TargetMachine, BadCompilerValue,
                         ::testing::Values("compiler.exposed_vector_fraction=2", "compiler.largest_segment=2 PiB",
                                           "compiler.largest_segment=1 B", "compiler.reshape_padding=0",
                                           "compiler.partition_products_per_s=0.5", "compiler.small_op_share=0",
                                           "compiler.vmem_for_values=-1 B", "compiler.vmem_for_values=16 MiB",
                                           "compiler.min_tile=0 B", "host.traced_op=-1 us"));

TEST(TargetMachine, IsTheMachineWithTheCompilersNumbers) {
  const TargetMachine machine = tpu_v3_with({"compiler.op_launch_cycles=7", "compiler.recompute_above=0.5"});
  EXPECT_EQ(machine.compiler.op_launch, base::Cycles(7));
  EXPECT_DOUBLE_EQ(machine.peak_flops_per_core(), hw::tpu_v3().peak_flops_per_core());
  EXPECT_EQ(machine.memory_before_recomputing(), base::Bytes(machine.hbm.usable_per_core().value() / 2));
}

}  // namespace
}  // namespace podsim::sw
