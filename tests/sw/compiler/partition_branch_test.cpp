// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/partition_branch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "base/diagnostic.h"
#include "sw/driver/compile.h"
#include "sw/ir/build/graph_builder.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/hw/test_machine.h"
#include "tests/sw/hlo/graph_of.h"

namespace podsim::sw::compiler {
namespace {

using sw::testing::graph_of;
using Cores = std::vector<std::int32_t>;

const ir::Shape s32_scalar = ir::make_shape(ir::ElementType::s32, {});

/// Returns the constant `number` for any operand.
ir::ComputationId branch_of_number(ir::build::GraphBuilder& b, int number) {
  ir::build::GraphBuilder body(fmt::format("branch{}", number));
  body.parameter(s32_scalar, "x");
  const ir::InstructionId result = body.constant(ir::ElementType::s32, number);
  return b.computation(std::move(body), result);
}

/// `index` computes the conditional's index from the partition as s32; the branches return their numbers.
template <typename Index>
ir::Module numbered_branches(std::int64_t partitions, int branches, const Index& index) {
  ir::build::GraphBuilder b("numbered");
  const ir::InstructionId chosen = index(b, b.convert(b.partition_id(), ir::ElementType::s32));
  std::vector<ir::ComputationId> bodies;
  for (int i = 0; i < branches; ++i) bodies.push_back(branch_of_number(b, i));
  const ir::InstructionId zero = b.constant(ir::ElementType::s32, 0);
  const ir::InstructionId root = b.conditional(chosen, std::vector(std::size_t(branches), zero), bodies);
  ir::Module module = std::move(b).build(root);
  module.partitions = partitions;
  return module;
}

std::optional<std::vector<int>> branches_of(const ir::Module& module) {
  const ir::Computation& entry = module.entry_computation();
  return branch_of_devices(module, {entry}, entry[entry.root]);
}

// The evaluator takes the branches by its own rules and returns their numbers.
RC_GTEST_PROP(PartitionBranch, IsTheBranchThatTheEvaluatorTakes, ()) {
  const std::int64_t partitions = *rc::gen::inRange(2, 17);
  const int branches = *rc::gen::inRange(1, 6);
  const int divisor = *rc::gen::inRange(1, 5), offset = *rc::gen::inRange(-4, 5);
  const ir::Module module =
      numbered_branches(partitions, branches, [&](ir::build::GraphBuilder& b, ir::InstructionId partition) {
        const ir::InstructionId quotient = b.divide(partition, b.constant(ir::ElementType::s32, divisor));
        return b.add(quotient, b.constant(ir::ElementType::s32, offset));
      });
  const auto taken = branches_of(module);
  RC_ASSERT(taken.has_value());
  const auto values =
      ir::eval::evaluate_partitions(module, std::vector<std::vector<ir::Literal>>(std::size_t(partitions)));
  for (std::size_t p = 0; p < values.size(); ++p) RC_ASSERT(int(values[p].values[0]) == (*taken)[p]);
}

TEST(PartitionBranch, FollowsATableOfPartitions) {
  const ir::Module module = numbered_branches(4, 3, [](ir::build::GraphBuilder& b, ir::InstructionId partition) {
    const ir::InstructionId table =
        b.constant(ir::Literal{ir::make_shape(ir::ElementType::s32, {4}), {2, 0, 1, 2}, {}, {}});
    return b.reshape(b.dynamic_slice(table, {partition}, {1}), {});
  });
  EXPECT_EQ(branches_of(module), (std::vector{2, 0, 1, 2}));
}

TEST(PartitionBranch, IsNotKnownWhereItDependsOnAnArgument) {
  const ir::Module module = numbered_branches(4, 2, [](ir::build::GraphBuilder& b, ir::InstructionId partition) {
    return b.add(partition, b.parameter(s32_scalar, "n"));
  });
  EXPECT_EQ(branches_of(module), std::nullopt);
}

TEST(PartitionBranch, OfOneDeviceIsKnownByConstantsAlone) {
  const auto partition = [](ir::build::GraphBuilder&, ir::InstructionId id) { return id; };
  const auto constant = [](ir::build::GraphBuilder& b, ir::InstructionId) {
    return b.constant(ir::ElementType::s32, 1);
  };
  EXPECT_EQ(branches_of(numbered_branches(1, 2, partition)), std::nullopt);
  EXPECT_EQ(branches_of(numbered_branches(1, 2, constant)), std::vector{1});
}

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

TEST(PartitionBranch, FollowsWhatALoopHandsOnUnchanged) {
  const Program program = driver::compile(sw::testing::graph_of(loop_with_branch("%stage")), hw::tpu_v3()).program;
  EXPECT_TRUE(program.warnings.empty());
  ASSERT_EQ(program.core_sets, (std::vector<Cores>{{0, 1}, {2, 3}}));
  std::vector<int> cores;
  for (const ProgramItem& item : program.items) {
    if (item.hlo_name == "a" || item.hlo_name == "b") cores.push_back(item.cores);
  }
  EXPECT_EQ(cores, (std::vector{0, 1}));
}

TEST(PartitionBranch, DoesNotFollowWhatALoopChanges) {
  const Program program = driver::compile(sw::testing::graph_of(loop_with_branch("%later")), hw::tpu_v3()).program;
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

TEST(PartitionBranch, ACollectiveInItJoinsTheCoresThatTakeIt) {
  const std::string groups = "replica_groups={{0,1},{2,3},{4,5},{6,7}}, use_global_device_ids=true, ";
  const Program program = driver::compile(sw::testing::graph_of(all_reduce_in_branch(groups)), hw::tpu_v3()).program;
  ASSERT_EQ(program.items.size(), 2U) << "the comparison and the all-reduce";
  EXPECT_EQ(program.core_sets[std::size_t(program.items[1].cores)], (Cores{0, 1, 2, 3}));
  EXPECT_EQ(program.collectives[0].groups, (std::vector<Cores>{{0, 1}, {2, 3}}));
}

TEST(PartitionBranch, ACollectiveThatWaitsForCoresElsewhereIsAVerdict) {
  for (const std::string groups : {"replica_groups={{0,4},{1,5},{2,6},{3,7}}, use_global_device_ids=true, ", ""}) {
    try {
      driver::compile(sw::testing::graph_of(all_reduce_in_branch(groups)), hw::tpu_v3());
      ADD_FAILURE();
    } catch (const base::SimulationError& error) {
      EXPECT_NE(std::string(error.what()).find("%r"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace podsim::sw::compiler
