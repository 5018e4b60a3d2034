// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/list_scheduler.h"

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

Block schedule(const std::vector<Operation>& operations, int vector_budget = 32) {
  const FifoState fifos;
  const DependenceGraph graph = find_dependences({machine(), operations, fifos});
  const RegisterSet none;
  auto block = schedule_list({machine(), operations, graph, none, none, {31, vector_budget, 7, 7}});
  EXPECT_TRUE(block);
  return *block;
}
int rows(const std::vector<Operation>& operations) { return int(schedule(operations).rows.size()); }

TEST(list_scheduler, a_chain_takes_its_latencies) {
  // load 4, addition 2, addition 2, and the store's own cycle
  EXPECT_EQ(rows({load(v(1), s(1)), add(v(2), v(1), of(1)), add(v(3), v(2), of(1)), store(v(3), s(1), 64)}), 9);
  // push to pop of the cross-lane unit: 100, the pop 1
  EXPECT_EQ(rows({load(v(1), s(1)), push(Opcode::x_sum_lanes, v(1)), pop(v(2), hw::isa::cross_lane_unit),
                  store(v(2), s(1), 64)}),
            4 + 100 + 1 + 1);
}

TEST(list_scheduler, independent_work_fills_the_slots) {
  std::vector<Operation> additions;
  for (int i = 0; i < 20; ++i) additions.push_back(add(v(i + 10), v(1), of(1)));
  EXPECT_EQ(rows(additions), 10);  // two ALUs
  std::vector<Operation> chains;
  for (int i = 0; i < 8; ++i) {
    chains.push_back(load(v(10 + i), s(1), 8 * i, 0));
    chains.push_back(add(v(20 + i), v(10 + i), of(1)));
    chains.push_back(store(v(20 + i), s(1), 8 * i, 1));
  }
  EXPECT_EQ(rows(chains), 8 + 6);  // a load a cycle, and the way of the last one
}

TEST(list_scheduler, what_the_most_waits_for_goes_first) {
  std::vector<Operation> operations;
  for (int i = 0; i < 6; ++i) operations.push_back(load(v(20 + i), s(1), 8 * i));
  operations.push_back(load(v(1), s(1), 64));
  for (int i = 1; i < 6; ++i) operations.push_back(add(v(i + 1), v(i), of(1)));
  EXPECT_EQ(rows(operations), 4 + 4 * 2 + 1);  // not behind the six loads that nobody reads
}

TEST(list_scheduler, results_of_a_unit_are_popped_in_the_order_of_its_pushes) {
  // The second result is on the longer way and goes first.
  const std::vector<Operation> operations{
      op(Opcode::e_exp, v(0), of(0), of(v(1))),        pop(v(2), hw::isa::transcendental_unit),
      op(Opcode::e_exp, v(0), of(0), of(v(3))),        pop(v(4), hw::isa::transcendental_unit),
      op(Opcode::v_mul_f32, v(5), of(v(4)), of(v(4))), op(Opcode::v_mul_f32, v(6), of(v(5)), of(v(5)))};
  const Block block = schedule(operations);
  std::vector<int> order;
  for (const Row& row : block.rows) {
    for (int number : row.operation) {
      if (number >= 0 && number < 4) order.push_back(number);
    }
  }
  EXPECT_EQ(order, (std::vector<int>{2, 0, 3, 1}));
}

/// Vector values alive at the same time: written and still to be read.
int most_alive(const Block& block) {
  std::vector<int> last(200, -1), first(200, -1);
  for (int r = 0; r < int(block.rows.size()); ++r) {
    for (int number : block.rows[std::size_t(r)].operation) {
      if (number < 0) continue;
      const Operation& operation = block.operations[std::size_t(number)];
      for (Register reg : RegisterReads(operation)) last[std::size_t(reg.id())] = r;
      if (auto reg = written_register(operation)) first[std::size_t(reg->id())] = r;
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

TEST(list_scheduler, values_are_not_begun_before_there_is_room_for_them) {
  std::vector<Operation> operations;
  for (int i = 0; i < 40; ++i) {
    operations.push_back(load(v(1 + i), s(1), 8 * i, 0));
    operations.push_back(push(Opcode::mxu_lhs, v(1 + i)));  // takes one every eight cycles
    operations.push_back(pop(v(50 + i), 0));
    operations.push_back(store(v(50 + i), s(2), 8 * i, 1));
  }
  EXPECT_GT(most_alive(schedule(operations, 1000)), 20);
  EXPECT_LE(most_alive(schedule(operations, 10)), 10 + 4);  // the oldest operations may always go on
}

TEST(list_scheduler, a_branch_stands_in_the_last_row) {
  const std::vector<Operation> operations{load(v(1), s(1)), add(v(2), v(1), of(1)), store(v(2), s(1), 64),
                                          op(Opcode::s_loop, s(0), of(s(2)), of(0x12345))};
  const Block block = schedule(operations);
  EXPECT_EQ(block.rows.back().operation[0], 3);
  // The store of the last row but none is seen eight cycles later.
  EXPECT_EQ(block.rows.size(), 7u);
  EXPECT_EQ(block.settle, 7);
}

}  // namespace
}  // namespace podsim::sw
