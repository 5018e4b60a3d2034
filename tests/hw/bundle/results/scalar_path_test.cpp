// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/scalar_path.h"

#include <gtest/gtest.h>

#include "tests/hw/bundle/random_register.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle::results {
namespace {

using base::Cycles;
using isa::Opcode;

// The machine's path: a word per cycle, latency 10, 16 slots; at 1 GHz a cycle is a nanosecond.

TEST(ScalarPath, TakesAWordEveryCycleAndGivesItTenLater) {
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  ScalarPath path("path", machine, time, {});
  RandomWords random(1);
  std::vector<vector::VectorRegister> operands;
  for (int i = 0; i < 5; ++i) {
    operands.push_back(random.vector());
    ASSERT_EQ(path.ready_to_push(isa::Opcode::push_scalar, Cycles(i)).cycle, Cycles(i));
    path.push(isa::Opcode::push_scalar, Cycles(i), &operands.back(), 0, nullptr);
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(path.ready_to_pop(Cycles(i)).cycle, Cycles(i + 10));
    vector::VectorRegister found;
    path.pop(Cycles(i + 10), &found);
    EXPECT_EQ(found.words[0], operands[std::size_t(i)].words[0]);
  }
  EXPECT_EQ(path.ready_to_pop(Cycles(20)).kind, Readiness::Kind::illegal);
  EXPECT_EQ(path.busy(Cycles(100)), Cycles(5));
}

TEST(ScalarPath, HasTheMachinesFigures) {
  base::Config config = machine_file("tpu-v3");
  config.set("scalar.from_vector_latency_cycles=3");
  config.set("scalar.from_vector_fifo_words=2");
  const Machine machine = read_machine(config);
  const CoreTime time(machine.clock);
  ScalarPath path("path", machine, time, {});
  path.push(isa::Opcode::push_scalar, Cycles(0), nullptr, 0, nullptr);
  path.push(isa::Opcode::push_scalar, Cycles(1), nullptr, 0, nullptr);
  EXPECT_EQ(path.ready_to_push(isa::Opcode::push_scalar, Cycles(2)).kind, Readiness::Kind::never);
  EXPECT_EQ(path.ready_to_pop(Cycles(1)).cycle, Cycles(3));
  path.pop(Cycles(3), nullptr);
  EXPECT_EQ(path.ready_to_push(isa::Opcode::push_scalar, Cycles(3)).cycle, Cycles(4));
}

TEST(ScalarPath, ShowsItsWords) {
  RecordingSink sink;
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  ScalarPath path("path", machine, time, {&sink, nullptr, "path"});
  path.push(isa::Opcode::push_scalar, Cycles(2), nullptr, 0, nullptr);
  path.pop(Cycles(13), nullptr);
  path.show_until(Cycles(15));
  EXPECT_EQ(sink.history("path.state"), "idle@0 push.scalar@2 idle@3");
  EXPECT_EQ(sink.history("path.in_unit"), "0@0 1@2 0@12");
  EXPECT_EQ(sink.history("path.result_fifo"), "0@0 1@12 0@13");
}

}  // namespace
}  // namespace podsim::hw::bundle::results
