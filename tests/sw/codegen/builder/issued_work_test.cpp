// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/builder/issued_work.h"

#include <gtest/gtest.h>

#include "sw/codegen/families/stream/elementwise_chain.h"
#include "tests/hw/test_machine.h"

namespace podsim::sw::codegen::builder {
namespace {

using Op = hw::isa::Opcode;

/// Two loads, three vector operations (one of them a push to the transcendental unit), a cross-lane operation, a store.
void some_code(KernelBuilder& builder) {
  const registers::RowAddress at{builder.constant(0), 0, 0};
  registers::RowAddress next = at;
  next.offset = 8;
  const registers::VectorReg sum = builder.op(Op::v_add_f32, builder.load(at), builder.load(next));
  const registers::VectorReg power = builder.transcendental(Op::e_exp, builder.op(Op::v_mul_f32, sum, 2.0F));
  builder.store(at, builder.cross_lane(Op::x_sum_lanes, power));
}

TEST(IssuedWork, CountsWhatEachUnitIsGiven) {
  const hw::TilePhase expected(hw::VectorWork{.loads = 2, .stores = 1, .alu_ops = 3, .transcendentals = 1},
                               hw::CrossLaneWork{1});
  EXPECT_EQ(issued_work(hw::tpu_v3(), some_code), expected);
}

TEST(IssuedWork, OfRepeatedCodeLeavesOutWhatIsDoneOnce) {
  const hw::TilePhase work = repeated_work(hw::tpu_v3(), [](KernelBuilder& builder, std::int64_t repeats) {
    builder.store({builder.constant(64), 0, 1}, builder.lane_numbers());
    for (int i = 0; i < repeats; ++i) some_code(builder);
  });
  EXPECT_EQ(work, issued_work(hw::tpu_v3(), some_code));
}

TEST(IssuedWork, ALoopThroughTheCrossLaneUnitBeginsWithVectorWorkAlone) {
  const hw::TilePhase one(hw::VectorWork{.loads = 4, .stores = 1, .alu_ops = 3, .transcendentals = 0},
                          hw::CrossLaneWork{1});
  const std::vector<hw::TilePhase> phases = loop_phases(10, one);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0], hw::TilePhase(one.of<hw::Vector>()));
  EXPECT_EQ(sum(phases[0], phases[1]), times(10, one));
  const hw::TilePhase without(one.of<hw::Vector>());
  EXPECT_EQ(loop_phases(10, without), std::vector{times(10, without)});
}

TEST(IssuedWork, OfEveryElementwiseChainIsWhatTheChainSays) {
  for (const families::stream::ElementwiseChain& chain : families::stream::elementwise_chains()) {
    const hw::TilePhase work = repeated_work(hw::tpu_v3(), [&](KernelBuilder& builder, std::int64_t repeats) {
      const registers::RowAddress at{builder.constant(0), 0, 0};
      for (int i = 0; i < repeats; ++i) builder.store(at, chain.code(builder, builder.load(at), builder.load(at)));
    });
    EXPECT_EQ(work.of<hw::Vector>().alu_ops, chain.work.alu_ops) << chain.name;
    EXPECT_EQ(work.of<hw::Vector>().transcendentals, chain.work.transcendentals) << chain.name;
  }
}

}  // namespace
}  // namespace podsim::sw::codegen::builder
