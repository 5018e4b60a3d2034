// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "hw/isa/dma_descriptor.h"
#include "hw/isa/pasm/assembler.h"
#include "tests/hw/isa/pasm/instruction_of.h"
#include "tests/hw/isa/random_bundle.h"

namespace podsim::hw::isa::pasm {
namespace {

/// Names as people give them, and as generators might.
std::string random_name() {
  return *rc::gen::element<std::string>("loop", "end", "x", "tile.0", "s1", "vm3", "inf", "mxu0", "", "two words",
                                        "a\"b", "a\\", "line\nbreak", "\xc3\xa9", "7", "main", "halt", "x.row");
}

std::uint32_t random_word() {
  return *rc::gen::oneOf(rc::gen::resize(100, rc::gen::arbitrary<std::uint32_t>()),
                         rc::gen::element<std::uint32_t>(0, 1, 0x3f800000, 0x80000000, 0x7fc00000, 0xffc00001,
                                                         0x7f800000, 0xff800000, 0x40490fdb, 0xffffffff));
}

std::vector<std::uint32_t> random_words() {
  std::vector<std::uint32_t> words;
  for (int runs = *rc::gen::inRange(0, 6); runs > 0; --runs) {
    words.insert(words.end(), std::size_t(*rc::gen::element(1, 1, 1, 2, 3, 4, 9)), random_word());
  }
  return words;
}

std::vector<Bundle> random_bundles(int most, int strings) {
  std::vector<Bundle> bundles(std::size_t(*rc::gen::inRange(0, most)));
  for (Bundle& bundle : bundles) {
    bundle = random_bundle();
    auto& misc = bundle[Slot::misc];
    if (misc && misc->opcode == Opcode::mark) misc->x.value %= strings;
  }
  return bundles;
}

void add_segments(Program& program) {
  auto strings = int(program.strings.size());
  std::uint32_t address = 0;
  for (int count = *rc::gen::inRange(1, 4); count > 0; --count) {
    program.segments.push_back({random_name(), address, random_bundles(4, strings)});
    address += std::uint32_t(program.segments.back().bundles.size()) + *rc::gen::inRange<std::uint32_t>(0, 3);
  }
  std::uint32_t image = 0;
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    image += *rc::gen::inRange<std::uint32_t>(0, 100000);
    std::uint32_t at = *rc::gen::inRange<std::uint32_t>(0, 10);  // overlays may have the addresses of other code
    program.segments.push_back({random_name(), at, random_bundles(3, strings), true, image});
    image += std::uint32_t(program.segments.back().bundles.size() * bundle_words);
  }
}

/// A descriptor, or words that look like one.
std::vector<std::uint32_t> random_descriptor(const Program& program) {
  auto number = [] { return *rc::gen::inRange<std::uint32_t>(0, 3); };
  DmaDescriptor descriptor{DmaRoute(*rc::gen::inRange(0, 8)),
                           number(),
                           random_word(),
                           random_word(),
                           number(),
                           number(),
                           number(),
                           number(),
                           0};
  descriptor.name = *rc::gen::inRange<std::uint32_t>(0, std::uint32_t(program.strings.size()) + 1);
  auto words = to_words(descriptor);
  if (number() == 0) words[0] |= 1U << 30;
  return {words.begin(), words.end()};
}

void add_data(Program& program) {
  std::array<std::uint32_t, 3> next{1 << 20, 0, 0};  // HBM beyond the overlays' images
  for (int count = *rc::gen::inRange(0, 6); count > 0; --count) {
    auto space = MemorySpace(*rc::gen::inRange(0, 3));
    std::uint32_t& address = next[std::size_t(space)];
    address += *rc::gen::inRange<std::uint32_t>(0, 3000);
    bool descriptor = *rc::gen::inRange(0, 3) == 0;
    program.data.push_back({random_name(), space, address, descriptor ? random_descriptor(program) : random_words()});
    address += std::uint32_t(program.data.back().words.size());
  }
  for (int count = *rc::gen::inRange(0, 3); count > 0; --count) {
    Expectation expectation{MemorySpace(*rc::gen::inRange(0, 3)), random_word(), random_words(), -1, {}};
    expectation.tolerance = *rc::gen::element(-1.0, 0.0, 1e-6, 0.1, 3.0);
    program.expectations.push_back(std::move(expectation));
  }
}

Program random_program() {
  Program program;
  program.strings = {""};
  for (int count = *rc::gen::inRange(0, 4); count > 0; --count) program.strings.push_back(random_name());
  add_segments(program);
  add_data(program);
  for (int count = *rc::gen::inRange(0, 5); count > 0; --count) {
    program.labels.emplace(random_name(), *rc::gen::inRange<std::uint32_t>(0, 20));
  }
  return program;
}

void assert_equal(const Program& a, const Program& b) {
  RC_ASSERT(a.strings == b.strings);
  RC_ASSERT(a.labels == b.labels);
  RC_ASSERT(a.segments.size() == b.segments.size());
  for (std::size_t i = 0; i < a.segments.size(); ++i) {
    const Segment &x = a.segments[i], &y = b.segments[i];
    RC_ASSERT(x.name == y.name && x.address == y.address && x.overlay == y.overlay && x.image == y.image);
    RC_ASSERT(x.bundles == y.bundles);
  }
  RC_ASSERT(a.data.size() == b.data.size());
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const DataBlock &x = a.data[i], &y = b.data[i];
    RC_ASSERT(x.name == y.name && x.space == y.space && x.address == y.address && x.words == y.words);
  }
  RC_ASSERT(a.expectations.size() == b.expectations.size());
  for (std::size_t i = 0; i < a.expectations.size(); ++i) {
    const Expectation &x = a.expectations[i], &y = b.expectations[i];
    RC_ASSERT(x.space == y.space && x.address == y.address && x.tolerance == y.tolerance && x.words == y.words);
  }
}

RC_GTEST_PROP(Disassembly, OfEveryProgramAssemblesToIt, ()) {
  Program program = random_program();
  std::string text = disassemble(program);
  RC_LOG(text);
  assert_equal(program, assemble("round_trip.pasm", text));
}

RC_GTEST_PROP(Disassembly, OfEveryBundleAssemblesToIt, ()) {
  Bundle bundle = random_bundle();
  if (auto& misc = bundle[Slot::misc]; misc && misc->opcode == Opcode::mark) misc->x = Value::of(0);
  std::string text = disassemble(bundle);
  RC_ASSERT(text.find('\n') == std::string::npos);
  Program program = assemble("bundle.pasm", text);
  RC_ASSERT(program.segments.at(0).bundles == std::vector<Bundle>{bundle});
}

RC_GTEST_PROP(Disassembly, OfEveryOpcodeAssemblesToIt, ()) {
  for (const OpcodeInfo& row : opcode_table()) {
    Instruction instruction = random_instruction(row.opcode);
    if (row.opcode == Opcode::mark) instruction.x = Value::of(0);
    Bundle bundle;
    RC_ASSERT(place(bundle, instruction));
    if (problem(bundle)) continue;  // !p0, or s0, p0, vm0 written
    RC_ASSERT(assemble("bundle.pasm", disassemble(bundle)).segments.at(0).bundles == std::vector<Bundle>{bundle});
  }
}

/// One operation in the first slot of its kind.
std::string text_of(const Instruction& instruction) {
  Bundle bundle;
  EXPECT_TRUE(place(bundle, instruction));
  return disassemble(bundle);
}

Value real(float value) { return Value::of(std::bit_cast<std::int32_t>(value)); }

TEST(Disassembly, WritesOperationsAsPeopleDo) {
  EXPECT_EQ(text_of(instruction_of(Opcode::s_add, 1, Value::reg(2), Value::of(-8))), "s.add s1, s2, -8");
  EXPECT_EQ(text_of(instruction_of(Opcode::s_mov, 1, {}, Value::of(0x12345))), "s.mov s1, 0x12345");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_mul_f32, 1, Value::reg(2), real(0.5F))), "v.mul.f32 v1, v2, 0.5");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_max_f32, 1, Value::reg(2), real(0.0F))), "v.max.f32 v1, v2, 0.0");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_add_s32, 1, Value::reg(2), Value::of(3))), "v.add.s32 v1, v2, 3");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_mov, 1, {}, real(-3.25F))), "v.mov v1, -3.25");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_mov, 1, {}, Value::of(7))), "v.mov v1, 7");
  EXPECT_EQ(text_of(instruction_of(Opcode::e_exp, 0, {}, Value::reg(4))), "e.exp v4");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_load, 1, Value::reg(2), Value::of(4), Value::of(1))), "vld v1, [s2 + 4]");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_load, 1, Value::reg(2), Value::of(-4), Value::of(2))),
            "vld v1, [s2 - 4 : 2]");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_store, 1, Value::reg(0), Value::of(64), Value::reg(3))),
            "vst [64 : s3], v1");
  EXPECT_EQ(text_of(instruction_of(Opcode::v_load_shuffle, 1, Value::reg(2), Value::of(0), Value::of(0x76543210))),
            "vld.shuffle v1, [s2 : 0x76543210]");
  EXPECT_EQ(text_of(instruction_of(Opcode::s_store, 1, Value::reg(2), Value::reg(3))), "s.store [s2 + s3], s1");
  EXPECT_EQ(text_of(instruction_of(Opcode::sync_wait, 0, Value::of(3), Value::reg(1))), "sync.wait 3, s1");

  Instruction masked = instruction_of(Opcode::v_select, 1, Value::reg(2), Value::reg(3));
  EXPECT_EQ(text_of(masked), "v.select v1, v2, v3, vm0");
  masked = instruction_of(Opcode::v_lt_f32, 1, Value::reg(2), real(1));
  masked.mask = 2;
  masked.predicate = {3, true};
  EXPECT_EQ(text_of(masked), "@!p3 v.lt.f32 vm1, v2, 1.0, vm2");
  Instruction push = instruction_of(Opcode::mxu_lhs, 0, Value::reg(5), {});
  push.unit = 1;
  EXPECT_EQ(text_of(push), "mxu.lhs mxu1, v5");
  Instruction pop = instruction_of(Opcode::pop, 5, {}, {});
  pop.unit = cross_lane_unit;
  EXPECT_EQ(text_of(pop), "pop v5, xlu");
}

TEST(Disassembly, NamesBranchTargetsAndStringsOfTheProgram) {
  Program program;
  program.labels = {{"again", 3}, {"s1", 4}};
  program.strings = {"", "start"};
  Bundle bundle;
  place(bundle, instruction_of(Opcode::s_loop, 0, Value::reg(1), Value::of(3)));
  place(bundle, instruction_of(Opcode::mark, 0, Value::of(1), {}));
  EXPECT_EQ(disassemble(bundle, &program), "{ s.loop s1, again ; mark \"start\" }");
  EXPECT_EQ(disassemble(bundle), "{ s.loop s1, 3 ; mark 1 }");
  bundle[Slot::scalar0]->y = Value::of(4);
  EXPECT_EQ(disassemble(bundle, &program), "{ s.loop s1, 4 ; mark \"start\" }") << "a register's name is no label";
}

TEST(Disassembly, ShowsDescriptorsByTheirFields) {
  Program program;
  program.strings = {"", "load a"};
  program.segments.push_back({"main", 0, {Bundle{}}});
  auto words = to_words(DmaDescriptor{DmaRoute::hbm_to_vmem, 3, 4096, 1024, 128, 8, 512, 128, 1});
  program.data.push_back({"a", MemorySpace::smem, 16, {words.begin(), words.end()}});
  EXPECT_EQ(disassemble(program),
            ".string \"load a\"\n"
            "  nop\n"
            "\n.dma a, 16 {\n"
            "  route = hbm_to_vmem ; source = 4096 ; destination = 1024\n"
            "  words = 128 ; rows = 8 ; source_stride = 512 ; destination_stride = 128\n"
            "  flag = 3 ; name = \"load a\"\n"
            "}\n");
}

TEST(Disassembly, MarksSlotsThatStayEmpty) {
  Bundle bundle;
  EXPECT_EQ(disassemble(bundle), "nop");
  bundle[Slot::scalar1] = instruction_of(Opcode::s_mov, 1, {}, Value::of(1));
  bundle[Slot::vector1] = instruction_of(Opcode::v_mov, 1, {}, Value::of(1));
  EXPECT_EQ(disassemble(bundle), "{ s.nop ; s.mov s1, 1 ; v.nop ; v.mov v1, 1 }");
}

}  // namespace
}  // namespace podsim::hw::isa::pasm
