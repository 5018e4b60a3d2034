// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/loop_body.h"

#include <gtest/gtest.h>

#include "tests/sw/kernels/hand_written.h"

namespace podsim::sw {
namespace {

using namespace hand;
using hw::isa::Opcode;

LoopBody prepare(std::vector<Operation> operations, const std::vector<Register>& carried) {
  Region region;
  region.operations = std::move(operations);
  region.live_in = region.live_around = set(carried);
  RegisterSource registers({100, 100, 100, 100});
  return prepare_loop_body(region, registers);
}

TEST(loop_body, a_step_by_a_literal_becomes_an_induction) {
  const LoopBody body = prepare({load(v(1), s(1), 4), s_add(s(1), s(1), 8), store(v(1), s(1), 16)}, {s(1)});
  EXPECT_EQ(body.inductions, (std::map<int, std::int32_t>{{s(1).number(), 8}}));
  ASSERT_EQ(body.operations.size(), 2u);
  EXPECT_EQ(body.operations[0].y.value, 4);
  EXPECT_EQ(body.operations[1].y.value, 16 + 8);  // relative to what the iteration began with
  EXPECT_TRUE(follows_induction(body, body.operations[1]));
}

TEST(loop_body, registers_that_step_otherwise_do_not) {
  const Operation twice = s_add(s(1), s(1), 8);
  EXPECT_TRUE(prepare({load(v(1), s(1)), twice, twice}, {s(1)}).inductions.empty());
  EXPECT_TRUE(prepare({load(v(1), s(1)), under(p(1), twice)}, {s(1), p(1)}).inductions.empty());
  EXPECT_TRUE(prepare({load(v(1), s(1)), op(Opcode::s_mul, s(1), of(s(1)), of(2))}, {s(1)}).inductions.empty());
  EXPECT_TRUE(
      prepare({load(v(1), s(1)), op(Opcode::s_add, s(1), of(s(1)), of(s(2)))}, {s(1), s(2)}).inductions.empty());
}

TEST(loop_body, other_reads_of_an_induction_get_its_value_in_a_register) {
  const LoopBody body =
      prepare({s_add(s(1), s(1), 3), op(Opcode::v_splat, v(1), of(0), of(s(1))), store(v(1), s(2))}, {s(1), s(2)});
  ASSERT_EQ(body.operations.size(), 3u);
  EXPECT_EQ(body.operations[0].opcode, Opcode::s_add);
  EXPECT_EQ(body.operations[0].x.reg, s(1));
  EXPECT_EQ(body.operations[0].y.value, 3);
  EXPECT_EQ(body.operations[1].y.reg, body.operations[0].destination);
  EXPECT_TRUE(body.renamed.contains(body.operations[0].destination));
}

TEST(loop_body, addresses_are_folded_into_the_register_they_come_from) {
  const LoopBody body = prepare({s_add(s(3), s(1), 32), load(v(1), s(3), 8), store(v(1), s(3), 16, 1)}, {s(1)});
  ASSERT_EQ(body.operations.size(), 2u);  // the sum is needless
  EXPECT_EQ(body.operations[0].x.reg, s(1));
  EXPECT_EQ(body.operations[0].y.value, 40);
  EXPECT_EQ(body.operations[1].y.value, 48);
}

TEST(loop_body, only_what_an_iteration_finds_or_leaves_is_not_renamed) {
  const LoopBody body =
      prepare({load(v(1), s(1)), add(v(2), v(2), of(v(1))), add(v(3), v(1), of(v(1)))}, {s(1), v(2), v(3)});
  EXPECT_TRUE(body.renamed.contains(v(1)));
  EXPECT_FALSE(body.renamed.contains(v(2)));
  EXPECT_FALSE(body.renamed.contains(v(3)));
}

TEST(loop_body, a_register_that_is_written_twice_is_two_values) {
  const LoopBody body =
      prepare({load(v(1), s(1)), store(v(1), s(1), 64), load(v(1), s(1), 8), store(v(1), s(1), 72)}, {s(1)});
  EXPECT_FALSE(body.operations[0].destination == body.operations[2].destination);
  EXPECT_EQ(body.operations[1].destination, body.operations[0].destination);
  EXPECT_EQ(body.operations[3].destination, body.operations[2].destination);
}

}  // namespace
}  // namespace podsim::sw
