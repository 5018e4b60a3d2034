// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/latency.h"

#include <gtest/gtest.h>

namespace podsim::hw::isa {
namespace {

/// A machine in which all latencies are different.
Machine machine() {
  Machine machine;
  machine.scalar.alu_latency = base::Cycles(2);
  machine.scalar.load_latency = base::Cycles(3);
  machine.vector.alu_latency = base::Cycles(5);
  machine.vector.load_latency = base::Cycles(7);
  return machine;
}

TEST(ResultLatency, IsThatOfTheUnitThatWrites) {
  const Machine m = machine();
  for (Opcode opcode :
       {Opcode::s_add, Opcode::s_lt, Opcode::p_xor, Opcode::s_mov, Opcode::s_loop, Opcode::s_pop, Opcode::pop})
    EXPECT_EQ(result_latency(m, opcode), base::Cycles(2)) << info(opcode).mnemonic;
  EXPECT_EQ(result_latency(m, Opcode::s_load), base::Cycles(3));
  for (Opcode opcode : {Opcode::v_add_f32, Opcode::v_eq_f32, Opcode::m_and, Opcode::m_splat, Opcode::v_splat})
    EXPECT_EQ(result_latency(m, opcode), base::Cycles(5)) << info(opcode).mnemonic;
  for (Opcode opcode : {Opcode::v_load, Opcode::v_load_shuffle})
    EXPECT_EQ(result_latency(m, opcode), base::Cycles(7)) << info(opcode).mnemonic;
}

TEST(ResultLatency, IsZeroWhereNoRegisterIsWritten) {
  for (Opcode opcode :
       {Opcode::s_store, Opcode::s_branch, Opcode::e_exp, Opcode::v_store, Opcode::v_store_shuffle, Opcode::mxu_lhs,
        Opcode::mxu_latch, Opcode::x_transpose, Opcode::push_scalar, Opcode::dma, Opcode::sync_wait, Opcode::halt})
    EXPECT_EQ(result_latency(machine(), opcode), base::Cycles(0)) << info(opcode).mnemonic;
}

}  // namespace
}  // namespace podsim::hw::isa
