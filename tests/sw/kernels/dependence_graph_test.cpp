// SPDX-License-Identifier: Apache-2.0
#include "sw/kernels/dependence_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <set>

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

DependenceGraph graph_of(const std::vector<Operation>& operations) {
  const FifoState fifos;
  return find_dependences({machine(), operations, fifos});
}

DependenceGraph graph_of_loop(const std::vector<Operation>& operations, const RegisterSet& renamed,
                              const std::vector<int>& independent = {},
                              const std::map<int, std::int32_t>& inductions = {}) {
  const FifoState fifos;
  return find_dependences({machine(), operations, fifos, true, &renamed, &independent, &inductions});
}

/// The longest latency of a dependence between two operations, if there is one.
std::optional<int> latency(const DependenceGraph& graph, int from, int to, int distance = 0) {
  std::optional<int> found;
  for (const Dependence& d : graph.dependences()) {
    if (d.from == from && d.to == to && d.distance == distance) found = std::max(found.value_or(0), d.latency);
  }
  return found;
}

TEST(dependence_graph, a_read_follows_a_write_by_its_latency_and_a_write_may_share_the_bundle_of_a_read) {
  const auto graph = graph_of({load(v(1), s(1)), add(v(2), v(1), of(v(1))), add(v(1), v(3), of(v(3))),
                               s_add(s(1), s(1), 8), s_add(s(2), s(1), 8)});
  EXPECT_EQ(latency(graph, 0, 1), 4);             // read after write: a load's
  EXPECT_EQ(latency(graph, 1, 2), 0);             // write after read
  EXPECT_EQ(latency(graph, 0, 2), 4);             // write after write
  EXPECT_EQ(latency(graph, 0, 3), 0);             // the base is overwritten
  EXPECT_EQ(latency(graph, 3, 4), 1);             // a scalar ALU's
  EXPECT_EQ(latency(graph, 1, 4), std::nullopt);  // nothing in common
}

TEST(dependence_graph, a_conditional_write_keeps_what_was_there) {
  const auto graph =
      graph_of({add(v(1), v(3), of(v(3))), under(p(1), add(v(1), v(4), of(v(4)))), add(v(2), v(1), of(v(1)))});
  EXPECT_EQ(latency(graph, 0, 1), 2);
  EXPECT_EQ(latency(graph, 1, 2), 2);
}

TEST(dependence_graph, an_iteration_depends_on_what_the_one_before_left) {
  const auto graph = graph_of_loop({add(v(1), v(1), of(v(2))), add(v(3), v(1), of(v(2)))}, {});
  EXPECT_EQ(latency(graph, 0, 0, 1), 2);  // the sum of the iteration before
  EXPECT_EQ(latency(graph, 1, 0, 1), 0);  // its last read
}

/// Rows of an access, one by one.
std::set<std::int64_t> rows_of(const Operation& operation, std::int64_t base) {
  std::set<std::int64_t> rows;
  const bool shuffled = operation.opcode == Opcode::v_load_shuffle || operation.opcode == Opcode::v_store_shuffle;
  for (int i = 0; i < 8; ++i) {
    const std::int64_t step =
        shuffled ? std::uint32_t(operation.z.value) >> (4 * i) & 15 : std::int64_t(i) * operation.z.value;
    rows.insert(base + operation.y.value + step);
  }
  return rows;
}
bool meet(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
  return std::ranges::any_of(a, [&](std::int64_t row) { return b.contains(row); });
}

Operation random_access() {
  constexpr Opcode opcodes[] = {Opcode::v_load, Opcode::v_store, Opcode::v_load_shuffle, Opcode::v_store_shuffle};
  const Opcode opcode = opcodes[*rc::gen::inRange(0, 4)];
  const bool shuffled = opcode == Opcode::v_load_shuffle || opcode == Opcode::v_store_shuffle;
  const std::int32_t z = shuffled ? *rc::gen::arbitrary<std::int32_t>() : *rc::gen::inRange(-9, 10);
  return memory(opcode, v(1 + *rc::gen::inRange(0, 3)), s(1), *rc::gen::inRange(0, 60), 0, z);
}

TEST(dependence_graph, accesses_from_one_base_are_ordered_if_and_only_if_they_share_a_row) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Operation> operations{random_access(), random_access()};
    operations[0].destination = v(1);
    operations[1].destination = v(2);
    const bool first_stores = operations[0].info().reads_destination,
               then_stores = operations[1].info().reads_destination;
    const auto found = latency(graph_of(operations), 0, 1);
    if ((first_stores || then_stores) && meet(rows_of(operations[0], 0), rows_of(operations[1], 0))) {
      RC_ASSERT(found == (!first_stores ? 0 : then_stores ? 1 : 8));
    } else {
      RC_ASSERT(!found);
    }
  }));
}

TEST(dependence_graph, iterations_are_ordered_from_the_first_in_which_accesses_share_a_row) {
  EXPECT_TRUE(rc::check([] {
    std::vector<Operation> operations{random_access(), random_access()};
    operations[0].destination = v(1);
    operations[1].destination = v(2);
    const std::int32_t step = *rc::gen::inRange(-12, 13);
    const auto graph = graph_of_loop(operations, set({v(1), v(2)}), {}, {{s(1).number(), step}});
    for (const int from : {0, 1}) {
      for (const int to : {0, 1}) {
        const Operation &a = operations[std::size_t(from)], &b = operations[std::size_t(to)];
        int first = 0;
        for (int distance = 1; distance < 400 && first == 0; ++distance) {
          if (meet(rows_of(a, 0), rows_of(b, std::int64_t(distance) * step))) first = distance;
        }
        if (!a.info().reads_destination && !b.info().reads_destination) first = 0;
        for (const Dependence& d : graph.dependences()) {
          if (d.from == from && d.to == to && d.distance > 0) RC_ASSERT(d.distance == first);
        }
        if (first > 0) RC_ASSERT(latency(graph, from, to, first).has_value());
      }
    }
  }));
}

TEST(dependence_graph, accesses_from_different_bases_are_ordered_unless_their_buffers_differ) {
  EXPECT_EQ(latency(graph_of({store(v(1), s(1), 0, 0), load(v(2), s(2), 64, 0)}), 0, 1), 8);
  EXPECT_EQ(latency(graph_of({store(v(1), s(1), 0, 0), load(v(2), s(1), 0, 1)}), 0, 1), std::nullopt);
  // s2 = s1 + 64 is the same base, known rows further.
  EXPECT_EQ(latency(graph_of({s_add(s(2), s(1), 64), store(v(1), s(1)), load(v(2), s(2))}), 1, 2), std::nullopt);
  EXPECT_EQ(latency(graph_of({s_add(s(2), s(1), 64), store(v(1), s(1), 64), load(v(2), s(2))}), 1, 2), 8);
  // An independent buffer is not ordered between iterations.
  const std::vector<Operation> in_place{load(v(1), s(1)), store(v(2), s(2))};
  EXPECT_EQ(latency(graph_of_loop(in_place, set({v(1)})), 1, 0, 1), 8);
  EXPECT_EQ(latency(graph_of_loop(in_place, set({v(1)}), {0}), 1, 0, 1), std::nullopt);
  EXPECT_EQ(latency(graph_of_loop(in_place, set({v(1)}), {0}), 0, 1), 0);
}

TEST(dependence_graph, memory_operations_keep_their_side_of_synchronisation) {
  const auto graph = graph_of({store(v(1), s(1)), op(Opcode::sync_wait, s(0), of(3), of(1)), load(v(2), s(1), 64),
                               op(Opcode::dma, s(0), of(16), of(0)), add(v(3), v(4), of(v(5)))});
  EXPECT_EQ(latency(graph, 0, 1), 1);
  EXPECT_EQ(latency(graph, 1, 2), 1);
  EXPECT_EQ(latency(graph, 2, 3), 1);
  EXPECT_EQ(latency(graph, 1, 3), 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(latency(graph, i, 4), std::nullopt);
}

TEST(dependence_graph, a_full_unit_is_popped_before_it_is_pushed_again) {
  // 40 pushes with their pops 31 behind them: 32 are under way at most, as the unit has places.
  std::vector<Operation> operations;
  std::vector<int> pushes, pops;
  const auto add_pop = [&] {
    pops.push_back(int(operations.size()));
    operations.push_back(pop(v(int(pops.size())), 0));
  };
  for (int i = 0; i < 40; ++i) {
    if (i >= 32) add_pop();
    pushes.push_back(int(operations.size()));
    operations.push_back(push(Opcode::mxu_lhs, v(100)));
  }
  while (pops.size() < 40) add_pop();
  const auto graph = graph_of(operations);
  for (std::size_t i = 32; i < 40; ++i) EXPECT_EQ(latency(graph, pops[i - 32], pushes[i]), 1);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(latency(graph, pushes[i], pops[i]), 1);
}

}  // namespace
}  // namespace podsim::sw
