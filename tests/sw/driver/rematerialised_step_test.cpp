// SPDX-License-Identifier: Apache-2.0
// The memory that rematerialisation saves in compiled steps.
#include <gtest/gtest.h>

#include "hlo/transform/rematerialize.h"
#include "sw/compiler/memory_account.h"
#include "sw/driver/compile.h"
#include "tests/hlo/transform/residual_network.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::driver {
namespace {

using hlo::testing::ResidualNetwork;
using hlo::testing::rewritten;
using hlo::testing::training;
using hlo::transform::Rematerialisation;
using hlo::transform::rematerialise;

std::int64_t peak(const hlo::Module& module) {
  return compiler::account_memory(compile(module, sw::tpu_v3()).module).peak.value();
}

// Without rematerialisation the wide values of all layers are live when the backward part begins; with it, those of one
// layer at a time.
TEST(RematerialisedStep, NeedsTheMemoryOfOneLayerInsteadOfAll) {
  const ResidualNetwork n{.layers = 8, .rows = 4096, .width = 128, .hidden = 1024, .type = hlo::ElementType::bf16};
  const hlo::Module module = training(n);
  const std::int64_t wide = n.rows * n.hidden * 2;
  const std::int64_t kept = peak(module), recomputed = peak(rematerialise(module, Rematerialisation::layer).module);
  EXPECT_GE(kept, n.layers * wide);
  EXPECT_LE(recomputed, kept - (n.layers - 3) * wide);
  EXPECT_EQ(peak(rewritten(rematerialise(module, Rematerialisation::layer).module)), recomputed);
}

// The less memory a core has, the more is computed again, until nothing helps.
TEST(RematerialisedStep, ComputesAgainAsLittleAsTheMemoryRequires) {
  const ResidualNetwork n{.layers = 8, .rows = 4096, .width = 128, .hidden = 1024, .type = hlo::ElementType::bf16};
  const hlo::Module module = training(n);
  sw::TargetMachine machine = sw::tpu_v3();
  machine.hbm.reserved_per_core = base::Bytes(0);
  const std::int64_t whole = compile(module, machine).memory.heap.value();
  Rematerialisation last = Rematerialisation::none;
  std::int64_t fits = 0, refused = 0;
  for (std::int64_t share = 100; share > 0; share -= 4) {
    machine.hbm.capacity_per_core = base::Bytes(whole * share / 100);
    try {
      const Step step = compile(module, machine);
      EXPECT_EQ(refused, 0) << share;
      EXPECT_LE(step.memory.heap, machine.hbm.capacity_per_core) << share;
      EXPECT_GE(step.rematerialised.policy, last) << share;
      EXPECT_EQ(step.rematerialised.policy == Rematerialisation::none, step.rematerialised.flops == 0) << share;
      last = step.rematerialised.policy;
      ++fits;
    } catch (const OutOfMemory&) {
      ++refused;
    }
  }
  EXPECT_NE(last, Rematerialisation::none);
  EXPECT_GT(fits, 5);
  EXPECT_GT(refused, 1);
}

}  // namespace
}  // namespace podsim::sw::driver
