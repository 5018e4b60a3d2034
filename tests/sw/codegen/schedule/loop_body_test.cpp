// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/loop_body.h"

#include <gtest/gtest.h>

#include "tests/sw/codegen/hand_written.h"

namespace podsim::sw::codegen::schedule {
namespace {

using hw::isa::Opcode;

LoopBody prepare(std::vector<registers::Operation> operations, const std::vector<registers::Register>& carried) {
  Region region;
  region.operations = std::move(operations);
  region.live_in = region.live_around = hand::set(carried);
  RegisterSource registers({100, 100, 100, 100});
  return prepare_loop_body(region, registers);
}

TEST(LoopBody, AStepByALiteralBecomesAnInduction) {
  const LoopBody body = prepare({hand::load(hand::v(1), hand::s(1), 4), hand::s_add(hand::s(1), hand::s(1), 8),
                                 hand::store(hand::v(1), hand::s(1), 16)},
                                {hand::s(1)});
  EXPECT_EQ(body.inductions, (std::map<int, std::int32_t>{{hand::s(1).number(), 8}}));
  ASSERT_EQ(body.operations.size(), 2u);
  EXPECT_EQ(body.operations[0].y.value, 4);
  EXPECT_EQ(body.operations[1].y.value, 16 + 8);  // relative to the value at the iteration's begin
  EXPECT_TRUE(follows_induction(body, body.operations[1]));
}

TEST(LoopBody, RegistersThatStepOtherwiseDoNot) {
  const registers::Operation twice = hand::s_add(hand::s(1), hand::s(1), 8);
  EXPECT_TRUE(prepare({hand::load(hand::v(1), hand::s(1)), twice, twice}, {hand::s(1)}).inductions.empty());
  EXPECT_TRUE(prepare({hand::load(hand::v(1), hand::s(1)), hand::under(hand::p(1), twice)}, {hand::s(1), hand::p(1)})
                  .inductions.empty());
  EXPECT_TRUE(prepare({hand::load(hand::v(1), hand::s(1)),
                       hand::op(hw::isa::Opcode::s_mul, hand::s(1), hand::of(hand::s(1)), hand::of(2))},
                      {hand::s(1)})
                  .inductions.empty());
  EXPECT_TRUE(prepare({hand::load(hand::v(1), hand::s(1)),
                       hand::op(hw::isa::Opcode::s_add, hand::s(1), hand::of(hand::s(1)), hand::of(hand::s(2)))},
                      {hand::s(1), hand::s(2)})
                  .inductions.empty());
}

TEST(LoopBody, OtherReadsOfAnInductionGetItsValueInARegister) {
  const LoopBody body = prepare({hand::s_add(hand::s(1), hand::s(1), 3),
                                 hand::op(hw::isa::Opcode::v_splat, hand::v(1), hand::of(0), hand::of(hand::s(1))),
                                 hand::store(hand::v(1), hand::s(2))},
                                {hand::s(1), hand::s(2)});
  ASSERT_EQ(body.operations.size(), 3u);
  EXPECT_EQ(body.operations[0].opcode, hw::isa::Opcode::s_add);
  EXPECT_EQ(body.operations[0].x.reg, hand::s(1));
  EXPECT_EQ(body.operations[0].y.value, 3);
  EXPECT_EQ(body.operations[1].y.reg, body.operations[0].destination);
  EXPECT_TRUE(body.renamed.contains(body.operations[0].destination));
}

TEST(LoopBody, AddressesAreFoldedIntoTheRegisterTheyComeFrom) {
  const LoopBody body = prepare({hand::s_add(hand::s(3), hand::s(1), 32), hand::load(hand::v(1), hand::s(3), 8),
                                 hand::store(hand::v(1), hand::s(3), 16, 1)},
                                {hand::s(1)});
  ASSERT_EQ(body.operations.size(), 2u);  // the sum is needless
  EXPECT_EQ(body.operations[0].x.reg, hand::s(1));
  EXPECT_EQ(body.operations[0].y.value, 40);
  EXPECT_EQ(body.operations[1].y.value, 48);
}

TEST(LoopBody, OnlyWhatAnIterationFindsOrLeavesIsNotRenamed) {
  const LoopBody body =
      prepare({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(2), hand::of(hand::v(1))),
               hand::add(hand::v(3), hand::v(1), hand::of(hand::v(1)))},
              {hand::s(1), hand::v(2), hand::v(3)});
  EXPECT_TRUE(body.renamed.contains(hand::v(1)));
  EXPECT_FALSE(body.renamed.contains(hand::v(2)));
  EXPECT_FALSE(body.renamed.contains(hand::v(3)));
}

TEST(LoopBody, ARegisterThatIsWrittenTwiceIsTwoValues) {
  const LoopBody body = prepare({hand::load(hand::v(1), hand::s(1)), hand::store(hand::v(1), hand::s(1), 64),
                                 hand::load(hand::v(1), hand::s(1), 8), hand::store(hand::v(1), hand::s(1), 72)},
                                {hand::s(1)});
  EXPECT_FALSE(body.operations[0].destination == body.operations[2].destination);
  EXPECT_EQ(body.operations[1].destination, body.operations[0].destination);
  EXPECT_EQ(body.operations[3].destination, body.operations[2].destination);
}

}  // namespace
}  // namespace podsim::sw::codegen::schedule
