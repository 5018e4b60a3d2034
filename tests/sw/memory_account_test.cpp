// SPDX-License-Identifier: Apache-2.0
#include "sw/memory_account.h"

#include <gtest/gtest.h>

#include "sw/graph/graph_builder.h"

namespace podsim::sw {
namespace {

constexpr std::int64_t kib4 = 8 * 128 * 4;  // f32[8,128]

Shape tile() { return make_shape(ElementType::f32, {8, 128}); }

TEST(memory_account, a_buffer_lives_from_its_definition_to_its_last_use) {
  // x always; a until b; b until c. Three at most: x, a, b.
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId a = g.negate(x);
  const InstructionId b = g.tanh(a);
  const InstructionId c = g.exponential(b);
  const MemoryAccount account = account_memory(std::move(g).build(c));
  EXPECT_EQ(account.parameters.value(), kib4);
  EXPECT_EQ(account.peak.value(), 3 * kib4);
  EXPECT_EQ(account.peak_position, b);
  EXPECT_EQ(account.largest_at_peak.size(), 3u);
  EXPECT_EQ(account.largest_at_peak[0].name, "x");
}

TEST(memory_account, a_value_used_late_stays) {
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId a = g.negate(x);
  const InstructionId b = g.tanh(a);
  const InstructionId c = g.exponential(b);
  EXPECT_EQ(account_memory(std::move(g).build(g.add(a, c))).peak.value(), 4 * kib4);
}

TEST(memory_account, tuples_their_elements_and_bitcast_reshapes_take_nothing) {
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId a = g.negate(x);
  const InstructionId pair = g.tuple({a, x});
  const InstructionId same = g.reshape(g.get_tuple_element(pair, 0), {1, 8, 128});
  EXPECT_EQ(account_memory(std::move(g).build(same)).peak.value(), 2 * kib4);
}

TEST(memory_account, a_reshape_that_changes_the_padding_is_a_copy) {
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId y = g.reshape(x, {16, 64});
  EXPECT_EQ(account_memory(std::move(g).build(y)).peak.value(), 3 * kib4);
}

TEST(memory_account, a_donated_output_takes_the_parameters_memory) {
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId y = g.negate(x);
  const Module module = std::move(g).build(g.tuple({y}));
  EXPECT_EQ(account_memory(module).peak.value(), 2 * kib4);
  EXPECT_EQ(account_memory(module, std::vector<Donation>{{0, 0}}).peak.value(), kib4);
}

TEST(memory_account, a_parameter_that_is_read_later_cannot_be_overwritten) {
  GraphBuilder g("test");
  const InstructionId x = g.parameter(tile(), "x");
  const InstructionId y = g.negate(x);
  const InstructionId z = g.tanh(x);
  const Module module = std::move(g).build(g.tuple({y, z}));
  EXPECT_EQ(account_memory(module, std::vector<Donation>{{0, 0}}).peak.value(), 3 * kib4);
}

TEST(memory_account, infeed_elements_live_on_their_own) {
  GraphBuilder g("test");
  const InstructionId fed = g.infeed(make_tuple_shape({tile(), tile()}));
  const InstructionId a = g.negate(g.get_tuple_element(fed, 0));
  const InstructionId b = g.tanh(a);
  const InstructionId c = g.add(b, g.get_tuple_element(fed, 1));
  const MemoryAccount account = account_memory(std::move(g).build(c));
  EXPECT_EQ(account.peak.value(), 3 * kib4);
  EXPECT_EQ(account.largest_at_peak[0].name, "infeed.0{0}");
}

}  // namespace
}  // namespace podsim::sw
