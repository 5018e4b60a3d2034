// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_space.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::propagate::ClassedProgram;

// One product: classes of 32 (a), 6 (k) and 64 (c), none of them kept.
ClassedProgram product() {
  return hlo::spmd::propagate::classed_program(hlo::text::testing::graph_of(R"(
HloModule m
ENTRY e {
  x = f32[32,6] parameter(0)
  w = f32[6,64] parameter(1)
  ROOT y = f32[32,64] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})"));
}

std::set<ShardingPlan> plans_of(const PlanSpace& space) {
  std::set<ShardingPlan> plans;
  space.each([&](const ShardingPlan& plan) {
    EXPECT_TRUE(space.contains(plan));
    EXPECT_TRUE(plans.insert(plan).second) << to_string(plan);
    return true;
  });
  return plans;
}

// Every two of the three classes are in one array, so that an axis divides one of them: by hand, three plans of one
// axis of 2 and two of one axis of 4, which does not divide 6.
TEST(PlanSpace, AxesDivideClassesThatNoArrayHasTogether) {
  const ClassedProgram program = product();
  EXPECT_EQ(plans_of(PlanSpace(program, 2)).size(), 3U);
  // With 2 x 2 axes, both divide one class each, and not the same: 3 pairs, of which equal axes make no two.
  EXPECT_EQ(plans_of(PlanSpace(program, 4, {4})).size(), 2U);
  EXPECT_EQ(plans_of(PlanSpace(program, 4, {2, 2})).size(), 3U);
  EXPECT_EQ(plans_of(PlanSpace(program, 4)).size(), 5U);
}

// 8 cores as 8, 4 x 2 and 2 x 2 x 2.
TEST(PlanSpace, HasEveryDivisionOfTheCoresOnce) {
  EXPECT_EQ(PlanSpace(product(), 8).meshes(), (std::vector<std::vector<std::int64_t>>{{8}, {4, 2}, {2, 2, 2}}));
  EXPECT_EQ(PlanSpace(product(), 6).meshes(), (std::vector<std::vector<std::int64_t>>{{6}, {3, 2}}));
}

// From any plan, neighbours of neighbours and so on are all plans of its mesh.
TEST(PlanSpace, NeighboursReachAllPlansOfAMesh) {
  const ClassedProgram program = product();
  const PlanSpace space(program, 8, {4, 2});
  const std::set<ShardingPlan> all = plans_of(space);
  std::set<ShardingPlan> reached;
  std::vector<ShardingPlan> open{space.whole({4, 2})};
  while (!open.empty()) {
    const ShardingPlan plan = open.back();
    open.pop_back();
    for (ShardingPlan& next : space.neighbours(plan)) {
      if (reached.insert(next).second) open.push_back(std::move(next));
    }
  }
  for (const ShardingPlan& plan : all) EXPECT_TRUE(reached.contains(plan)) << to_string(plan);
}

}  // namespace
}  // namespace podsim::sw::plans
