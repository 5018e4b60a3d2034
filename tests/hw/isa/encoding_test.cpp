// SPDX-License-Identifier: Apache-2.0
#include "hw/isa/encoding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>

#include "tests/hw/isa/random_bundle.h"

namespace podsim::hw::isa {
namespace {

Instruction scalar_op(Opcode opcode, int d, Value x, Value y) {
  Instruction instruction;
  instruction.opcode = opcode;
  instruction.destination = std::uint8_t(d);
  instruction.x = x;
  instruction.y = y;
  return instruction;
}
Instruction add(int d, int x, Value y) { return scalar_op(Opcode::s_add, d, Value::reg(x), y); }
Instruction vector_add(int d, Value y) { return scalar_op(Opcode::v_add_s32, d, Value::reg(1), y); }
Instruction loop(int x, int target) { return scalar_op(Opcode::s_loop, 0, Value::reg(x), Value::of(target)); }

Bundle bundle_of(std::initializer_list<std::pair<Slot, Instruction>> instructions) {
  Bundle bundle;
  for (const auto& [slot, instruction] : instructions) bundle[slot] = instruction;
  return bundle;
}

/// The layout again, as absolute positions computed from the widths in docs/isa.md.
constexpr std::size_t first_bit[] = {96, 122, 148, 177, 206, 237, 268, 290, 302};

struct Field {
  std::size_t position;
  int width;
  std::uint32_t value;
};
/// Bits with these fields; all others are 0, except the predicates of the slots that are not in `used`.
BundleBits bits_with(std::initializer_list<Slot> used, std::initializer_list<Field> fields) {
  BundleBits bits;
  for (int s = 0; s < slots; ++s) {
    if (std::find(used.begin(), used.end(), Slot(s)) == used.end()) bits.set(first_bit[s] + 3);
  }
  for (const Field& field : fields) {
    for (int i = 0; i < field.width; ++i) bits[field.position + std::size_t(i)] = field.value >> i & 1;
  }
  return bits;
}

RC_GTEST_PROP(Encoding, OfEveryLegalBundleDecodesToIt, ()) {
  Bundle bundle = random_bundle();
  RC_ASSERT(!problem(bundle));
  auto decoded = decode(encode(bundle));
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == bundle);
  RC_ASSERT(decode(to_words(encode(bundle))) == bundle);
}

RC_GTEST_PROP(Encoding, OfEveryOpcodeDecodesToIt, ()) {
  for (const OpcodeInfo& row : opcode_table()) {
    Instruction instruction = random_instruction(row.opcode);
    Bundle bundle;
    RC_ASSERT(place(bundle, instruction));
    if (problem(bundle)) continue;  // !p0, or s0, p0, vm0 written
    auto decoded = decode(encode(bundle));
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(*decoded == bundle);
  }
}

RC_GTEST_PROP(Encoding, IsTheOnlyOneOfItsBundle, ()) {
  BundleBits bits = encode(random_bundle());
  bits.flip(*rc::gen::inRange<std::size_t>(0, bundle_bits));
  if (auto decoded = decode(bits)) {
    RC_ASSERT(!problem(*decoded));
    RC_ASSERT(encode(*decoded) == bits);
  }
}

TEST(Encoding, OfAnEmptyBundleIsNineTimesNotP0) { EXPECT_EQ(encode(Bundle{}), bits_with({}, {})); }

TEST(Encoding, PutsAScalarOperationWhereTheReferenceSays) {
  // @!p3 s.sub s7, s9, 1000: opcode 1, 1000 in immediate 5
  Instruction sub = scalar_op(Opcode::s_sub, 7, Value::reg(9), Value::of(1000));
  sub.predicate = {3, true};
  EXPECT_EQ(encode(bundle_of({{Slot::scalar0, sub}})),
            bits_with({Slot::scalar0},
                      {{96, 4, 0b1011}, {100, 6, 1}, {106, 5, 7}, {111, 5, 9}, {116, 6, 32 + 5}, {80, 16, 1000}}));
  EXPECT_EQ(encode(bundle_of({{Slot::scalar1, sub}})),
            bits_with({Slot::scalar1},
                      {{122, 4, 0b1011}, {126, 6, 1}, {132, 5, 7}, {137, 5, 9}, {142, 6, 32 + 5}, {80, 16, 1000}}));
}

TEST(Encoding, PutsAVectorOperationWhereTheReferenceSays) {
  // v.mul.f32 v31, v2, 1.5, vm6: the third vector opcode; 1.5 is 0x3fc00000, an upper half
  Instruction mul = scalar_op(Opcode::v_mul_f32, 31, Value::reg(2), Value::of(std::bit_cast<std::int32_t>(1.5F)));
  mul.mask = 6;
  EXPECT_EQ(
      encode(bundle_of({{Slot::vector1, mul}})),
      bits_with(
          {Slot::vector1},
          {{177, 4, 0}, {181, 6, 2}, {187, 5, 31}, {192, 5, 2}, {197, 6, 41 + 5}, {203, 3, 6}, {80, 16, 0x3fc0}}));
}

TEST(Encoding, PutsLoadsAndStoresWhereTheReferenceSays) {
  // vld v4, [s3 + 0x12345 : 2]: the offset needs the pair of immediates 0 and 1, the stride is the third listed literal
  Instruction load = scalar_op(Opcode::v_load, 4, Value::reg(3), Value::of(0x12345));
  load.z = Value::of(2);
  // vst.shuffle [s5 + s6 : 0x76543210], v8, vm1
  Instruction store = scalar_op(Opcode::v_store_shuffle, 8, Value::reg(5), Value::reg(6));
  store.z = Value::of(0x76543210);
  store.mask = 1;
  EXPECT_EQ(encode(bundle_of({{Slot::load, load}, {Slot::store, store}})),
            bits_with({Slot::load, Slot::store}, {{0, 16, 0x2345},
                                                  {16, 16, 1},
                                                  {32, 16, 0x3210},
                                                  {48, 16, 0x7654},
                                                  {206, 4, 0},
                                                  {210, 2, 0},
                                                  {212, 5, 4},
                                                  {217, 5, 3},
                                                  {222, 6, 38},
                                                  {228, 6, 47 + 2},
                                                  {234, 3, 0},
                                                  {237, 4, 0},
                                                  {241, 2, 1},
                                                  {243, 5, 8},
                                                  {248, 5, 5},
                                                  {253, 6, 6},
                                                  {259, 6, 39},
                                                  {265, 3, 1}}));
}

TEST(Encoding, PutsPushPopAndMiscWhereTheReferenceSays) {
  // mxu.weights mxu1, v9 ; pop v17, eup ; sync.wait s30, -1
  Instruction weights;
  weights.opcode = Opcode::mxu_weights;
  weights.unit = 1;
  weights.x = Value::reg(9);
  Instruction pop;
  pop.opcode = Opcode::pop;
  pop.unit = transcendental_unit;
  pop.destination = 17;
  Instruction wait = scalar_op(Opcode::sync_wait, 0, Value::reg(30), Value::of(-1));
  EXPECT_EQ(encode(bundle_of({{Slot::push, weights}, {Slot::pop, pop}, {Slot::misc, wait}})),
            bits_with({Slot::push, Slot::pop, Slot::misc}, {{268, 4, 0},
                                                            {272, 5, 1},
                                                            {277, 2, 1},
                                                            {279, 5, 9},
                                                            {284, 6, 0},
                                                            {290, 4, 0},
                                                            {294, 3, 5},
                                                            {297, 5, 17},
                                                            {302, 4, 0},
                                                            {306, 4, 3},
                                                            {310, 6, 30},
                                                            {316, 6, 63}}));
}

/// The last rows of the tables of their slots: opcode 25 of the scalar slots, 16 of the push slot.
TEST(Encoding, HasWordsForTheScalarUnitBehindTheOtherOperations) {
  Instruction push;
  push.opcode = Opcode::push_scalar;
  push.x = Value::reg(9);
  const Instruction pop = scalar_op(Opcode::s_pop, 5, {}, {});
  EXPECT_EQ(encode(bundle_of({{Slot::scalar0, pop}, {Slot::push, push}})),
            bits_with({Slot::scalar0, Slot::push}, {{96, 4, 0},
                                                    {100, 6, 25},
                                                    {106, 5, 5},
                                                    {111, 5, 0},
                                                    {116, 6, 0},
                                                    {268, 4, 0},
                                                    {272, 5, 16},
                                                    {277, 2, 0},
                                                    {279, 5, 9},
                                                    {284, 6, 0}}));
}

TEST(Encoding, SpreadsTheBitsOverTwelveWords) {
  BundleBits bits;
  bits.set(0);
  bits.set(33);
  bits.set(321);
  BundleWords words{};
  words[0] = 1;
  words[1] = 2;
  words[10] = 2;
  EXPECT_EQ(to_words(bits), words);
}

TEST(Decoding, RefusesBitsThatNoBundleHas) {
  EXPECT_FALSE(decode(BundleBits{})) << "s.add to s0 in both scalar slots";
  EXPECT_FALSE(decode(BundleBits{}.set()));
  EXPECT_FALSE(decode(bits_with({}, {{0, 16, 7}}))) << "an immediate that nothing names";
  EXPECT_FALSE(decode(bits_with({}, {{300, 1, 1}}))) << "an empty slot that is not zero";
  EXPECT_FALSE(decode(bits_with({Slot::scalar0}, {{100, 6, 26}, {106, 5, 1}}))) << "scalar opcode 26";
  EXPECT_FALSE(decode(bits_with({Slot::vector0}, {{152, 6, 47}, {158, 5, 1}}))) << "vector opcode 47";
  EXPECT_FALSE(decode(bits_with({Slot::pop}, {{294, 3, 6}}))) << "unit 6";
  EXPECT_FALSE(decode(bits_with({Slot::scalar1}, {{126, 6, 23}, {142, 6, 47}}))) << "a branch in scalar slot 1";
  EXPECT_FALSE(decode(bits_with({Slot::scalar0}, {{106, 5, 1}, {116, 6, 37}, {80, 16, 5}}))) << "5 is a listed literal";
  EXPECT_FALSE(decode(bits_with({Slot::scalar0}, {{106, 5, 1}, {116, 6, 36}, {64, 16, 500}})))
      << "immediate 5 comes first";
  EXPECT_TRUE(decode(bits_with({Slot::scalar0}, {{106, 5, 1}, {116, 6, 37}, {80, 16, 500}})));
}

TEST(Decoding, RefusesWordsWithBitsBeyondTheBundle) {
  BundleWords words = to_words(encode(Bundle{}));
  ASSERT_TRUE(decode(words));
  words[10] |= 4;
  EXPECT_FALSE(decode(words));
  words = to_words(encode(Bundle{}));
  words[11] = 1;
  EXPECT_FALSE(decode(words));
}

// Literals.

/// As many scalar and vector additions and a load as there are literals.
Bundle with_literals(std::initializer_list<std::int32_t> literals) {
  std::vector<Value> values;
  for (std::int32_t literal : literals) values.push_back(Value::of(literal));
  values.resize(6, Value::reg(0));
  Instruction load = scalar_op(Opcode::v_load, 5, Value::reg(0), values[4]);
  load.z = values[5];
  return bundle_of({{Slot::scalar0, add(1, 0, values[0])},
                    {Slot::scalar1, add(2, 0, values[1])},
                    {Slot::vector0, vector_add(3, values[2])},
                    {Slot::vector1, vector_add(4, values[3])},
                    {Slot::load, load}});
}

TEST(Literals, SixHalvesOrThreeWholesFit) {
  EXPECT_TRUE(literals_fit(with_literals({100, 200, 300, 400, 500, 600})));
  EXPECT_TRUE(literals_fit(with_literals({0x10001, 0x10002, 0x10003})));
  EXPECT_FALSE(literals_fit(with_literals({0x10001, 0x10002, 0x10003, 100})));
  EXPECT_FALSE(literals_fit(with_literals({0x10001, 0x10002, 100, 200, 300})));
  EXPECT_TRUE(literals_fit(with_literals({100, 0x10001, 200, 0x10002}))) << "whatever their order";
}

TEST(Literals, OfTheListTakeNoImmediate) {
  EXPECT_TRUE(literals_fit(with_literals({0x10001, 0x10002, 0x10003, -1, 1024, 8})));
  EXPECT_FALSE(literals_fit(with_literals({0x10001, 0x10002, 0x10003, -1, 1024, 9})));
}

TEST(Literals, ThatAreEqualShareImmediates) {
  EXPECT_TRUE(literals_fit(with_literals({0x10001, 0x10002, 0x10003, 0x10002, 0x10001, 0x10003})));
  EXPECT_TRUE(literals_fit(with_literals({0x11111, 0x22222, 0x3333, 0x33330000, 0x3333, 0x4444})))
      << "a low and an upper half of the same 16 bits";
  EXPECT_TRUE(literals_fit(with_literals({0x56781234, 0x1234, 0x56780000, 0x10001, 0x10002})))
      << "halves of a pair that came before";
}

TEST(Literals, AreSignExtendedOrUpperHalvesWherePossible) {
  EXPECT_TRUE(literals_fit(with_literals({-32768, 32767, -2, 0x40490000, 0x7f800000, -0x7fff0000})));
  EXPECT_FALSE(literals_fit(with_literals({32768, -32769, 0x40490001, 100}))) << "three of them need pairs";
}

// place().

TEST(Place, FillsTheFirstFreeSlotOfTheKind) {
  Bundle bundle;
  EXPECT_TRUE(place(bundle, add(1, 0, Value::of(1))));
  EXPECT_TRUE(place(bundle, add(2, 0, Value::of(2))));
  EXPECT_EQ(bundle, bundle_of({{Slot::scalar0, add(1, 0, Value::of(1))}, {Slot::scalar1, add(2, 0, Value::of(2))}}));
  Bundle full = bundle;
  EXPECT_FALSE(place(bundle, add(3, 0, Value::of(3))));
  EXPECT_EQ(bundle, full);
}

TEST(Place, MovesAnOperationOutOfTheWayOfABranch) {
  Bundle bundle = bundle_of({{Slot::scalar0, add(1, 0, Value::of(1))}});
  EXPECT_TRUE(place(bundle, loop(2, 100)));
  EXPECT_EQ(bundle, bundle_of({{Slot::scalar0, loop(2, 100)}, {Slot::scalar1, add(1, 0, Value::of(1))}}));
  Bundle before = bundle_of({{Slot::scalar0, loop(2, 100)}});
  bundle = before;
  EXPECT_FALSE(place(bundle, loop(3, 100))) << "one branch a bundle";
  EXPECT_EQ(bundle, before);
}

TEST(Place, LeavesTheBundleAloneWhenLiteralsDoNotFit) {
  Bundle before = with_literals({0x10001, 0x10002, 0x10003});
  Bundle bundle = before;
  Instruction wait = scalar_op(Opcode::sync_wait, 0, Value::of(9), Value::of(1));
  EXPECT_FALSE(place(bundle, wait));
  EXPECT_EQ(bundle, before);
  wait.x = Value::of(8);
  EXPECT_TRUE(place(bundle, wait));

  Bundle taken = bundle_of({{Slot::scalar0, add(1, 0, Value::of(0x10001))},
                            {Slot::vector0, vector_add(2, Value::of(0x10002))},
                            {Slot::vector1, vector_add(3, Value::of(0x10003))}});
  bundle = taken;
  EXPECT_FALSE(place(bundle, loop(2, 100)));
  EXPECT_EQ(bundle, taken) << "what stood in scalar slot 0 is back";
}

RC_GTEST_PROP(Place, AgreesWithTheRulesOfLegality, ()) {
  Bundle bundle = random_bundle();
  Instruction instruction = random_instruction(random_opcode(SlotKind(*rc::gen::inRange(0, 7))));
  Bundle placed = bundle;
  bool done = place(placed, instruction);
  RC_ASSERT(done || placed == bundle);
  RC_ASSERT(literals_fit(placed));
}

// problem().

void expect_problem(const Bundle& bundle, const std::string& expected) {
  auto found = problem(bundle);
  ASSERT_TRUE(found) << "expected: " << expected;
  EXPECT_EQ(*found, expected);
}

TEST(Problem, NamesWhatStandsInTheWrongSlot) {
  expect_problem(bundle_of({{Slot::vector0, add(1, 0, Value::of(1))}}),
                 "s.add in slot vector0 stands in a slot of another kind");
  expect_problem(bundle_of({{Slot::scalar1, loop(1, 0)}}),
                 "s.loop in slot scalar1 branches, which only scalar slot 0 does");
}

TEST(Problem, NamesRegistersThatThereAreNot) {
  expect_problem(bundle_of({{Slot::scalar0, add(32, 0, Value::of(1))}}),
                 "s.add in slot scalar0 has no scalar register there");
  expect_problem(bundle_of({{Slot::scalar0, add(1, -1, Value::of(1))}}),
                 "s.add in slot scalar0 has no scalar register there");
  expect_problem(bundle_of({{Slot::scalar0, add(1, 0, Value::reg(32))}}),
                 "s.add in slot scalar0 has no scalar register or literal there");
  expect_problem(bundle_of({{Slot::vector0, vector_add(1, Value::reg(40))}}),
                 "v.add.s32 in slot vector0 has no vector register or literal there");
  expect_problem(bundle_of({{Slot::vector0, scalar_op(Opcode::v_add_s32, 1, Value::of(1), Value::reg(1))}}),
                 "v.add.s32 in slot vector0 has no vector register there");
  expect_problem(bundle_of({{Slot::vector0, scalar_op(Opcode::m_and, 1, Value::reg(8), Value::reg(1))}}),
                 "m.and in slot vector0 has no vector mask there");
  expect_problem(bundle_of({{Slot::scalar0, scalar_op(Opcode::p_and, 1, Value::reg(1), Value::of(1))}}),
                 "p.and in slot scalar0 has no predicate there");
  Instruction under = add(1, 0, Value::of(1));
  under.predicate.reg = 8;
  expect_problem(bundle_of({{Slot::scalar0, under}}),
                 "s.add in slot scalar0 stands under a predicate that there is not");
  Instruction masked = vector_add(1, Value::of(1));
  masked.mask = 8;
  expect_problem(bundle_of({{Slot::vector0, masked}}), "v.add.s32 in slot vector0 has a vector mask that there is not");
}

TEST(Problem, NamesUnitsThatThereAreNot) {
  Instruction latch;
  latch.opcode = Opcode::mxu_latch;
  latch.unit = 4;
  expect_problem(bundle_of({{Slot::push, latch}}), "mxu.latch in slot push names a unit that there is not");
  Instruction pop;
  pop.opcode = Opcode::pop;
  pop.unit = 6;
  expect_problem(bundle_of({{Slot::pop, pop}}), "pop in slot pop names a unit that there is not");
}

TEST(Problem, NamesFieldsThatTheOpcodeDoesNotUse) {
  Instruction halt;
  halt.opcode = Opcode::halt;
  EXPECT_FALSE(problem(bundle_of({{Slot::misc, halt}})));
  Instruction extra = halt;
  extra.x = Value::reg(1);
  expect_problem(bundle_of({{Slot::misc, extra}}), "halt in slot misc sets an operand that it does not have");
  extra = halt;
  extra.z = Value::of(0);
  expect_problem(bundle_of({{Slot::misc, extra}}), "halt in slot misc sets an operand that it does not have");
  extra = halt;
  extra.destination = 1;
  expect_problem(bundle_of({{Slot::misc, extra}}), "halt in slot misc sets an operand that it does not have");
  extra = halt;
  extra.mask = 1;
  expect_problem(bundle_of({{Slot::misc, extra}}), "halt in slot misc has a vector mask and takes none");
  extra = halt;
  extra.unit = 1;
  expect_problem(bundle_of({{Slot::misc, extra}}), "halt in slot misc names a unit and takes none");
}

TEST(Problem, NamesRegistersThatCannotBeWritten) {
  expect_problem(bundle_of({{Slot::scalar0, add(0, 0, Value::of(1))}}),
                 "s.add in slot scalar0 writes s0, which always reads as zero");
  expect_problem(bundle_of({{Slot::scalar0, scalar_op(Opcode::s_eq, 0, Value::reg(1), Value::of(1))}}),
                 "s.eq in slot scalar0 writes p0, which is always true");
  expect_problem(bundle_of({{Slot::vector0, scalar_op(Opcode::v_eq_s32, 0, Value::reg(1), Value::of(1))}}),
                 "v.eq.s32 in slot vector0 writes vm0, which is always all true");
  expect_problem(bundle_of({{Slot::scalar0, loop(0, 1)}}),
                 "s.loop in slot scalar0 counts down s0, which always reads as zero");
  EXPECT_FALSE(problem(bundle_of({{Slot::scalar0, scalar_op(Opcode::s_store, 0, Value::reg(1), Value::of(1))}})))
      << "stores only read s0";
  EXPECT_FALSE(problem(bundle_of({{Slot::vector0, vector_add(0, Value::of(1))}}))) << "v0 is like the others";
}

TEST(Problem, NamesOperationsThatAreNeverPerformed) {
  Instruction never = add(1, 0, Value::of(1));
  never.predicate = {0, true};
  expect_problem(bundle_of({{Slot::scalar0, never}}), "s.add in slot scalar0 stands under !p0 and is never performed");
}

TEST(Problem, NamesTargetsAndStringsThatAreNone) {
  expect_problem(bundle_of({{Slot::scalar0, loop(1, -1)}}), "s.loop in slot scalar0 has no bundle address there");
  expect_problem(bundle_of({{Slot::scalar0, scalar_op(Opcode::s_branch, 0, {}, Value::reg(1))}}),
                 "s.branch in slot scalar0 has no bundle address there");
  Instruction mark;
  mark.opcode = Opcode::mark;
  mark.x = Value::reg(1);
  expect_problem(bundle_of({{Slot::misc, mark}}), "mark in slot misc has no string there");
}

TEST(Problem, NamesRegistersThatTwoSlotsWrite) {
  Instruction first = add(1, 0, Value::of(1)), second = add(1, 0, Value::of(2));
  expect_problem(bundle_of({{Slot::scalar0, first}, {Slot::scalar1, second}}),
                 "s.add in slot scalar1 writes s1, as s.add of this bundle does");
  first.predicate = {2, false};
  expect_problem(bundle_of({{Slot::scalar0, first}, {Slot::scalar1, second}}),
                 "s.add in slot scalar1 writes s1, as s.add of this bundle does");
  second.predicate = {2, true};
  EXPECT_FALSE(problem(bundle_of({{Slot::scalar0, first}, {Slot::scalar1, second}})))
      << "predicates exclude each other";
  second.predicate = {3, true};
  EXPECT_TRUE(problem(bundle_of({{Slot::scalar0, first}, {Slot::scalar1, second}})));
  expect_problem(bundle_of({{Slot::scalar0, loop(1, 9)}, {Slot::scalar1, add(1, 0, Value::of(2))}}),
                 "s.add in slot scalar1 writes s1, as s.loop of this bundle does");
  Instruction pop;
  pop.opcode = Opcode::pop;
  pop.destination = 3;
  expect_problem(bundle_of({{Slot::vector1, vector_add(3, Value::of(2))}, {Slot::pop, pop}}),
                 "pop in slot pop writes v3, as v.add.s32 of this bundle does");
  EXPECT_FALSE(problem(bundle_of({{Slot::scalar0, add(3, 0, Value::of(2))}, {Slot::pop, pop}}))) << "s3 is not v3";
}

TEST(Problem, NamesTheLiteralThatDoesNotFit) {
  expect_problem(with_literals({0x10001, 0x10002, 0x10003, 100}),
                 "v.add.s32 in slot vector1 has a literal for which the bundle's six immediates have no room left");
}

TEST(Problem, NamesWhatIsNoOperation) {
  expect_problem(bundle_of({{Slot::misc, scalar_op(Opcode(opcodes), 0, {}, {})}}),
                 "opcode in slot misc is no operation");
}

}  // namespace
}  // namespace podsim::hw::isa
