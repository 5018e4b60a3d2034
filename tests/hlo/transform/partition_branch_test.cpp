// SPDX-License-Identifier: Apache-2.0
#include "hlo/transform/partition_branch.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "hlo/build/graph_builder.h"
#include "hlo/eval/evaluator.h"

namespace podsim::hlo::transform {
namespace {

const Shape s32_scalar = make_shape(ElementType::s32, {});

/// Returns the constant `number` for any operand.
ComputationId branch_of_number(build::GraphBuilder& b, int number) {
  build::GraphBuilder body(fmt::format("branch{}", number));
  body.parameter(s32_scalar, "x");
  const InstructionId result = body.constant(ElementType::s32, number);
  return b.computation(std::move(body), result);
}

/// `index` computes the conditional's index from the partition as s32; the branches return their numbers.
template <typename Index>
Module numbered_branches(std::int64_t partitions, int branches, const Index& index) {
  build::GraphBuilder b("numbered");
  const InstructionId chosen = index(b, b.convert(b.partition_id(), ElementType::s32));
  std::vector<ComputationId> bodies;
  for (int i = 0; i < branches; ++i) bodies.push_back(branch_of_number(b, i));
  const InstructionId zero = b.constant(ElementType::s32, 0);
  const InstructionId root = b.conditional(chosen, std::vector(std::size_t(branches), zero), bodies);
  Module module = std::move(b).build(root);
  module.partitions = partitions;
  return module;
}

std::optional<std::vector<int>> branches_of(const Module& module) {
  const Computation& entry = module.entry_computation();
  return branch_of_devices(module, {entry}, entry[entry.root]);
}

// The evaluator takes the branches by its own rules and returns their numbers.
RC_GTEST_PROP(PartitionBranch, IsTheBranchThatTheEvaluatorTakes, ()) {
  const std::int64_t partitions = *rc::gen::inRange(2, 17);
  const int branches = *rc::gen::inRange(1, 6);
  const int divisor = *rc::gen::inRange(1, 5), offset = *rc::gen::inRange(-4, 5);
  const Module module = numbered_branches(partitions, branches, [&](build::GraphBuilder& b, InstructionId partition) {
    const InstructionId quotient = b.divide(partition, b.constant(ElementType::s32, divisor));
    return b.add(quotient, b.constant(ElementType::s32, offset));
  });
  const auto taken = branches_of(module);
  RC_ASSERT(taken.has_value());
  const auto values = eval::evaluate_partitions(module, std::vector<std::vector<Literal>>(std::size_t(partitions)));
  for (std::size_t p = 0; p < values.size(); ++p) RC_ASSERT(int(values[p].values[0]) == (*taken)[p]);
}

TEST(PartitionBranch, FollowsATableOfPartitions) {
  const Module module = numbered_branches(4, 3, [](build::GraphBuilder& b, InstructionId partition) {
    const InstructionId table = b.constant(Literal{make_shape(ElementType::s32, {4}), {2, 0, 1, 2}, {}, {}});
    return b.reshape(b.dynamic_slice(table, {partition}, {1}), {});
  });
  EXPECT_EQ(branches_of(module), (std::vector{2, 0, 1, 2}));
}

TEST(PartitionBranch, IsNotKnownWhereItDependsOnAnArgument) {
  const Module module = numbered_branches(4, 2, [](build::GraphBuilder& b, InstructionId partition) {
    return b.add(partition, b.parameter(s32_scalar, "n"));
  });
  EXPECT_EQ(branches_of(module), std::nullopt);
}

TEST(PartitionBranch, OfOneDeviceIsKnownByConstantsAlone) {
  const auto partition = [](build::GraphBuilder&, InstructionId id) { return id; };
  const auto constant = [](build::GraphBuilder& b, InstructionId) { return b.constant(ElementType::s32, 1); };
  EXPECT_EQ(branches_of(numbered_branches(1, 2, partition)), std::nullopt);
  EXPECT_EQ(branches_of(numbered_branches(1, 2, constant)), std::vector{1});
}

}  // namespace
}  // namespace podsim::hlo::transform
