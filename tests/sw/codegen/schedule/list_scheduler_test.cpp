// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/list_scheduler.h"

#include <gtest/gtest.h>

#include "tests/hw/test_machine.h"
#include "tests/sw/codegen/hand_written.h"

namespace podsim::sw::codegen::schedule {
namespace {

using hw::isa::Opcode;

registers::Block list_schedule(const std::vector<registers::Operation>& operations, int vector_budget = 32) {
  const FifoState fifos;
  const DependenceGraph graph = find_dependences({hw::the_tpu_v3(), operations, fifos});
  const registers::RegisterSet none;
  auto block = schedule_list({hw::the_tpu_v3(), operations, graph, none, none, {31, vector_budget, 7, 7}});
  EXPECT_TRUE(block);
  return *block;
}
int rows(const std::vector<registers::Operation>& operations) { return int(list_schedule(operations).rows.size()); }

TEST(ListScheduler, AChainTakesItsLatencies) {
  // load 4, addition 2, addition 2, and the store's own cycle
  EXPECT_EQ(rows({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(1), hand::of(1)),
                  hand::add(hand::v(3), hand::v(2), hand::of(1)), hand::store(hand::v(3), hand::s(1), 64)}),
            9);
  // push to pop of the cross-lane unit: 100, the pop 1
  EXPECT_EQ(rows({hand::load(hand::v(1), hand::s(1)), hand::push(hw::isa::Opcode::x_sum_lanes, hand::v(1)),
                  hand::pop(hand::v(2), hw::isa::cross_lane_unit), hand::store(hand::v(2), hand::s(1), 64)}),
            4 + 100 + 1 + 1);
}

TEST(ListScheduler, AWordReachesTheScalarUnitInTheMachinesLatencyAndOneIsPoppedPerCycle) {
  const auto pop_scalar = [](int s) { return hand::op(hw::isa::Opcode::s_pop, hand::s(s), hand::of(0), hand::of(0)); };
  // load 4, push to pop 10, the pop 1, the addition's own cycle
  EXPECT_EQ(rows({hand::load(hand::v(1), hand::s(1)), hand::push(hw::isa::Opcode::push_scalar, hand::v(1)),
                  pop_scalar(2), hand::s_add(hand::s(3), hand::s(2), 1)}),
            4 + 10 + 1 + 1);
  std::vector<registers::Operation> words;
  for (int i = 0; i < 6; ++i) words.push_back(hand::push(hw::isa::Opcode::push_scalar, hand::v(1)));
  for (int i = 0; i < 6; ++i) words.push_back(pop_scalar(2 + i));
  EXPECT_EQ(rows(words), 10 + 6);
}

TEST(ListScheduler, IndependentWorkFillsTheSlots) {
  std::vector<registers::Operation> additions;
  for (int i = 0; i < 20; ++i) additions.push_back(hand::add(hand::v(i + 10), hand::v(1), hand::of(1)));
  EXPECT_EQ(rows(additions), 10);  // two ALUs
  std::vector<registers::Operation> chains;
  for (int i = 0; i < 8; ++i) {
    chains.push_back(hand::load(hand::v(10 + i), hand::s(1), 8 * i, 0));
    chains.push_back(hand::add(hand::v(20 + i), hand::v(10 + i), hand::of(1)));
    chains.push_back(hand::store(hand::v(20 + i), hand::s(1), 8 * i, 1));
  }
  EXPECT_EQ(rows(chains), 8 + 6);  // a load a cycle, and the chain of the last one
}

TEST(ListScheduler, WhatTheMostWaitsForGoesFirst) {
  std::vector<registers::Operation> operations;
  for (int i = 0; i < 6; ++i) operations.push_back(hand::load(hand::v(20 + i), hand::s(1), 8 * i));
  operations.push_back(hand::load(hand::v(1), hand::s(1), 64));
  for (int i = 1; i < 6; ++i) operations.push_back(hand::add(hand::v(i + 1), hand::v(i), hand::of(1)));
  EXPECT_EQ(rows(operations), 4 + 4 * 2 + 1);  // not after the six unused loads
}

TEST(ListScheduler, ResultsOfAUnitArePoppedInTheOrderOfItsPushes) {
  // The second result is on the longer path and goes first.
  const std::vector<registers::Operation> operations{
      hand::op(hw::isa::Opcode::e_exp, hand::v(0), hand::of(0), hand::of(hand::v(1))),
      hand::pop(hand::v(2), hw::isa::transcendental_unit),
      hand::op(hw::isa::Opcode::e_exp, hand::v(0), hand::of(0), hand::of(hand::v(3))),
      hand::pop(hand::v(4), hw::isa::transcendental_unit),
      hand::op(hw::isa::Opcode::v_mul_f32, hand::v(5), hand::of(hand::v(4)), hand::of(hand::v(4))),
      hand::op(hw::isa::Opcode::v_mul_f32, hand::v(6), hand::of(hand::v(5)), hand::of(hand::v(5)))};
  const registers::Block block = list_schedule(operations);
  std::vector<int> order;
  for (const registers::Row& row : block.rows) {
    for (int number : row.operation) {
      if (number >= 0 && number < 4) order.push_back(number);
    }
  }
  EXPECT_EQ(order, (std::vector<int>{2, 0, 3, 1}));
}

/// Vector values alive at the same time: written and still to be read.
int max_alive(const registers::Block& block) {
  std::vector<int> last(200, -1), first(200, -1);
  for (int r = 0; r < int(block.rows.size()); ++r) {
    for (int number : block.rows[std::size_t(r)].operation) {
      if (number < 0) continue;
      const registers::Operation& operation = block.operations[std::size_t(number)];
      for (registers::Register reg : registers::RegisterReads(operation)) last[std::size_t(reg.id())] = r;
      if (auto reg = registers::written_register(operation)) first[std::size_t(reg->id())] = r;
    }
  }
  int most = 0;
  for (int r = 0; r < int(block.rows.size()); ++r) {
    int alive = 0;
    for (std::size_t i = 1; i < last.size(); ++i) alive += first[i] >= 0 && first[i] <= r && last[i] > r ? 1 : 0;
    most = std::max(most, alive);
  }
  return most;
}

TEST(ListScheduler, ValuesAreNotBegunBeforeThereIsRoomForThem) {
  std::vector<registers::Operation> operations;
  for (int i = 0; i < 40; ++i) {
    operations.push_back(hand::load(hand::v(1 + i), hand::s(1), 8 * i, 0));
    operations.push_back(hand::push(hw::isa::Opcode::mxu_lhs, hand::v(1 + i)));  // takes one every eight cycles
    operations.push_back(hand::pop(hand::v(50 + i), 0));
    operations.push_back(hand::store(hand::v(50 + i), hand::s(2), 8 * i, 1));
  }
  EXPECT_GT(max_alive(list_schedule(operations, 1000)), 20);
  EXPECT_LE(max_alive(list_schedule(operations, 10)), 10 + 4);  // the oldest operations may always issue
}

TEST(ListScheduler, ABranchStandsInTheLastRow) {
  const std::vector<registers::Operation> operations{
      hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(1), hand::of(1)),
      hand::store(hand::v(2), hand::s(1), 64),
      hand::op(hw::isa::Opcode::s_loop, hand::s(0), hand::of(hand::s(2)), hand::of(0x12345))};
  const registers::Block block = list_schedule(operations);
  EXPECT_EQ(block.rows.back().operation[0], 3);
  // The store of the last row but none is seen eight cycles later.
  EXPECT_EQ(block.rows.size(), 7u);
  EXPECT_EQ(block.settle, 7);
}

}  // namespace
}  // namespace podsim::sw::codegen::schedule
