// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/registers/register_allocation.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"
#include "tests/sw/codegen/hand_written.h"

namespace podsim::sw::codegen::registers {
namespace {

using hw::isa::Opcode;

/// Numbers of vector registers 1, 2, ...
std::vector<int> numbers(const BlockList& blocks, int count) {
  const RegisterAllocation allocation = allocate_registers(hw::the_tpu_v3(), blocks);
  EXPECT_FALSE(allocation.shortage);
  std::vector<int> found;
  for (int i = 1; i <= count; ++i) found.push_back(allocation.numbers[std::size_t(hand::v(i).number())]);
  return found;
}
Operation constant(Register d) { return hand::op(hw::isa::Opcode::v_mov, d, hand::of(0), hand::of(1)); }

TEST(RegisterAllocation, AValueMayTakeTheRegisterOfOneThatIsReadForTheLastTime) {
  EXPECT_EQ(numbers({hand::block({constant(hand::v(1)), constant(hand::v(2)),
                                  hand::add(hand::v(3), hand::v(1), hand::of(hand::v(2))),
                                  hand::store(hand::v(3), hand::s(0))})},
                    3),
            (std::vector<int>{0, 1, 0}));
}

TEST(RegisterAllocation, ARegisterIsNotWrittenAgainBeforeItsLatency) {
  // The first two results are unused, but a load is in flight for four cycles, an addition for two.
  EXPECT_EQ(numbers({hand::block({hand::load(hand::v(1), hand::s(0)), constant(hand::v(2)),
                                  hand::load(hand::v(3), hand::s(0)), constant(hand::v(4)), constant(hand::v(5))})},
                    5),
            (std::vector<int>{0, 1, 2, 1, 0}));
}

TEST(RegisterAllocation, WhatAnIterationLeavesForTheNextKeepsItsRegisterAllAround) {
  // v1 is read at the top and written at the bottom; v2 and v3 in between may not use its register.
  const BlockList blocks{
      hand::block({constant(hand::v(1))}),
      hand::block({hand::store(hand::v(1), hand::s(0)), constant(hand::v(2)), hand::store(hand::v(2), hand::s(0), 8),
                   constant(hand::v(3)), hand::store(hand::v(3), hand::s(0), 16), constant(hand::v(1)),
                   hand::op(hw::isa::Opcode::s_loop, hand::s(0), hand::of(hand::s(1)), hand::of(0))},
                  1),
      hand::block({constant(hand::v(4)), hand::store(hand::v(4), hand::s(0))})};
  EXPECT_EQ(numbers(blocks, 4), (std::vector<int>{0, 0, 0, 0}));  // dead between its read and its write
  BlockList read_late = blocks;
  read_late[1].operations[4] = hand::store(hand::v(1), hand::s(0), 16);
  EXPECT_EQ(numbers(read_late, 4), (std::vector<int>{0, 1, 1, 0}));
}

TEST(RegisterAllocation, AConditionalWriteDoesNotFreeTheRegisterBeforeIt) {
  const BlockList blocks{
      hand::block({constant(hand::v(1)), constant(hand::v(2)), hand::store(hand::v(2), hand::s(0)),
                   hand::under(hand::p(1), constant(hand::v(1))), hand::store(hand::v(1), hand::s(0), 8)})};
  EXPECT_EQ(numbers(blocks, 2), (std::vector<int>{0, 1}));
}

TEST(RegisterAllocation, NamesTheClassAndTheBlockThatHaveTooManyValues) {
  std::vector<Operation> many;
  for (int i = 1; i <= 33; ++i) many.push_back(constant(hand::v(i)));
  for (int i = 1; i <= 33; ++i) many.push_back(hand::store(hand::v(i), hand::s(0)));
  const RegisterAllocation allocation =
      allocate_registers(hw::the_tpu_v3(), {hand::block({constant(hand::v(40))}), hand::block(many)});
  ASSERT_TRUE(allocation.shortage);
  EXPECT_EQ(allocation.shortage->cls, RegisterClass::vector);
  EXPECT_EQ(allocation.shortage->block, 1);
  many.erase(many.begin() + 33);
  many.erase(many.begin() + 32);
  many.erase(many.begin());
  EXPECT_FALSE(allocate_registers(hw::the_tpu_v3(), {hand::block(many)}).shortage);
}

}  // namespace
}  // namespace podsim::sw::codegen::registers
