// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/lowering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "sw/compiler/tiles/op_work.h"
#include "sw/driver/compile.h"
#include "tests/hlo/text/graph_of.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

using hlo::text::testing::graph_of;

Program lowered(const std::string& text) {
  return driver::compile(hlo::text::testing::graph_of(text), sw::tpu_v3()).program;
}

/// A loop whose trip count may be in `config`; the condition compares with a parameter.
std::string loop_text(const std::string& config) {
  return R"(HloModule m, is_scheduled=true
%body (s: (s32[], f32[1024,1024])) -> (s32[], f32[1024,1024]) {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %x = f32[1024,1024] get-tuple-element(%s), index=1
  %y = f32[1024,1024] negate(%x)
  ROOT %t = (s32[], f32[1024,1024]) tuple(%i, %y)
}
%condition (s: (s32[], f32[1024,1024])) -> pred[] {
  %s = (s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  ROOT %c = pred[] compare(%i, %i), direction=EQ
}
ENTRY %e (n: s32[], x: f32[1024,1024]) -> (s32[], f32[1024,1024]) {
  %n = s32[] parameter(0)
  %x = f32[1024,1024] parameter(1)
  %t = (s32[], f32[1024,1024]) tuple(%n, %x)
  ROOT %w = (s32[], f32[1024,1024]) while(%t), condition=%condition, body=%body)" +
         config + "\n}\n";
}

TEST(Lowering, ALoopRunsAsOftenAsItSays) {
  const Program program = lowered(loop_text(R"(, backend_config={"known_trip_count":{"n":"7"}})"));
  ASSERT_EQ(program.loops.size(), 1U);
  EXPECT_EQ(program.loops[0].trips, 7);
  EXPECT_TRUE(program.loops[0].trips_known);
  EXPECT_TRUE(program.warnings.empty());
  // A negation of 2^20 elements and a comparison, seven times.
  EXPECT_EQ(program.flops, 7.0 * ((1 << 20) + 1));
}

// 62 loops of two trips around one op run it 2^62 times; as many loops more exceed 64 bits, which hold 2^63 - 1.
TEST(Lowering, LoopsAroundNothingButALoopAreOne) {
  const auto nest = [](int depth) {
    std::string text =
        "HloModule m, is_scheduled=true\nc (p: f32[8]) -> pred[] {\n  p = f32[8] parameter(0)\n"
        "  ROOT t = pred[] constant(true)\n}\n";
    for (int i = 0; i < depth; ++i) {
      const std::string operation = i == 0 ? "negate(p)"
                                           : "while(p), condition=c, body=b" + std::to_string(i - 1) +
                                                 ", backend_config={\"known_trip_count\":{\"n\":\"2\"}}";
      text += "b" + std::to_string(i) + " (p: f32[8]) -> f32[8] {\n  p = f32[8] parameter(0)\n  ROOT r = f32[8] " +
              operation + "\n}\n";
    }
    return lowered(text +
                   "ENTRY e (p: f32[8]) -> f32[8] {\n  p = f32[8] parameter(0)\n  ROOT w = f32[8] while(p), "
                   "condition=c, body=b" +
                   std::to_string(depth - 1) + ", backend_config={\"known_trip_count\":{\"n\":\"2\"}}\n}\n");
  };
  const Program program = nest(62);
  ASSERT_EQ(program.loops.size(), 1U);
  EXPECT_EQ(program.loops[0].trips, std::int64_t{1} << 62);
  EXPECT_EQ(nest(124).loops.at(0).trips, std::numeric_limits<std::int64_t>::max());
}

TEST(Lowering, ArraysWithoutElementsTakeNoTime) {
  const Program program = lowered(
      "ENTRY %e (a: f32[0,4], b: f32[8,4], w: f32[4,16]) -> (f32[0,4], f32[8,4], f32[0,16]) {\n"
      "  %a = f32[0,4] parameter(0)\n  %b = f32[8,4] parameter(1)\n  %w = f32[4,16] parameter(2)\n"
      "  %n = f32[0,4] negate(%a)\n  %d = f32[0,16] dot(%n, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
      "  %c = f32[8,4] concatenate(%a, %b), dimensions={0}\n"
      "  ROOT %t = (f32[0,4], f32[8,4], f32[0,16]) tuple(%n, %c, %d)\n}\n");
  ASSERT_EQ(program.items.size(), 1U);
  EXPECT_EQ(program.items[0].category, "concatenate");
}

TEST(Lowering, ASumOfNothingIsWrittenAllTheSame) {
  const Program program = lowered(
      "ENTRY %e (a: f32[8,0], b: f32[0,16]) -> f32[8,16] {\n  %a = f32[8,0] parameter(0)\n"
      "  %b = f32[0,16] parameter(1)\n"
      "  ROOT %d = f32[8,16] dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n");
  ASSERT_EQ(program.items.size(), 1U);
  EXPECT_EQ(program.flops, 0);
}

TEST(Lowering, WorkThatIsNotModelledIsAWarning) {
  const Program program = lowered(
      "ENTRY %e (a: f32[32,64], b: f32[4,64,8], n: s32[4]) -> f32[32,8] {\n  %a = f32[32,64] parameter(0)\n"
      "  %b = f32[4,64,8] parameter(1)\n  %n = s32[4] parameter(2)\n  ROOT %d = f32[32,8] ragged-dot(%a, %b, %n), "
      "lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}\n}\n");
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_EQ(program.warnings[0], "the work of 'ragged-dot' is not modelled (%d): costed by the bytes it moves");
}

TEST(Lowering, ALoopOfUnknownLengthRunsOnceWithAWarning) {
  const Program program = lowered(loop_text(""));
  ASSERT_EQ(program.loops.size(), 1U);
  EXPECT_EQ(program.loops[0].trips, 1);
  EXPECT_FALSE(program.loops[0].trips_known);
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_NE(program.warnings[0].find("%w"), std::string::npos);
}

TEST(Lowering, OfBranchesTheLongestIsTaken) {
  const Program program = lowered(R"(HloModule m, is_scheduled=true
%short (x: f32[1024]) -> f32[1024] {
  %x = f32[1024] parameter(0)
  ROOT %a = f32[1024] negate(%x)
}
%long (x: f32[4096,4096]) -> f32[1024] {
  %x = f32[4096,4096] parameter(0)
  %b = f32[4096,4096] negate(%x)
  %c = f32[1,1024] slice(%b), slice={[0:1], [0:1024]}
  ROOT %d = f32[1024] bitcast(%c)
}
ENTRY %e (p: pred[], x: f32[1024], y: f32[4096,4096]) -> f32[1024] {
  %p = pred[] parameter(0)
  %x = f32[1024] parameter(1)
  %y = f32[4096,4096] parameter(2)
  ROOT %r = f32[1024] conditional(%p, %x, %y), true_computation=%short, false_computation=%long
}
)");
  ASSERT_EQ(program.items.size(), 2U);
  EXPECT_EQ(program.items[0].hlo_name, "b");
  EXPECT_EQ(program.items[1].hlo_name, "c");
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_NE(program.warnings[0].find("%long"), std::string::npos);
}

TEST(Lowering, AnAsynchronousCollectiveStartsAndEndsWhereItStands) {
  const Program program = lowered(R"(HloModule m, is_scheduled=true, num_partitions=4
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
ENTRY %e (x: f32[1000]) -> (f32[1000], f32[1000]) {
  %x = f32[1000] parameter(0)
  %s = f32[1000] all-reduce-start(%x), channel_id=1, replica_groups={{0,1},{2,3}}, use_global_device_ids=true, to_apply=%add
  %n = f32[1000] negate(%x)
  %d = f32[1000] all-reduce-done(%s)
  ROOT %t = (f32[1000], f32[1000]) tuple(%n, %d)
}
)");
  ASSERT_EQ(program.items.size(), 3U);
  EXPECT_EQ(program.items[0].phase, hlo::AsyncPhase::start);
  EXPECT_EQ(program.items[1].kind, ProgramItem::Kind::op);
  EXPECT_EQ(program.items[2].phase, hlo::AsyncPhase::done);
  EXPECT_EQ(program.items[2].started_by, 0);
  ASSERT_EQ(program.collectives.size(), 1U);
  EXPECT_EQ(program.collectives[0].bytes, base::Bytes(4000));
  EXPECT_EQ(program.collectives[0].groups, (std::vector<std::vector<std::int32_t>>{{0, 1}, {2, 3}}));
}

TEST(Lowering, AnnotationsAreFreeAndUnknownCallsAreCostedWithAWarning) {
  const Program program = lowered(R"(HloModule m, is_scheduled=true
ENTRY %e (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024] parameter(0)
  %s = f32[1024,1024] custom-call(%x), custom_call_target="Sharding"
  ROOT %c = f32[1024,1024] custom-call(%s), custom_call_target="my_kernel"
}
)");
  ASSERT_EQ(program.items.size(), 1U);
  EXPECT_EQ(program.items[0].bytes, base::Bytes(2 * 4 << 20));
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_NE(program.warnings[0].find("my_kernel"), std::string::npos);
}

TEST(Lowering, FusionsWithinFusionsCostWhatTheyCostWrittenOut) {
  const auto work_of = [](const std::string& text) {
    const hlo::Module module = hlo::text::testing::graph_of(text);
    return tiles::op_work(module, module.entry_computation(), module.entry_computation().root, sw::tpu_v3());
  };
  const std::string head = "HloModule m, is_scheduled=true\n";
  const std::string entry = R"(ENTRY %e (x: f32[512,1024], y: f32[512,1024]) -> f32[512,1024] {
  %x = f32[512,1024] parameter(0)
  %y = f32[512,1024] parameter(1)
  ROOT %f = f32[512,1024] fusion(%x, %y), kind=kLoop, calls=%outer
})";
  const std::string nested = R"(%inner (a: f32[512,1024]) -> f32[512,1024] {
  %a = f32[512,1024] parameter(0)
  %t = f32[512,1024] tanh(%a)
  ROOT %n = f32[512,1024] negate(%t)
}
%outer (x: f32[512,1024], y: f32[512,1024]) -> f32[512,1024] {
  %x = f32[512,1024] parameter(0)
  %y = f32[512,1024] parameter(1)
  %i = f32[512,1024] fusion(%x), kind=kLoop, calls=%inner
  ROOT %s = f32[512,1024] add(%i, %y)
}
)";
  const std::string flat = R"(%outer (x: f32[512,1024], y: f32[512,1024]) -> f32[512,1024] {
  %x = f32[512,1024] parameter(0)
  %y = f32[512,1024] parameter(1)
  %t = f32[512,1024] tanh(%x)
  %n = f32[512,1024] negate(%t)
  ROOT %s = f32[512,1024] add(%n, %y)
}
)";
  EXPECT_EQ(work_of(head + nested + entry), work_of(head + flat + entry));
}

}  // namespace
}  // namespace podsim::sw::compiler
