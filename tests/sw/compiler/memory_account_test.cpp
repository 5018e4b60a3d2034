// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/memory_account.h"

#include <gtest/gtest.h>

#include "hlo/build/graph_builder.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler {
namespace {

constexpr std::int64_t kib4 = 8 * 128 * 4;  // f32[8,128]

hlo::Shape tile() { return hlo::make_shape(hlo::ElementType::f32, {8, 128}); }

TEST(MemoryAccount, ABufferLivesFromItsDefinitionToItsLastUse) {
  // x always; a until b; b until c. Three at most: x, a, b.
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId a = g.negate(x);
  const hlo::InstructionId b = g.tanh(a);
  const hlo::InstructionId c = g.exponential(b);
  const MemoryAccount account = account_memory(std::move(g).build(c));
  EXPECT_EQ(account.arguments.value(), kib4);
  EXPECT_EQ(account.peak.value(), 3 * kib4);
  EXPECT_EQ(account.peak_position, b);
  EXPECT_EQ(account.largest_at_peak.size(), 3u);
  EXPECT_EQ(account.largest_at_peak[0].name, "x");
}

TEST(MemoryAccount, TheScheduleSaysWhatIsLiveAtEveryPosition) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId a = g.negate(x);
  const hlo::InstructionId b = g.tanh(a);
  const hlo::InstructionId c = g.exponential(b);
  const MemoryAccount account = account_memory(std::move(g).build(c));
  ASSERT_EQ(account.schedule.size(), 4u);
  // x; x and a; x, a and b; x, b and c.
  EXPECT_EQ(account.schedule[0].live.value(), kib4);
  EXPECT_EQ(account.schedule[1].live.value(), 2 * kib4);
  EXPECT_EQ(account.schedule[2].live.value(), 3 * kib4);
  EXPECT_EQ(account.schedule[3].live.value(), 3 * kib4);
  EXPECT_EQ(account.schedule[0].name, "x");
}

// f32[16,64] takes 128 lanes; f32[3,128] four sublanes. Both copies of the first are live at the peak.
TEST(MemoryAccount, PaddingAtThePeakIsListedByShape) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(hlo::make_shape(hlo::ElementType::f32, {16, 64}), "x");
  const hlo::InstructionId y = g.parameter(hlo::make_shape(hlo::ElementType::f32, {3, 128}), "y");
  const hlo::InstructionId z = g.parameter(tile(), "z");
  const MemoryAccount account = account_memory(std::move(g).build(g.tuple({g.negate(x), y, z})));
  EXPECT_EQ(account.padding_at_peak.value(), 2 * 16 * 64 * 4 + 128 * 4);
  ASSERT_EQ(account.padded_at_peak.size(), 2u) << "f32[8,128] has no padding";
  EXPECT_EQ(account.padded_at_peak[0].shape, "f32[16,64]");
  EXPECT_EQ(account.padded_at_peak[0].arrays, 2);
  EXPECT_EQ(account.padded_at_peak[0].bytes.value(), 2 * 16 * 128 * 4);
  EXPECT_EQ(account.padded_at_peak[0].elements.value(), 2 * 16 * 64 * 4);
  EXPECT_EQ(account.padded_at_peak[1].shape, "f32[3,128]");
}

TEST(MemoryAccount, AValueUsedLateStays) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId a = g.negate(x);
  const hlo::InstructionId b = g.tanh(a);
  const hlo::InstructionId c = g.exponential(b);
  EXPECT_EQ(account_memory(std::move(g).build(g.add(a, c))).peak.value(), 4 * kib4);
}

TEST(MemoryAccount, TuplesTheirElementsAndBitcastReshapesTakeNothing) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId a = g.negate(x);
  const hlo::InstructionId pair = g.tuple({a, x});
  const hlo::InstructionId same = g.reshape(g.get_tuple_element(pair, 0), {1, 8, 128});
  EXPECT_EQ(account_memory(std::move(g).build(same)).peak.value(), 2 * kib4);
}

TEST(MemoryAccount, AReshapeThatChangesThePaddingIsACopy) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId y = g.reshape(x, {16, 64});
  EXPECT_EQ(account_memory(std::move(g).build(y)).peak.value(), 3 * kib4);
}

TEST(MemoryAccount, ADonatedOutputTakesTheParametersMemory) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId y = g.negate(x);
  const hlo::Module module = std::move(g).build(g.tuple({y}));
  EXPECT_EQ(account_memory(module).peak.value(), 2 * kib4);
  EXPECT_EQ(account_memory(module, std::vector<hlo::Donation>{{0, 0}}).peak.value(), kib4);
}

TEST(MemoryAccount, AParameterThatIsReadLaterCannotBeOverwritten) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId x = g.parameter(tile(), "x");
  const hlo::InstructionId y = g.negate(x);
  const hlo::InstructionId z = g.tanh(x);
  const hlo::Module module = std::move(g).build(g.tuple({y, z}));
  EXPECT_EQ(account_memory(module, std::vector<hlo::Donation>{{0, 0}}).peak.value(), 3 * kib4);
}

TEST(MemoryAccount, InfeedElementsLiveOnTheirOwn) {
  hlo::build::GraphBuilder g("test");
  const hlo::InstructionId fed = g.infeed(hlo::make_tuple_shape({tile(), tile()}));
  const hlo::InstructionId a = g.negate(g.get_tuple_element(fed, 0));
  const hlo::InstructionId b = g.tanh(a);
  const hlo::InstructionId c = g.add(b, g.get_tuple_element(fed, 1));
  const MemoryAccount account = account_memory(std::move(g).build(c));
  EXPECT_EQ(account.peak.value(), 3 * kib4);
  EXPECT_EQ(account.largest_at_peak[0].name, "infeed.1{0}{0}");
}

constexpr std::int64_t mib4 = 4 << 20;  // f32[1024,1024]

// x and the state are one buffer each; the body has two more at a time, for any number of trips.
TEST(MemoryAccount, ALoopKeepsItsStateInPlaceAndItsTemporariesWhileItRuns) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule m, is_scheduled=true
%body (s: (s32[], f32[1024,1024])) -> (s32[], f32[1024,1024]) {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %x = f32[1024,1024] get-tuple-element(%s), index=1
  %a = f32[1024,1024] negate(%x)
  %b = f32[1024,1024] tanh(%a)
  %c = f32[1024,1024] add(%a, %b)
  ROOT %t = (s32[], f32[1024,1024]) tuple(%i, %c)
}
%condition (s: (s32[], f32[1024,1024])) -> pred[] {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  ROOT %c = pred[] compare(%i, %i), direction=LT
}
ENTRY %e (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024] parameter(0)
  %i = s32[] constant(0)
  %start = f32[1024,1024] negate(%x)
  %t = (s32[], f32[1024,1024]) tuple(%i, %start)
  %w = (s32[], f32[1024,1024]) while(%t), condition=%condition, body=%body
  ROOT %r = f32[1024,1024] get-tuple-element(%w), index=1
}
)");
  const MemoryAccount account = account_memory(module);
  EXPECT_NEAR(double(account.peak.value()), 4.0 * mib4, 16'384);  // and a few scalars
}

TEST(MemoryAccount, UpdatesInPlaceAndWhatLiesInVmemTakeNothing) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(HloModule m, is_scheduled=true
ENTRY %e (x: f32[1024,1024], u: f32[8,1024], i: s32[]) -> f32[1024,1024] {
  %x = f32[1024,1024]{1,0:T(8,128)} parameter(0)
  %u = f32[8,1024]{1,0:T(8,128)} parameter(1)
  %i = s32[] parameter(2)
  %v = f32[1024,1024]{1,0:T(8,128)S(1)} copy(%x)
  %n = f32[1024,1024]{1,0:T(8,128)} negate(%v)
  ROOT %r = f32[1024,1024]{1,0:T(8,128)} dynamic-update-slice(%n, %u, %i, %i)
}
)");
  EXPECT_NEAR(double(account_memory(module).peak.value()), 2.0 * mib4 + 8 * 1024 * 4, 16'384);
}

TEST(MemoryAccount, ADonatedElementOfATupleIsTakenOver) {
  const std::string text = R"(HloModule m, is_scheduled=trueALIAS
ENTRY %e (p: (f32[1024,1024], f32[1024,1024])) -> (f32[1024,1024]) {
  %p = (f32[1024,1024], f32[1024,1024]) parameter(0)
  %x = f32[1024,1024] get-tuple-element(%p), index=1
  %y = f32[1024,1024] negate(%x)
  ROOT %t = (f32[1024,1024]) tuple(%y)
}
)";
  const auto peak = [&](const std::string& alias) {
    std::string aliased = text;
    aliased.replace(aliased.find("ALIAS"), 5, alias);
    const hlo::Module module = hlo::text::testing::graph_of(aliased);
    return account_memory(module, module.donations).peak.value();
  };
  EXPECT_EQ(peak(""), 3 * mib4);
  EXPECT_EQ(peak(", input_output_alias={ {0}: (0, {1}, may-alias) }"), 2 * mib4);
}

}  // namespace
}  // namespace podsim::sw::compiler
