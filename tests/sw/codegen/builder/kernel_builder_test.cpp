// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/kernel_builder.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hw/isa/encoding.h"
#include "tests/hw/test_machine.h"

namespace podsim::sw::codegen::builder {
namespace {

using hw::isa::Bundle;
using hw::isa::Opcode;
using hw::isa::Slot;

int address_of(const std::vector<hw::isa::Bundle>& bundles, hw::isa::Opcode opcode) {
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    for (const auto& slot : bundles[i].slot) {
      if (slot && slot->opcode == opcode) return int(i);
    }
  }
  return -1;
}

TEST(KernelBuilder, AnEmptyKernelHaltsAtOnce) {
  const hw::isa::Program program = KernelBuilder(hw::the_tpu_v3(), "nothing").finish();
  ASSERT_EQ(program.segments.size(), 1u);
  ASSERT_EQ(program.segments[0].bundles.size(), 1u);
  EXPECT_EQ(program.segments[0].bundles[0][hw::isa::Slot::misc]->opcode, hw::isa::Opcode::halt);
}

TEST(KernelBuilder, AnOperationWaitsForItsOperands) {
  KernelBuilder b(hw::the_tpu_v3(), "chain");
  const registers::VectorReg x = b.load({{}, 0, 0, 1});
  const registers::VectorReg y = b.op(hw::isa::Opcode::v_add_f32, x, 1.5F);
  b.store({{}, 8, 0, 1}, y);
  const hw::isa::Program program = std::move(b).finish();
  const auto& bundles = program.segments[0].bundles;
  const int load = address_of(bundles, hw::isa::Opcode::v_load);
  EXPECT_EQ(address_of(bundles, hw::isa::Opcode::v_add_f32), load + 4);  // load latency
  EXPECT_EQ(address_of(bundles, hw::isa::Opcode::v_store), load + 6);    // and the ALU's
}

TEST(KernelBuilder, AWordOfAVectorSteersScalarsWithoutWaiting) {
  KernelBuilder b(hw::the_tpu_v3(), "word");
  const registers::ScalarReg row = b.scalar_of(b.load({{}, 0, 0, 1}));
  b.store({row, 0, 1, 1}, b.lane_numbers());
  const hw::isa::Program program = std::move(b).finish();
  const auto& bundles = program.segments[0].bundles;
  const int load = address_of(bundles, hw::isa::Opcode::v_load);
  EXPECT_EQ(address_of(bundles, hw::isa::Opcode::push_scalar), load + 4);
  EXPECT_EQ(address_of(bundles, hw::isa::Opcode::s_pop), load + 4 + 10);
  EXPECT_EQ(address_of(bundles, hw::isa::Opcode::v_store), load + 4 + 10 + 1);
}

TEST(KernelBuilder, EveryBundleIsLegalAndLoopsGoToTheirFirstBundle) {
  KernelBuilder b(hw::the_tpu_v3(), "loop");
  const auto rows = b.vmem_rows(64);
  const registers::ScalarReg base = b.constant(rows.row);
  b.loop(4, {}, [&] {
    const registers::VectorReg x = b.load({base, 0, rows.buffer, 1});
    b.store({base, 0, rows.buffer, 1}, b.transcendental(hw::isa::Opcode::e_exp, x));
    b.assign(base, hw::isa::Opcode::s_add, base, 8);
  });
  const hw::isa::Program program = std::move(b).finish();
  const auto& bundles = program.segments[0].bundles;
  for (const hw::isa::Bundle& bundle : bundles) EXPECT_EQ(hw::isa::problem(bundle), std::nullopt);
}

TEST(KernelBuilder, RunningOutOfRegistersIsAVerdict) {
  KernelBuilder b(hw::the_tpu_v3(), "greedy");
  std::vector<registers::VectorReg> values;
  for (int i = 0; i < 40; ++i) values.push_back(b.load({{}, 8 * i, 0, 1}));
  b.fence();
  for (int i = 0; i < 40; ++i) b.store({{}, 8 * i, 0, 1}, values[std::size_t(i)]);
  EXPECT_THROW(std::move(b).finish(), base::SimulationError);
}

TEST(KernelBuilder, MemoryThatIsFullIsBadInput) {
  KernelBuilder b(hw::the_tpu_v3(), "big");
  EXPECT_EQ(b.vmem_rows_free(), 32768);
  b.vmem_rows(32768);
  EXPECT_THROW(b.vmem_rows(1), base::InputError);
  b.smem_words(4096);
  EXPECT_THROW(b.smem_words(1), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
