// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/pasm/assembler.h"

#include <gtest/gtest.h>

#include <bit>

#include "hw/isa/dma_descriptor.h"
#include "tests/hw/isa/pasm/instruction_of.h"

namespace podsim::hw::isa::pasm {
namespace {

Program program(const std::string& text) { return assemble("test.pasm", text); }
Bundle bundle(const std::string& text) { return program(text).segments.at(0).bundles.at(0); }
std::vector<std::uint32_t> words(const std::string& data) { return program("nop\n.hbm x\n" + data).data.at(0).words; }
std::int32_t value(const std::string& expression) { return bundle("s.mov s1, " + expression)[Slot::scalar0]->y.value; }
std::uint32_t bits(float number) { return std::bit_cast<std::uint32_t>(number); }

// Operations.

TEST(Assembler, ReadsTheFormOfEverySlot) {
  Bundle expected;
  expected[Slot::scalar0] = instruction_of(Opcode::s_add, 1, Value::reg(2), Value::of(-8));
  expected[Slot::scalar1] = instruction_of(Opcode::s_store, 3, Value::reg(4), Value::of(12));
  expected[Slot::vector0] = instruction_of(Opcode::v_mul_f32, 1, Value::reg(2), Value::of(std::int32_t(bits(1.5F))));
  expected[Slot::vector0]->mask = 3;
  expected[Slot::vector1] = instruction_of(Opcode::e_exp, 0, {}, Value::reg(9));
  expected[Slot::load] = instruction_of(Opcode::v_load, 5, Value::reg(6), Value::of(4), Value::of(1));
  expected[Slot::store] = instruction_of(Opcode::v_store, 7, Value::reg(0), Value::of(8), Value::of(2));
  expected[Slot::store]->mask = 1;
  expected[Slot::push] = instruction_of(Opcode::mxu_weights, 0, Value::reg(8), {});
  expected[Slot::push]->unit = 1;
  expected[Slot::pop] = instruction_of(Opcode::pop, 10, {}, {});
  expected[Slot::pop]->unit = transcendental_unit;
  expected[Slot::misc] = instruction_of(Opcode::sync_wait, 0, Value::of(3), Value::reg(11));
  expected[Slot::misc]->predicate = {2, true};
  EXPECT_EQ(bundle("{ s.add s1, s2, -8 ; s.store [s4 + 12], s3 ; v.mul.f32 v1, v2, 1.5, vm3 ; e.exp v9\n"
                   "  vld v5, [s6 + 4] ; vst [8 : 2], v7, vm1\n"
                   "  mxu.weights mxu1, v8 ; pop v10, eup ; @!p2 sync.wait 3, s11 }"),
            expected);
}

TEST(Assembler, ReadsAddresses) {
  auto load = [](const std::string& address) { return *bundle("vld v1, " + address)[Slot::load]; };
  auto expected = [](Value x, Value y, Value z) { return instruction_of(Opcode::v_load, 1, x, y, z); };
  EXPECT_EQ(load("[s2]"), expected(Value::reg(2), Value::of(0), Value::of(1)));
  EXPECT_EQ(load("[s2 - 4]"), expected(Value::reg(2), Value::of(-4), Value::of(1)));
  EXPECT_EQ(load("[s2 - 4 + 1]"), expected(Value::reg(2), Value::of(-3), Value::of(1)));
  EXPECT_EQ(load("[s2 + s3 : s4]"), expected(Value::reg(2), Value::reg(3), Value::reg(4)));
  EXPECT_EQ(load("[2 * 8 : 0]"), expected(Value::reg(0), Value::of(16), Value::of(0)));
}

TEST(Assembler, GivesOperationsTheFirstFreeSlotOfTheirKind) {
  Bundle two = bundle("{ s.mov s1, 1 ; s.mov s2, 2 ; v.mov v1, 1 ; v.mov v2, 2 }");
  EXPECT_EQ(two[Slot::scalar0]->destination, 1);
  EXPECT_EQ(two[Slot::scalar1]->destination, 2);
  EXPECT_EQ(two[Slot::vector0]->destination, 1);
  EXPECT_EQ(two[Slot::vector1]->destination, 2);
  Bundle second = bundle("{ s.nop ; s.mov s2, 2 ; v.nop ; v.mov v2, 2 }");
  EXPECT_FALSE(second[Slot::scalar0]);
  EXPECT_EQ(second[Slot::scalar1]->destination, 2);
  EXPECT_FALSE(second[Slot::vector0]);
  EXPECT_EQ(second[Slot::vector1]->destination, 2);
}

TEST(Assembler, PutsBranchesIntoScalarSlotZero) {
  for (const char* text : {"{ s.loop s1, 0 ; s.mov s2, 2 }", "{ s.mov s2, 2 ; s.loop s1, 0 }"}) {
    Bundle found = bundle(text);
    EXPECT_EQ(found[Slot::scalar0]->opcode, Opcode::s_loop) << text;
    EXPECT_EQ(found[Slot::scalar1]->opcode, Opcode::s_mov) << text;
  }
}

TEST(Assembler, TakesLinesWithoutBracesAsBundles) {
  Program found = program("s.mov s1, 1\n\n  nop // nothing\n{ }\r\nhalt");
  ASSERT_EQ(found.segments.at(0).bundles.size(), 4U);
  EXPECT_EQ(found.segments[0].bundles[1], Bundle{});
  EXPECT_EQ(found.segments[0].bundles[2], Bundle{});
  EXPECT_EQ(found.lines, (std::vector<std::vector<std::uint32_t>>{{1, 3, 4, 5}}));
  EXPECT_EQ(found.source.at(3), "{ }");
}

TEST(Assembler, TakesFloatsByValueOrBits) {
  auto literal = [](const std::string& text) {
    return std::uint32_t(bundle("v.add.f32 v1, v2, " + text)[Slot::vector0]->y.value);
  };
  EXPECT_EQ(literal("1.5"), 0x3fc00000U);
  EXPECT_EQ(literal("3"), 0x40400000U) << "a whole number where an f32 is due";
  EXPECT_EQ(literal("-0.0"), 0x80000000U);
  EXPECT_EQ(literal("inf"), 0x7f800000U);
  EXPECT_EQ(literal("-inf"), 0xff800000U);
  EXPECT_EQ(literal("nan"), 0x7fc00000U);
  EXPECT_EQ(literal("0fffc00001"), 0xffc00001U);
  EXPECT_EQ(literal("1e-45"), 1U);
  EXPECT_EQ(literal("1.0 / 3"), bits(1.0F / 3.0F));
  EXPECT_EQ(value("1.5"), 0x3fc00000) << "elsewhere a float stands for its bits";
  EXPECT_EQ(bundle("v.mov v1, 3")[Slot::vector0]->y.value, 3);
}

TEST(Assembler, ComputesExpressions) {
  EXPECT_EQ(value("2 + 3 * 4"), 14);
  EXPECT_EQ(value("(2 + 3) * 4"), 20);
  EXPECT_EQ(value("20 - 3 - 4"), 13);
  EXPECT_EQ(value("7 / 2 * 2"), 6);
  EXPECT_EQ(value("-7 / 2"), -3);
  EXPECT_EQ(value("1 << 4 + 1"), 32) << "shifts bind loosest";
  EXPECT_EQ(value("-256 >> 4"), -16);
  EXPECT_EQ(value("- -0x10 + 0b101"), 21);
  EXPECT_EQ(value("0xffffffff"), -1);
  EXPECT_EQ(value("-2147483648"), std::numeric_limits<std::int32_t>::min());
}

// Names.

TEST(Assembler, KnowsNamesBeforeTheyAreDefined) {
  Program found = program(
      "  s.mov s1, b\n"
      "  s.branch end\n"
      "end:\n"
      "last: halt\n"
      ".const b = a * 2\n"
      ".const a = end + 3\n");
  EXPECT_EQ(found.segments[0].bundles[0][Slot::scalar0]->y, Value::of(10));
  EXPECT_EQ(found.segments[0].bundles[1][Slot::scalar0]->y, Value::of(2));
  EXPECT_EQ(found.labels, (std::map<std::string, std::uint32_t>{{"end", 2}, {"last", 2}}));
}

TEST(Assembler, PlacesBlocksOneAfterTheOther) {
  Program found = program(
      "  s.mov s1, c.row\n"
      "  s.mov s2, b\n"
      "  s.mov s3, b.words\n"
      ".hbm a\n .zeros 5\n"
      ".hbm b\n .zeros 1025\n"
      ".vmem x, 100\n .zeros 1\n"
      ".vmem c\n .zeros 1\n"
      ".smem s\n .word 1\n"
      ".smem t\n .word 1\n"
      ".hbm d, b + 0x10000\n .zeros 1\n"
      ".hbm e\n .zeros 1\n");
  std::vector<std::uint32_t> addresses;
  for (const DataBlock& block : found.data) addresses.push_back(block.address);
  EXPECT_EQ(addresses, (std::vector<std::uint32_t>{0, 1024, 100, 1024, 0, 8, 0x10400, 0x10800}));
  EXPECT_EQ(found.segments[0].bundles[0][Slot::scalar0]->y, Value::of(8)) << "VMEM row of word 1024";
  EXPECT_EQ(found.segments[0].bundles[1][Slot::scalar0]->y, Value::of(1024));
  EXPECT_EQ(found.segments[0].bundles[2][Slot::scalar0]->y, Value::of(1025));
}

TEST(Assembler, PlacesSegmentsAndTheirImages) {
  Program found = program(
      "  s.branch second\n"
      "  s.mov s1, late.image\n"
      "  s.mov s2, late.words\n"
      ".code second\n"
      "here: nop\n"
      ".hbm x\n .zeros 10\n"
      ".overlay late, 0x100\n"
      "there: nop\n"
      "  halt\n"
      ".overlay other, 0x100, 0x4000\n"
      "  halt\n"
      ".code third, 64\n"
      "  nop\n"
      ".hbm y\n .zeros 1\n");
  ASSERT_EQ(found.segments.size(), 5U);
  EXPECT_EQ(found.segments[1].address, 3U);
  EXPECT_EQ(found.segments[2].address, 0x100U);
  EXPECT_TRUE(found.segments[2].overlay);
  EXPECT_EQ(found.segments[2].image, 1024U) << "behind x";
  EXPECT_EQ(found.segments[3].image, 0x4000U);
  EXPECT_EQ(found.segments[4].address, 64U);
  EXPECT_EQ(found.data[1].address, 0x4400U) << "behind the image of other";
  EXPECT_EQ(found.labels, (std::map<std::string, std::uint32_t>{{"here", 3}, {"there", 0x100}}));
  const std::vector<Bundle>& first = found.segments[0].bundles;
  EXPECT_EQ(first[0][Slot::scalar0]->y, Value::of(3));
  EXPECT_EQ(first[1][Slot::scalar0]->y, Value::of(1024));
  EXPECT_EQ(first[2][Slot::scalar0]->y, Value::of(24)) << "two bundles of twelve words";
}

TEST(Assembler, NumbersStringsInTheOrderOfTheirFirstUse) {
  Program found = program(
      "  mark \"b\"\n"
      "  mark \"a \\\"q\\\" \\x41\"\n"
      "  mark \"b\"\n"
      "  mark \"\"\n");
  EXPECT_EQ(found.strings, (std::vector<std::string>{"", "b", "a \"q\" A"}));
  std::vector<std::int32_t> numbers;
  for (const Bundle& each : found.segments[0].bundles) numbers.push_back(each[Slot::misc]->x.value);
  EXPECT_EQ(numbers, (std::vector<std::int32_t>{1, 2, 1, 0}));
}

// Data.

TEST(Assembler, ReadsValues) {
  EXPECT_EQ(words(".word 1, -1, 0xdeadbeef, 2 * x\n"), (std::vector<std::uint32_t>{1, 0xffffffff, 0xdeadbeef, 0}));
  EXPECT_EQ(words(".f32 1, -0.5, inf, 1 << 4\n"),
            (std::vector<std::uint32_t>{0x3f800000, 0xbf000000, 0x7f800000, 0x41800000}));
  EXPECT_EQ(words(".zeros 3\n.word 7\n"), (std::vector<std::uint32_t>{0, 0, 0, 7}));
  EXPECT_EQ(words(".fill f32, 2, 1.5\n.fill word, 1, 1\n"), (std::vector<std::uint32_t>{0x3fc00000, 0x3fc00000, 1}));
}

TEST(Assembler, PacksTwoBf16IntoAWordLowHalfFirst) {
  EXPECT_EQ(words(".bf16 1.0, 2.0, -1.5\n.word 5\n"), (std::vector<std::uint32_t>{0x40003f80, 0x0000bfc0, 5}));
  // Ties go to the even neighbour: 1 + 2^-8 down to 1, 1 + 3 * 2^-8 up to 1 + 2^-6.
  EXPECT_EQ(words(".bf16 1.00390625, 1.01171875\n"), (std::vector<std::uint32_t>{0x3f823f80}));
  EXPECT_EQ(words(".bf16 nan, 3.4e38\n"), (std::vector<std::uint32_t>{0x7f807fc0})) << "the largest f32 rounds to inf";
  EXPECT_EQ(words(".fill bf16, 3, 1.0\n"), (std::vector<std::uint32_t>{0x3f803f80, 0x3f80}));
}

TEST(Assembler, CountsUp) {
  EXPECT_EQ(words(".iota word, 4\n"), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(words(".iota word, 3, 10, -6\n"), (std::vector<std::uint32_t>{10, 4, 0xfffffffe}));
  EXPECT_EQ(words(".iota f32, 3, 1, 0.25\n"), (std::vector<std::uint32_t>{bits(1), bits(1.25F), bits(1.5F)}));
  EXPECT_EQ(words(".iota bf16, 3, 2\n"), (std::vector<std::uint32_t>{0x40404000, 0x4080}));
}

TEST(Assembler, RepeatsData) {
  EXPECT_EQ(words(".repeat 2\n.word 1\n.repeat 2\n.word 2\n.end\n.end\n"),
            (std::vector<std::uint32_t>{1, 2, 2, 1, 2, 2}));
  EXPECT_EQ(words(".repeat 0\n.word 1\n.end\n"), std::vector<std::uint32_t>{});
}

TEST(Assembler, DrawsRandomWordsFromSplitMix64) {
  // The published first outputs of SplitMix64 for seed 1234567 (their upper halves).
  EXPECT_EQ(words(".random word, 3, 1234567\n"), (std::vector<std::uint32_t>{0x599ed017, 0x2c73f084, 0x883ebce5}));
  std::vector<std::uint32_t> dice = words(".random word, 1000, 1, -3, 4\n");
  std::array<int, 7> seen{};
  for (std::uint32_t die : dice) {
    auto face = std::int32_t(die) + 3;
    ASSERT_TRUE(face >= 0 && face < 7) << face;
    ++seen[std::size_t(face)];
  }
  for (int count : seen) EXPECT_NEAR(count, 1000.0 / 7, 45) << "four standard deviations";
}

TEST(Assembler, DrawsRandomFloatsUniformly) {
  std::vector<std::uint32_t> draws = words(".random f32, 4096, 99, 2, 6\n");
  double sum = 0;
  for (std::uint32_t draw : draws) {
    float number = std::bit_cast<float>(draw);
    ASSERT_TRUE(number >= 2 && number <= 6) << number;
    sum += double(number);
  }
  EXPECT_NEAR(sum / 4096, 4.0, 0.08) << "four standard deviations of the mean";
  EXPECT_EQ(words(".random f32, 8, 5\n"), words(".random f32, 8, 5, -1, 1\n"));
  EXPECT_NE(words(".random f32, 8, 5\n"), words(".random f32, 8, 6\n"));
}

TEST(Assembler, BuildsDescriptors) {
  Program found = program(
      "  dma tile\n"
      ".hbm a, 0x2000\n .zeros 4096\n"
      ".vmem x\n .zeros 1024\n"
      ".dma whole { route = hbm_to_vmem ; source = a ; destination = x ; words = x.words }\n"
      ".dma tile, 64 {\n"
      "  route = vmem_to_hbm\n"
      "  source = x                  // behind a comment too\n"
      "  destination = a + 128\n"
      "  words = 128 ; rows = 8\n"
      "  destination_stride = 512\n"
      "  flag = 3\n"
      "  name = \"a tile\"\n"
      "}\n");
  EXPECT_EQ(found.segments[0].bundles[0][Slot::misc]->x, Value::of(64));
  auto descriptor = [&](std::size_t block) {
    std::array<std::uint32_t, descriptor_words> words{};
    std::copy(found.data.at(block).words.begin(), found.data[block].words.end(), words.begin());
    return descriptor_of(words);
  };
  EXPECT_EQ(descriptor(2), (DmaDescriptor{DmaRoute::hbm_to_vmem, 0, 0x2000, 0, 1024, 1, 1024, 1024, 1}));
  EXPECT_EQ(descriptor(3), (DmaDescriptor{DmaRoute::vmem_to_hbm, 3, 0, 0x2080, 128, 8, 128, 512, 2}));
  EXPECT_EQ(found.strings, (std::vector<std::string>{"", "whole", "a tile"})) << "the name if none is given";
  EXPECT_EQ(found.data[2].space, MemorySpace::smem);
  EXPECT_EQ(found.data[2].address, 0U);
}

TEST(Assembler, ReadsExpectations) {
  Program found = program(
      "  halt\n"
      ".hbm c\n .zeros 4\n"
      ".expect hbm, c + 1, 1e-6\n .f32 1.5, nan\n"
      ".expect smem, 12\n .word 7\n");
  ASSERT_EQ(found.expectations.size(), 2U);
  EXPECT_EQ(found.expectations[0].space, MemorySpace::hbm);
  EXPECT_EQ(found.expectations[0].address, 1U);
  EXPECT_EQ(found.expectations[0].tolerance, 1e-6);
  EXPECT_EQ(found.expectations[0].words, (std::vector<std::uint32_t>{0x3fc00000, 0x7fc00000}));
  EXPECT_EQ(found.expectations[0].location.line, 4);
  EXPECT_EQ(found.expectations[0].location.line_text, ".expect hbm, c + 1, 1e-6");
  EXPECT_LT(found.expectations[1].tolerance, 0);
}

}  // namespace
}  // namespace podsim::hw::isa::pasm
