// SPDX-License-Identifier: Apache-2.0
#include "hw/bundle/scalar_unit.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/hw/bundle/pasm.h"

namespace podsim::hw::bundle {
namespace {

/// Performs one scalar operation of `opcode` on two numbers and expects its result in SMEM.
void expect(const std::string& opcode, std::int64_t x, std::int64_t y, std::int64_t result) {
  Pasm pasm;
  pasm.pass(
      fmt::format("{{ s.mov s1, {} ; s.mov s2, {} }}\n"
                  "{} s3, s1, s2\n"
                  "s.store [0], s3\n"
                  "halt\n"
                  ".expect smem, 0\n .word {}\n",
                  x, y, opcode, result));
}

TEST(ScalarUnit, ComputesIntegersThatWrap) {
  expect("s.add", 0x7fffffff, 1, -0x80000000LL);
  expect("s.sub", -0x80000000LL, 1, 0x7fffffff);
  expect("s.mul", 0x10001, 0x10001, 0x20001);
  expect("s.mul", -3, 5, -15);
  expect("s.and", 0xf0f0, 0xff00, 0xf000);
  expect("s.or", 0xf0f0, 0x0f00, 0xfff0);
  expect("s.xor", 0xf0f0, 0xff00, 0x0ff0);
  expect("s.min", -5, 3, -5);
  expect("s.max", -5, 3, 3);
}

TEST(ScalarUnit, ShiftsByTheAmountModulo32) {
  expect("s.shl", 3, 4, 48);
  expect("s.shl", 3, 33, 6);
  expect("s.shr", -1, 28, 15);
  expect("s.shr", -1, -4, 15);
  expect("s.sar", -256, 4, -16);
  expect("s.sar", -256, 36, -16);
}

/// Writes the bits of p1 for six compares of x and y: eq, ne, lt, le, ltu, leu.
void expect_compares(std::int64_t x, std::int64_t y, int bits) {
  std::string text = fmt::format("{{ s.mov s1, {} ; s.mov s2, {} }}\n", x, y);
  int bit = 1;
  for (const char* opcode : {"s.eq", "s.ne", "s.lt", "s.le", "s.ltu", "s.leu"}) {
    text += fmt::format("{} p1, s1, s2\n@p1 s.or s3, s3, {}\n", opcode, bit);
    bit *= 2;
  }
  Pasm pasm;
  pasm.pass(text + fmt::format("s.store [0], s3\nhalt\n.expect smem, 0\n .word {}\n", bits));
}

TEST(ScalarUnit, ComparesWithAndWithoutSign) {
  expect_compares(3, 3, 0b101001);
  expect_compares(-1, 1, 0b001110);
  expect_compares(1, -1, 0b110010);
}

/// All four pairs of two predicates, a bit each: 00 01 10 11.
void expect_logic(const std::string& opcode, int bits) {
  std::string text;
  int bit = 1;
  for (int pair = 0; pair < 4; ++pair, bit *= 2) {
    text += fmt::format("{{ s.ne p1, s0, {} ; s.ne p2, s0, {} }}\n{} p3, p1, p2\n@p3 s.or s3, s3, {}\n", pair / 2,
                        pair % 2, opcode, bit);
  }
  Pasm pasm;
  pasm.pass(text + fmt::format("s.store [0], s3\nhalt\n.expect smem, 0\n .word {}\n", bits));
}

TEST(ScalarUnit, CombinesPredicates) {
  expect_logic("p.and", 0b1000);
  expect_logic("p.or", 0b1110);
  expect_logic("p.xor", 0b0110);
}

TEST(ScalarUnit, ReadsAndWritesSmemByRegisterAndLiteral) {
  Pasm pasm;
  pasm.pass(
      "{ s.mov s1, 40 ; s.mov s2, 2 }\n"
      "s.load s3, [s1 + s2]\n"
      "nop\nnop\nnop\n"
      "s.add s3, s3, 1\n"
      "s.store [s1 - 1], s3\n"
      "halt\n"
      ".smem x, 42\n .word 99\n"
      ".expect smem, 39\n .word 100\n");
}

/// s0 reads as zero, and false predicates keep everything as it was: registers, memory, flags, FIFOs, the next address.
TEST(ScalarUnit, AnOperationThatIsNotPerformedDoesNothing) {
  Pasm pasm;
  const BundleRunResult result = pasm.pass(
      "s.mov s1, 5\n"
      "{ @p1 s.mov s1, 9 ; @p1 s.store [0], s1 }\n"
      "{ @p1 s.branch 0 ; @p1 pop v1, xlu ; @p1 sync.wait 7, 1 ; @p1 vld v2, [-1] ; @p1 vst [-1], v9 }\n"
      "{ @p1 mxu.latch mxu0 ; @p1 e.exp v1 }\n"
      "{ @p1 halt ; @!p1 s.add s1, s1, s0 }\n"
      "s.store [1], s1\n"
      "halt\n"
      ".expect smem, 0\n .word 0, 5\n");
  EXPECT_EQ(result.cycles, base::Cycles(7));
}

}  // namespace
}  // namespace podsim::hw::bundle
