// SPDX-License-Identifier: Apache-2.0
#include "sw/plans/plan_cost.h"

#include <gtest/gtest.h>

#include "sw/compiler/scope_time.h"
#include "sw/driver/compile.h"
#include "sw/plans/plan_bound.h"
#include "sw/plans/plan_file.h"
#include "sw/plans/plan_space.h"
#include "tests/sw/plans/trained_layer.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::plans {
namespace {

using hlo::spmd::propagate::ClassedProgram;

class PlanCostTest : public ::testing::Test {
 protected:
  /// The plan that divides dimension `of_x` of x, and dimension `of_w` of w, along all of four cores; -1: none.
  ShardingPlan plan(int of_x, int of_w) const {
    ShardingPlan made = PlanSpace(program_, 4).whole({4});
    if (of_x >= 0) made.values[std::size_t(program_.inputs[0].classes[std::size_t(of_x)])] = 1;
    if (of_w >= 0) made.kept[std::size_t(program_.kept[0].array.classes[std::size_t(of_w)])] = 1;
    return made;
  }

  hlo::Module module_ = trained_layer(4096);
  ClassedProgram program_ = hlo::spmd::propagate::classed_program(module_);
  noc::Topology slice_{{2, 1}, {false, false}};
  AxisCosts axes_{the_tpu_v3(), slice_};
  PlanCosts costs_{program_, axes_};
};

// By hand: two products of 2 * 4096 * 1024 * 2048 FLOPs, in whole tiles of the matrix units, in 4 parts.
TEST_F(PlanCostTest, DividesProductsAndSumsTheirGradients) {
  const double whole = 2 * 2.0 * 4096 * 1024 * 2048 / the_tpu_v3().peak_flops_per_core();
  const PlanCost batch = costs_.of(plan(0, -1));
  EXPECT_NEAR(batch.products_s, whole / 4, 1e-9);
  const CollectiveLine& sum = axes_.line(collectives::CollectiveKind::all_reduce, {4, 1});
  EXPECT_NEAR(batch.collectives_s, sum.latency_s + 1024 * 2048 * 2 * sum.s_per_byte, 1e-9);
  EXPECT_EQ(batch.kept_bytes, 1024 * 2048 * 4);
}

// A weight that is kept in parts is gathered for the product, and its gradient is scattered: by the closed forms of
// rings, an all-reduce is both, so that no plan saves bytes of it.
TEST_F(PlanCostTest, AWeightInPartsIsKeptInParts) {
  EXPECT_EQ(costs_.of(plan(0, 0)).kept_bytes, 1024 * 2048 * 4 / 4);
  EXPECT_LT(costs_.of(plan(0, 0)).update_s, costs_.of(plan(0, -1)).update_s);
}

// The oracle is the compiled program: with every plan of the space, its ops alone take longer.
TEST_F(PlanCostTest, NoStepIsShorterThanTheBound) {
  const PlanSpace space(program_, 4);
  const PlanFiles files(module_, program_);
  int plans = 0;
  space.each([&](const ShardingPlan& plan) {
    driver::PartitionChoices partition;
    partition.mesh = placement::parse_mesh(hlo::spmd::mesh::to_string(plan.mesh()));
    partition.sharding = files.file(plan);
    driver::Choices choices;
    choices.partition = std::move(partition);
    const driver::Step step = driver::compile({.name = "layer", .module = module_, .network = {}},
                                              {.machine = the_tpu_v3(), .cores = 4}, choices);
    const double ops = base::to_duration(compiler::time_of_ops(step.program, the_tpu_v3())).si();
    EXPECT_LE(least_step_s(plan, program_, the_tpu_v3(), false), ops) << to_string(plan);
    ++plans;
    return true;
  });
  EXPECT_GT(plans, 10);
}

}  // namespace
}  // namespace podsim::sw::plans
