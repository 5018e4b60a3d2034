// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/cross_lane_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "tests/hw/bundle/random_register.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle::results {
namespace {

using base::Cycles;
using isa::Opcode;

// The machine's cross-lane unit: interval 8, latency 100, 32 slots; at 1 GHz a cycle is a nanosecond.

struct Unit {
  explicit Unit(const Trace& trace = {}) : queue(sc_core::sc_gen_unique_name("xlu"), machine, time, trace) {}
  Cycles push(isa::Opcode opcode, Cycles now, const vector::VectorRegister* x = nullptr, int amount = 0) {
    const Readiness readiness = queue.ready_to_push(opcode, now);
    EXPECT_EQ(readiness.kind, Readiness::Kind::at) << readiness.why;
    queue.push(opcode, readiness.cycle, x, amount, nullptr);
    return readiness.cycle;
  }
  Cycles pop(Cycles now, vector::VectorRegister* result = nullptr) {
    const Readiness readiness = queue.ready_to_pop(now);
    EXPECT_EQ(readiness.kind, Readiness::Kind::at) << readiness.why;
    queue.pop(readiness.cycle, result);
    return readiness.cycle;
  }
  Machine machine = round_machine();
  CoreTime time{machine.clock};
  CrossLaneQueue queue;
};

TEST(CrossLaneQueue, ASingleOperationCanBePoppedALatencyAfterItsPush) {
  Unit unit;
  vector::VectorRegister x = RandomWords(1).numbers(), sum, expected;
  EXPECT_EQ(unit.push(isa::Opcode::x_sum_lanes, Cycles(10), &x), Cycles(10));
  EXPECT_EQ(unit.queue.ready_to_pop(Cycles(11)).cycle, Cycles(110));
  EXPECT_EQ(unit.pop(Cycles(11), &sum), Cycles(110));
  vector::cross_lane_operation(isa::Opcode::x_sum_lanes, expected, x, 0);
  EXPECT_EQ(sum.words, expected.words);
  EXPECT_EQ(unit.queue.ready_to_pop(Cycles(111)).kind, Readiness::Kind::illegal);
}

TEST(CrossLaneQueue, ATransposeGivesItsRowsAnIntervalApartAfterTheLastPush) {
  Unit unit;
  Cycles now;
  for (int i = 0; i < 15; ++i) now = unit.push(isa::Opcode::x_transpose, now);
  const Cycles end = unit.push(isa::Opcode::x_transpose_end, now);
  EXPECT_EQ(end, Cycles(15 * 8));
  EXPECT_EQ(unit.push(isa::Opcode::x_sum_lanes, end), Cycles(16 * 8));
  for (int k = 0; k < 16; ++k) EXPECT_EQ(unit.pop(end), end + Cycles(100 + 8 * k));
  // The sum was ready long before, but results stay in order.
  EXPECT_EQ(unit.pop(end), end + Cycles(100 + 8 * 16));
}

TEST(CrossLaneQueue, TransposesFollowEachOtherWithoutAGap) {
  Unit unit;
  Cycles push, pop;
  for (int tile = 0; tile < 6; ++tile) {
    for (int i = 0; i < 16; ++i)
      push = unit.push(i < 15 ? isa::Opcode::x_transpose : isa::Opcode::x_transpose_end, push);
    EXPECT_EQ(push, Cycles((16 * tile + 15) * 8));
    for (int i = 0; i < 16 && tile > 0; ++i) pop = unit.pop(pop);
  }
  EXPECT_EQ(pop, Cycles((16 * 4 + 15) * 8 + 100 + 15 * 8));
  EXPECT_EQ(unit.queue.busy(Cycles(10'000)), Cycles(6 * 16 * 8));
}

TEST(CrossLaneQueue, TransposesWhatWasPushedAndZerosInPlaceOfTheRest) {
  RandomWords random(2);
  Unit unit;
  Cycles now;
  for (int registers : {16, 5, 1, 7}) {  // nothing of a fuller tile is left over
    std::vector<vector::VectorRegister> rows(std::size_t(registers), vector::VectorRegister{});
    for (int i = 0; i < registers; ++i) {
      rows[std::size_t(i)] = random.vector();
      now = unit.push(i + 1 < registers ? isa::Opcode::x_transpose : isa::Opcode::x_transpose_end, now,
                      &rows[std::size_t(i)]);
    }
    for (int row = 0; row < vector::lanes; row += 8) {
      vector::VectorRegister result;
      now = unit.pop(now, &result);
      for (int s = 0; s < vector::sublanes; ++s) {
        for (int l = 0; l < vector::lanes; ++l) {
          const std::uint32_t expected =
              l < 8 * registers ? rows[std::size_t(l / 8)].words[std::size_t(l % 8 * vector::lanes + row + s)] : 0;
          ASSERT_EQ(result.words[std::size_t(s * vector::lanes + l)], expected)
              << registers << " registers, row " << row + s;
        }
      }
    }
  }
}

TEST(CrossLaneQueue, ATransposeOfATransposeIsTheTileAgain) {
  RandomWords random(3);
  Unit unit;
  std::vector<vector::VectorRegister> tile(16), twice(16);
  for (vector::VectorRegister& r : tile) r = random.vector();
  twice = tile;
  Cycles now;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < 16; ++i) {
      now = unit.push(i < 15 ? isa::Opcode::x_transpose : isa::Opcode::x_transpose_end, now, &twice[std::size_t(i)]);
    }
    for (vector::VectorRegister& r : twice) now = unit.pop(now, &r);
  }
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(twice[i].words, tile[i].words);
}

TEST(CrossLaneQueue, PermutesByItsVectorOperandAndRotatesByItsScalar) {
  RandomWords random(4);
  const vector::VectorRegister x = random.vector(), index = random.vector();
  Unit unit;
  unit.queue.push(isa::Opcode::x_permute_lanes, Cycles(0), &x, 0, &index);
  unit.push(isa::Opcode::x_rotate_lanes, Cycles(1), &x, 3);
  vector::VectorRegister permuted, rotated, expected;
  unit.pop(Cycles(0), &permuted);
  unit.pop(Cycles(0), &rotated);
  vector::permute_lanes(expected, x, index);
  EXPECT_EQ(permuted.words, expected.words);
  EXPECT_EQ(rotated.words[3], x.words[0]);
}

TEST(CrossLaneQueue, SaysWhatItWillNeverTake) {
  Unit unit;
  EXPECT_EQ(unit.queue.ready_to_pop(Cycles(0)).kind, Readiness::Kind::illegal);
  Cycles now = unit.push(isa::Opcode::x_transpose, Cycles(0));
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_sum_lanes, now).kind, Readiness::Kind::illegal);
  EXPECT_EQ(unit.queue.ready_to_pop(now).kind, Readiness::Kind::illegal);  // not before the last register
  for (int i = 1; i < 16; ++i) now = unit.push(isa::Opcode::x_transpose, now);
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_transpose, now).kind, Readiness::Kind::illegal);
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_transpose_end, now).kind, Readiness::Kind::illegal);
}

TEST(CrossLaneQueue, AMachineWithFewPlacesCannotTranspose) {
  base::Config config = machine_file("tpu-v3");
  config.set("cross_lane.result_fifo_registers=15");
  const Machine machine = read_machine(config);
  const CoreTime time(machine.clock);
  CrossLaneQueue queue("xlu", machine, time, {});
  EXPECT_EQ(queue.ready_to_push(isa::Opcode::x_transpose_end, Cycles(0)).kind, Readiness::Kind::illegal);
  EXPECT_EQ(queue.ready_to_push(isa::Opcode::x_sum_lanes, Cycles(0)).kind, Readiness::Kind::at);
}

TEST(CrossLaneQueue, FullOfResultsItWaitsForAPop) {
  Unit unit;
  Cycles now;
  for (int i = 0; i < 32; ++i) now = unit.push(isa::Opcode::x_max_lanes, now);
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_max_lanes, now).kind, Readiness::Kind::never);
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_transpose, now).kind, Readiness::Kind::at);  // takes no slot
  const Cycles popped = unit.pop(Cycles(1000));
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_max_lanes, popped).cycle, popped + Cycles(1));
  EXPECT_EQ(unit.queue.ready_to_push(isa::Opcode::x_transpose_end, popped).kind, Readiness::Kind::never);
}

RC_GTEST_PROP(CrossLaneQueue, RandomStreamsKeepOrderAndLoseNothing, ()) {
  // Every operand is a register filled with its number, so a rotation by any amount is that register again, and a
  // transpose of registers a, b, ... has rows a a a a a a a a b b ... .
  Unit unit;
  std::deque<vector::VectorRegister> expected;
  std::uint32_t number = 0;
  Cycles now;
  const auto pop_one = [&] {
    vector::VectorRegister found;
    now = unit.pop(now, &found);
    RC_ASSERT(found.words == expected.front().words);
    expected.pop_front();
  };
  for (int step = 0; step < 60; ++step) {
    const int choice = *rc::gen::inRange(0, 5);
    if (choice < 2 && !expected.empty()) {
      pop_one();
    } else if (choice < 4) {
      while (unit.queue.ready_to_push(isa::Opcode::x_rotate_lanes, now).kind == Readiness::Kind::never) pop_one();
      vector::fill(expected.emplace_back(), ++number);
      now = unit.push(isa::Opcode::x_rotate_lanes, now, &expected.back(), 5);
    } else {
      const auto registers = *rc::gen::inRange<std::uint32_t>(1, 17);
      vector::VectorRegister row{}, pushed;
      for (std::uint32_t i = 0; i < registers; ++i) {
        const bool last = i + 1 == registers;
        vector::fill(pushed, ++number);
        for (int s = 0; s < vector::sublanes; ++s)
          std::fill_n(row.words.begin() + s * vector::lanes + 8 * i, 8, number);
        const isa::Opcode opcode = last ? isa::Opcode::x_transpose_end : isa::Opcode::x_transpose;
        while (unit.queue.ready_to_push(opcode, now).kind == Readiness::Kind::never) pop_one();
        now = unit.push(opcode, now, &pushed);
      }
      expected.insert(expected.end(), 16, row);
    }
  }
  while (!expected.empty()) pop_one();
  RC_ASSERT(unit.queue.ready_to_pop(now).kind == Readiness::Kind::illegal);
}

TEST(CrossLaneQueue, TakesTheSameCyclesWithoutData) {
  Unit with, without;
  const vector::VectorRegister x = RandomWords(5).vector();
  vector::VectorRegister result;
  Cycles now;
  for (isa::Opcode opcode : {isa::Opcode::x_sum_lanes, isa::Opcode::x_transpose, isa::Opcode::x_transpose,
                             isa::Opcode::x_transpose_end, isa::Opcode::x_rotate_sublanes}) {
    const Cycles pushed = with.push(opcode, now, &x);
    EXPECT_EQ(without.push(opcode, now), pushed);
    now = pushed;
  }
  for (int i = 0; i < 18; ++i) EXPECT_EQ(with.pop(now, &result), without.pop(now));
  EXPECT_EQ(with.queue.busy(now), without.queue.busy(now));
}

TEST(CrossLaneQueue, ShowsTheOperationThatEntersAndWhereResultsAreInTheOrderOfTime) {
  RecordingSink sink;
  Unit unit({&sink, nullptr, "core.xlu"});
  unit.push(isa::Opcode::x_sum_lanes, Cycles(10));
  unit.push(isa::Opcode::x_rotate_lanes, Cycles(18));
  unit.push(isa::Opcode::x_sum_lanes, Cycles(30));
  unit.queue.show_until(Cycles(30));
  const std::string sum(isa::info(isa::Opcode::x_sum_lanes).mnemonic),
      rotate(isa::info(isa::Opcode::x_rotate_lanes).mnemonic);
  EXPECT_EQ(sink.history("core.xlu.state"), "idle@0 " + sum + "@10 " + rotate + "@18 idle@26 " + sum + "@30");
  EXPECT_EQ(sink.history("core.xlu.in_unit"), "0@0 1@10 2@18 3@30");
  unit.pop(Cycles(112));
  unit.pop(Cycles(118));
  unit.queue.show_until(Cycles(200));
  EXPECT_EQ(sink.history("core.xlu.in_unit"), "0@0 1@10 2@18 3@30 2@110 1@118 0@130");
  EXPECT_EQ(sink.history("core.xlu.result_fifo"), "0@0 1@110 0@112 1@130");  // the second goes as it comes
}

}  // namespace
}  // namespace podsim::hw::bundle::results
