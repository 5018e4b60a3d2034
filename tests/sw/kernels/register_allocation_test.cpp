// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/register_allocation.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"
#include "tests/sw/kernels/hand_written.h"

namespace podsim::sw {
namespace {

using namespace hand;
using hw::isa::Opcode;

const hw::Machine& machine() {
  static const hw::Machine v3 = hw::tpu_v3();
  return v3;
}

/// Numbers of vector registers 1, 2, ...
std::vector<int> numbers(const BlockList& blocks, int count) {
  const RegisterAllocation allocation = allocate_registers(machine(), blocks);
  EXPECT_FALSE(allocation.shortage);
  std::vector<int> found;
  for (int i = 1; i <= count; ++i) found.push_back(allocation.numbers[std::size_t(v(i).number())]);
  return found;
}
Operation constant(Register d) { return op(Opcode::v_mov, d, of(0), of(1)); }

TEST(register_allocation, a_value_may_take_the_register_of_one_that_is_read_for_the_last_time) {
  EXPECT_EQ(numbers({block({constant(v(1)), constant(v(2)), add(v(3), v(1), of(v(2))), store(v(3), s(0))})}, 3),
            (std::vector<int>{0, 1, 0}));
}

TEST(register_allocation, a_register_is_not_written_again_before_its_latency) {
  // Nobody reads the first two, but a load is under way for four cycles, an addition for two.
  EXPECT_EQ(numbers({block({load(v(1), s(0)), constant(v(2)), load(v(3), s(0)), constant(v(4)), constant(v(5))})}, 5),
            (std::vector<int>{0, 1, 2, 1, 0}));
}

TEST(register_allocation, what_an_iteration_leaves_for_the_next_keeps_its_register_all_around) {
  // v1 is read at the top and written at the bottom; v2 and v3 in between may not take its place.
  const BlockList blocks{block({constant(v(1))}),
                         block({store(v(1), s(0)), constant(v(2)), store(v(2), s(0), 8), constant(v(3)),
                                store(v(3), s(0), 16), constant(v(1)), op(Opcode::s_loop, s(0), of(s(1)), of(0))},
                               1),
                         block({constant(v(4)), store(v(4), s(0))})};
  EXPECT_EQ(numbers(blocks, 4), (std::vector<int>{0, 0, 0, 0}));  // dead between its read and its write
  BlockList read_late = blocks;
  read_late[1].operations[4] = store(v(1), s(0), 16);
  EXPECT_EQ(numbers(read_late, 4), (std::vector<int>{0, 1, 1, 0}));
}

TEST(register_allocation, a_conditional_write_does_not_free_the_register_before_it) {
  const BlockList blocks{
      block({constant(v(1)), constant(v(2)), store(v(2), s(0)), under(p(1), constant(v(1))), store(v(1), s(0), 8)})};
  EXPECT_EQ(numbers(blocks, 2), (std::vector<int>{0, 1}));
}

TEST(register_allocation, names_the_class_and_the_block_that_have_too_many_values) {
  std::vector<Operation> many;
  for (int i = 1; i <= 33; ++i) many.push_back(constant(v(i)));
  for (int i = 1; i <= 33; ++i) many.push_back(store(v(i), s(0)));
  const RegisterAllocation allocation = allocate_registers(machine(), {block({constant(v(40))}), block(many)});
  ASSERT_TRUE(allocation.shortage);
  EXPECT_EQ(allocation.shortage->cls, RegisterClass::vector);
  EXPECT_EQ(allocation.shortage->block, 1);
  many.erase(many.begin() + 33);
  many.erase(many.begin() + 32);
  many.erase(many.begin());
  EXPECT_FALSE(allocate_registers(machine(), {block(many)}).shortage);
}

}  // namespace
}  // namespace podsim::sw
