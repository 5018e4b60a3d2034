// SPDX-License-Identifier: Apache-2.0
// Branches by the number of the device, in programs.
#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/driver/compile.h"
#include "tests/hlo/text/graph_of.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::compiler {
namespace {

using Cores = std::vector<std::int32_t>;

/// A loop with state (trip, stage, x), in which cores of stage 0 negate x and others exponentiate it. The loop may
/// increment the stage.
std::string loop_with_branch(const std::string& next_stage) {
  return R"(HloModule m, is_scheduled=true, num_partitions=4
%first (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024] parameter(0)
  ROOT %a = f32[1024,1024] negate(%x)
}
%other (x: f32[1024,1024]) -> f32[1024,1024] {
  %x = f32[1024,1024] parameter(0)
  ROOT %b = f32[1024,1024] exponential(%x)
}
%body (s: (s32[], s32[], f32[1024,1024])) -> (s32[], s32[], f32[1024,1024]) {
  %s = (s32[], s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %stage = s32[] get-tuple-element(%s), index=1
  %x = f32[1024,1024] get-tuple-element(%s), index=2
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %later = s32[] add(%stage, %one)
  %y = f32[1024,1024] conditional(%stage, %x, %x), branch_computations={%first, %other}
  ROOT %t = (s32[], s32[], f32[1024,1024]) tuple(%next, )" +
         next_stage + R"(, %y)
}
%condition (s: (s32[], s32[], f32[1024,1024])) -> pred[] {
  %s = (s32[], s32[], f32[1024,1024]) parameter(0)
  %i = s32[] get-tuple-element(%s), index=0
  %n = s32[] constant(5)
  ROOT %c = pred[] compare(%i, %n), direction=LT
}
ENTRY %e (x: f32[1024,1024]) -> (s32[], s32[], f32[1024,1024]) {
  %x = f32[1024,1024] parameter(0)
  %zero = s32[] constant(0)
  %two = u32[] constant(2)
  %p = u32[] partition-id()
  %q = u32[] divide(%p, %two)
  %stage = s32[] convert(%q)
  %t = (s32[], s32[], f32[1024,1024]) tuple(%zero, %stage, %x)
  ROOT %w = (s32[], s32[], f32[1024,1024]) while(%t), condition=%condition, body=%body, backend_config={"known_trip_count":{"n":"5"}}
}
)";
}

TEST(LoweredBranches, FollowWhatALoopHandsOnUnchanged) {
  const Program program =
      driver::compile(hlo::text::testing::graph_of(loop_with_branch("%stage")), sw::tpu_v3()).program;
  EXPECT_TRUE(program.warnings.empty());
  ASSERT_EQ(program.core_sets, (std::vector<Cores>{{0, 1}, {2, 3}}));
  std::vector<int> cores;
  for (const ProgramItem& item : program.items) {
    if (item.hlo_name == "a" || item.hlo_name == "b") cores.push_back(item.cores);
  }
  EXPECT_EQ(cores, (std::vector{0, 1}));
}

TEST(LoweredBranches, DoNotFollowWhatALoopChanges) {
  const Program program =
      driver::compile(hlo::text::testing::graph_of(loop_with_branch("%later")), sw::tpu_v3()).program;
  EXPECT_TRUE(program.core_sets.empty());
  ASSERT_EQ(program.warnings.size(), 1U);
  EXPECT_NE(program.warnings[0].find("longest"), std::string::npos);
}

std::string all_reduce_in_branch(const std::string& groups) {
  return R"(HloModule m, is_scheduled=true, num_partitions=8
%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}
%reduces (x: f32[1000]) -> f32[1000] {
  %x = f32[1000] parameter(0)
  ROOT %r = f32[1000] all-reduce(%x), channel_id=1, )" +
         groups + R"(to_apply=%add
}
%idles (x: f32[1000]) -> f32[1000] {
  ROOT %x = f32[1000] parameter(0)
}
ENTRY %e (x: f32[1000]) -> f32[1000] {
  %x = f32[1000] parameter(0)
  %p = u32[] partition-id()
  %four = u32[] constant(4)
  %c = pred[] compare(%p, %four), direction=LT
  ROOT %y = f32[1000] conditional(%c, %x, %x), true_computation=%reduces, false_computation=%idles
}
)";
}

TEST(LoweredBranches, ACollectiveInOneJoinsTheCoresThatTakeIt) {
  const std::string groups = "replica_groups={{0,1},{2,3},{4,5},{6,7}}, use_global_device_ids=true, ";
  const Program program =
      driver::compile(hlo::text::testing::graph_of(all_reduce_in_branch(groups)), sw::tpu_v3()).program;
  ASSERT_EQ(program.items.size(), 2U) << "the comparison and the all-reduce";
  EXPECT_EQ(program.core_sets[std::size_t(program.items[1].cores)], (Cores{0, 1, 2, 3}));
  EXPECT_EQ(program.collectives[0].groups, (std::vector<Cores>{{0, 1}, {2, 3}}));
}

TEST(LoweredBranches, ACollectiveThatWaitsForCoresElsewhereIsAVerdict) {
  for (const std::string groups : {"replica_groups={{0,4},{1,5},{2,6},{3,7}}, use_global_device_ids=true, ", ""}) {
    try {
      driver::compile(hlo::text::testing::graph_of(all_reduce_in_branch(groups)), sw::tpu_v3());
      ADD_FAILURE();
    } catch (const base::SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("%r"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
