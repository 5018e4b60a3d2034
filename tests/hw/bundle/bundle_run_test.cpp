// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/bundle_run.h"

#include <gtest/gtest.h>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/encoding.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw {
namespace {

using isa::Instruction;
using isa::Opcode;
using isa::Value;

isa::Bundle bundle(std::initializer_list<Instruction> instructions) {
  isa::Bundle result;
  for (const Instruction& instruction : instructions) EXPECT_TRUE(isa::place(result, instruction));
  return result;
}
Value s(int number) { return Value::reg(number); }
Value lit(int value) { return Value::of(value); }

/// Loads eight rows by DMA, doubles them and stores them back: all durations by hand.
TEST(BundleRun, moves_data_through_the_core_and_counts_every_cycle) {
  isa::Program program;
  program.name = "smoke";
  std::vector<isa::Bundle> b;
  b.push_back(bundle({{Opcode::dma, {}, 0, lit(0), {}, {}, 0, 0}, {Opcode::s_mov, {}, 1, {}, lit(3), {}, 0, 0}}));
  b.push_back(bundle({{Opcode::sync_wait, {}, 0, lit(0), lit(1), {}, 0, 0}}));
  b.push_back(bundle({{Opcode::v_load, {}, 1, s(0), lit(0), lit(1), 0, 0}}));
  for (int i = 0; i < 3; ++i) b.push_back(bundle({}));
  b.push_back(bundle({{Opcode::v_add_f32, {}, 2, s(1), s(1), {}, 0, 0}}));
  b.push_back(bundle({{Opcode::s_loop, {}, 0, s(1), lit(2), {}, 0, 0}}));
  b.push_back(bundle({{Opcode::v_store, {}, 2, s(0), lit(8), lit(1), 0, 0}}));
  b.push_back(bundle({{Opcode::fence, {}, 0, {}, {}, {}, 0, 0}}));
  b.push_back(bundle({{Opcode::dma, {}, 0, lit(8), {}, {}, 0, 0}}));
  b.push_back(bundle({{Opcode::sync_wait, {}, 0, lit(1), lit(1), {}, 0, 0}}));
  b.push_back(bundle({{Opcode::halt, {}, 0, {}, {}, {}, 0, 0}}));
  program.segments.push_back({"main", 0, b, false, 0});
  const auto in = isa::to_words({isa::DmaRoute::hbm_to_vmem, 0, 0, 0, 1024, 1, 0, 0, 1});
  const auto out = isa::to_words({isa::DmaRoute::vmem_to_hbm, 1, 1024, 4096, 1024, 1, 0, 0, 2});
  isa::DataBlock smem{"descriptors", isa::MemorySpace::smem, 0, {in.begin(), in.end()}};
  smem.words.insert(smem.words.end(), out.begin(), out.end());
  program.data.push_back(smem);
  program.data.push_back({"a", isa::MemorySpace::hbm, 0, std::vector<std::uint32_t>(1024, 0x3f800000)});
  isa::Expectation expectation;
  expectation.address = 4096;
  expectation.words.assign(1024, 0x40000000);
  program.expectations.push_back(expectation);
  const Machine machine = round_machine();
  DeviceMemory hbm(machine.hbm.capacity_per_core);
  const BundleRunResult result = run_bundles(machine, program, hbm);
  EXPECT_TRUE(result.failed.empty());
  EXPECT_EQ(result.bundles, 13 + 12);
  // Cycle 0 issues the read: 4096 B at 100 B per cycle from cycle 20 on are there in cycle 61. Three times through the
  // loop of six bundles: 62..67, 76..81, 90..95. The store of cycle 96 is seen in 104. The write issued in 105 may move
  // from 115 on and is done in 156; the halt follows in 157.
  EXPECT_EQ(result.stalls[std::size_t(Stall::sync_flag)], base::Cycles(60 + 50));
  EXPECT_EQ(result.stalls[std::size_t(Stall::branch)], base::Cycles(16));
  EXPECT_EQ(result.stalls[std::size_t(Stall::fence)], base::Cycles(7));
  EXPECT_EQ(result.cycles, base::Cycles(158));
}

}  // namespace
}  // namespace podsim::hw
