// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/results/transcendental_queue.h"

#include <gtest/gtest.h>

#include "hw/bundle/vector/vector_functions.h"
#include "tests/hw/bundle/random_register.h"
#include "tests/hw/recording_sink.h"
#include "tests/hw/test_machine.h"

namespace podsim::hw::bundle::results {
namespace {

using base::Cycles;
using isa::Opcode;

// The machine's transcendental unit: interval 1, latency 4, 8 slots; at 1 GHz a cycle is a nanosecond.

TEST(TranscendentalQueue, TakesAnOperationEveryCycleAndGivesItBackFourLater) {
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  TranscendentalQueue queue("eup", machine, time, {});
  RandomWords random(1);
  const isa::Opcode opcodes[] = {isa::Opcode::e_exp, isa::Opcode::e_log, isa::Opcode::e_tanh, isa::Opcode::e_rsqrt,
                                 isa::Opcode::e_sqrt};
  std::vector<vector::VectorRegister> operands;
  for (int i = 0; i < 5; ++i) {
    operands.push_back(random.vector());
    ASSERT_EQ(queue.ready_to_push(opcodes[i], Cycles(i)).cycle, Cycles(i));
    queue.push(opcodes[i], Cycles(i), &operands.back(), 0, nullptr);
    EXPECT_EQ(queue.ready_to_push(opcodes[i], Cycles(i)).cycle, Cycles(i + 1));
  }
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(queue.ready_to_pop(Cycles(i)).cycle, Cycles(i + 4));
    vector::VectorRegister found, expected;
    queue.pop(Cycles(i + 4), &found);
    vector::transcendental_operation(opcodes[i], expected, operands[std::size_t(i)]);
    EXPECT_EQ(found.words, expected.words);
  }
  EXPECT_EQ(queue.ready_to_pop(Cycles(9)).kind, Readiness::Kind::illegal);
  EXPECT_EQ(queue.busy(Cycles(100)), Cycles(5));
}

TEST(TranscendentalQueue, WithEightResultsUnpoppedItWaitsForAPop) {
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  TranscendentalQueue queue("eup", machine, time, {});
  for (int i = 0; i < 8; ++i) queue.push(isa::Opcode::e_exp, Cycles(i), nullptr, 0, nullptr);
  EXPECT_EQ(queue.ready_to_push(isa::Opcode::e_exp, Cycles(8)).kind, Readiness::Kind::never);
  queue.pop(Cycles(8), nullptr);
  EXPECT_EQ(queue.ready_to_push(isa::Opcode::e_exp, Cycles(8)).cycle, Cycles(9));
}

TEST(TranscendentalQueue, HasTheMachinesFigures) {
  base::Config config = machine_file("tpu-v3");
  config.set("vector.transcendental_interval_cycles=3");
  config.set("vector.transcendental_latency_cycles=11");
  config.set("vector.transcendental_fifo_registers=1");
  const Machine machine = read_machine(config);
  const CoreTime time(machine.clock);
  TranscendentalQueue queue("eup", machine, time, {});
  queue.push(isa::Opcode::e_exp, Cycles(0), nullptr, 0, nullptr);
  EXPECT_EQ(queue.ready_to_push(isa::Opcode::e_exp, Cycles(1)).kind, Readiness::Kind::never);
  EXPECT_EQ(queue.ready_to_pop(Cycles(1)).cycle, Cycles(11));
  EXPECT_EQ(queue.busy(Cycles(2)), Cycles(2));
}

TEST(TranscendentalQueue, ShowsItsOperationsAndResults) {
  RecordingSink sink;
  const Machine machine = round_machine();
  const CoreTime time(machine.clock);
  TranscendentalQueue queue("eup", machine, time, {&sink, nullptr, "eup"});
  queue.push(isa::Opcode::e_exp, Cycles(2), nullptr, 0, nullptr);
  queue.push(isa::Opcode::e_exp, Cycles(3), nullptr, 0, nullptr);
  queue.pop(Cycles(6), nullptr);
  queue.show_until(Cycles(9));
  const std::string exp(isa::info(isa::Opcode::e_exp).mnemonic);
  EXPECT_EQ(sink.history("eup.state"), "idle@0 " + exp + "@2 idle@4");
  EXPECT_EQ(sink.history("eup.in_unit"), "0@0 1@2 2@3 1@6 0@7");
  EXPECT_EQ(sink.history("eup.result_fifo"), "0@0 1@7");
}

}  // namespace
}  // namespace podsim::hw::bundle::results
