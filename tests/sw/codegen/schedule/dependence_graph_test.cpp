// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/schedule/dependence_graph.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <optional>
#include <set>

#include "tests/hw/test_machine.h"
#include "tests/sw/codegen/hand_written.h"

namespace podsim::sw::codegen::schedule {
namespace {

using hw::isa::Opcode;

DependenceGraph graph_of(const std::vector<registers::Operation>& operations) {
  const FifoState fifos;
  return find_dependences({hw::the_tpu_v3(), operations, fifos});
}

DependenceGraph graph_of_loop(const std::vector<registers::Operation>& operations,
                              const registers::RegisterSet& renamed, const std::vector<int>& independent = {},
                              const std::map<int, std::int32_t>& inductions = {}) {
  const FifoState fifos;
  return find_dependences({hw::the_tpu_v3(), operations, fifos, true, &renamed, &independent, &inductions});
}

/// The longest latency of a dependence between two operations, if there is one.
std::optional<int> latency(const DependenceGraph& graph, int from, int to, int distance = 0) {
  std::optional<int> found;
  for (const Dependence& d : graph.dependences()) {
    if (d.from == from && d.to == to && d.distance == distance) found = std::max(found.value_or(0), d.latency);
  }
  return found;
}

TEST(DependenceGraph, AReadFollowsAWriteByItsLatencyAndAWriteMayShareTheBundleOfARead) {
  const auto graph =
      graph_of({hand::load(hand::v(1), hand::s(1)), hand::add(hand::v(2), hand::v(1), hand::of(hand::v(1))),
                hand::add(hand::v(1), hand::v(3), hand::of(hand::v(3))), hand::s_add(hand::s(1), hand::s(1), 8),
                hand::s_add(hand::s(2), hand::s(1), 8)});
  EXPECT_EQ(latency(graph, 0, 1), 4);             // read after write: a load's
  EXPECT_EQ(latency(graph, 1, 2), 0);             // write after read
  EXPECT_EQ(latency(graph, 0, 2), 4);             // write after write
  EXPECT_EQ(latency(graph, 0, 3), 0);             // the base is overwritten
  EXPECT_EQ(latency(graph, 3, 4), 1);             // a scalar ALU's
  EXPECT_EQ(latency(graph, 1, 4), std::nullopt);  // nothing in common
}

TEST(DependenceGraph, AConditionalWriteKeepsWhatWasThere) {
  const auto graph = graph_of({hand::add(hand::v(1), hand::v(3), hand::of(hand::v(3))),
                               hand::under(hand::p(1), hand::add(hand::v(1), hand::v(4), hand::of(hand::v(4)))),
                               hand::add(hand::v(2), hand::v(1), hand::of(hand::v(1)))});
  EXPECT_EQ(latency(graph, 0, 1), 2);
  EXPECT_EQ(latency(graph, 1, 2), 2);
}

TEST(DependenceGraph, AnIterationDependsOnWhatTheOneBeforeLeft) {
  const auto graph = graph_of_loop({hand::add(hand::v(1), hand::v(1), hand::of(hand::v(2))),
                                    hand::add(hand::v(3), hand::v(1), hand::of(hand::v(2)))},
                                   {});
  EXPECT_EQ(latency(graph, 0, 0, 1), 2);  // the sum of the iteration before
  EXPECT_EQ(latency(graph, 1, 0, 1), 0);  // its last read
}

/// Rows of an access, one by one.
std::set<std::int64_t> rows_of(const registers::Operation& operation, std::int64_t base) {
  std::set<std::int64_t> rows;
  const bool shuffled =
      operation.opcode == hw::isa::Opcode::v_load_shuffle || operation.opcode == hw::isa::Opcode::v_store_shuffle;
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

registers::Operation random_access() {
  constexpr hw::isa::Opcode opcodes[] = {hw::isa::Opcode::v_load, hw::isa::Opcode::v_store,
                                         hw::isa::Opcode::v_load_shuffle, hw::isa::Opcode::v_store_shuffle};
  const hw::isa::Opcode opcode = opcodes[*rc::gen::inRange(0, 4)];
  const bool shuffled = opcode == hw::isa::Opcode::v_load_shuffle || opcode == hw::isa::Opcode::v_store_shuffle;
  const std::int32_t z = shuffled ? *rc::gen::arbitrary<std::int32_t>() : *rc::gen::inRange(-9, 10);
  return hand::memory(opcode, hand::v(1 + *rc::gen::inRange(0, 3)), hand::s(1), *rc::gen::inRange(0, 60), 0, z);
}

TEST(DependenceGraph, AccessesFromOneBaseAreOrderedIfAndOnlyIfTheyShareARow) {
  EXPECT_TRUE(rc::check([] {
    std::vector<registers::Operation> operations{random_access(), random_access()};
    operations[0].destination = hand::v(1);
    operations[1].destination = hand::v(2);
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

TEST(DependenceGraph, IterationsAreOrderedFromTheFirstInWhichAccessesShareARow) {
  EXPECT_TRUE(rc::check([] {
    std::vector<registers::Operation> operations{random_access(), random_access()};
    operations[0].destination = hand::v(1);
    operations[1].destination = hand::v(2);
    const std::int32_t step = *rc::gen::inRange(-12, 13);
    const auto graph =
        graph_of_loop(operations, hand::set({hand::v(1), hand::v(2)}), {}, {{hand::s(1).number(), step}});
    for (const int from : {0, 1}) {
      for (const int to : {0, 1}) {
        const registers::Operation &a = operations[std::size_t(from)], &b = operations[std::size_t(to)];
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

TEST(DependenceGraph, AccessesFromDifferentBasesAreOrderedUnlessTheirBuffersDiffer) {
  EXPECT_EQ(
      latency(graph_of({hand::store(hand::v(1), hand::s(1), 0, 0), hand::load(hand::v(2), hand::s(2), 64, 0)}), 0, 1),
      8);
  EXPECT_EQ(
      latency(graph_of({hand::store(hand::v(1), hand::s(1), 0, 0), hand::load(hand::v(2), hand::s(1), 0, 1)}), 0, 1),
      std::nullopt);
  // s2 = s1 + 64 is the same base, known rows further.
  EXPECT_EQ(latency(graph_of({hand::s_add(hand::s(2), hand::s(1), 64), hand::store(hand::v(1), hand::s(1)),
                              hand::load(hand::v(2), hand::s(2))}),
                    1, 2),
            std::nullopt);
  EXPECT_EQ(latency(graph_of({hand::s_add(hand::s(2), hand::s(1), 64), hand::store(hand::v(1), hand::s(1), 64),
                              hand::load(hand::v(2), hand::s(2))}),
                    1, 2),
            8);
  // An independent buffer is not ordered between iterations.
  const std::vector<registers::Operation> in_place{hand::load(hand::v(1), hand::s(1)),
                                                   hand::store(hand::v(2), hand::s(2))};
  EXPECT_EQ(latency(graph_of_loop(in_place, hand::set({hand::v(1)})), 1, 0, 1), 8);
  EXPECT_EQ(latency(graph_of_loop(in_place, hand::set({hand::v(1)}), {0}), 1, 0, 1), std::nullopt);
  EXPECT_EQ(latency(graph_of_loop(in_place, hand::set({hand::v(1)}), {0}), 0, 1), 0);
}

TEST(DependenceGraph, MemoryOperationsKeepTheirSideOfSynchronisation) {
  const auto graph = graph_of(
      {hand::store(hand::v(1), hand::s(1)), hand::op(hw::isa::Opcode::sync_wait, hand::s(0), hand::of(3), hand::of(1)),
       hand::load(hand::v(2), hand::s(1), 64), hand::op(hw::isa::Opcode::dma, hand::s(0), hand::of(16), hand::of(0)),
       hand::add(hand::v(3), hand::v(4), hand::of(hand::v(5)))});
  EXPECT_EQ(latency(graph, 0, 1), 1);
  EXPECT_EQ(latency(graph, 1, 2), 1);
  EXPECT_EQ(latency(graph, 2, 3), 1);
  EXPECT_EQ(latency(graph, 1, 3), 1);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(latency(graph, i, 4), std::nullopt);
}

TEST(DependenceGraph, AFullUnitIsPoppedBeforeItIsPushedAgain) {
  // 40 pushes with their pops 31 later: at most 32 are in flight, which is the number of slots of the unit.
  std::vector<registers::Operation> operations;
  std::vector<int> pushes, pops;
  const auto add_pop = [&] {
    pops.push_back(int(operations.size()));
    operations.push_back(hand::pop(hand::v(int(pops.size())), 0));
  };
  for (int i = 0; i < 40; ++i) {
    if (i >= 32) add_pop();
    pushes.push_back(int(operations.size()));
    operations.push_back(hand::push(hw::isa::Opcode::mxu_lhs, hand::v(100)));
  }
  while (pops.size() < 40) add_pop();
  const auto graph = graph_of(operations);
  for (std::size_t i = 32; i < 40; ++i) EXPECT_EQ(latency(graph, pops[i - 32], pushes[i]), 1);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(latency(graph, pushes[i], pops[i]), 1);
}

}  // namespace
}  // namespace podsim::sw::codegen::schedule
