// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/core_view.h"

#include <gtest/gtest.h>

#include "hlo/build/graph_builder.h"
#include "sw/compiler/memory_account.h"

namespace podsim::sw::compiler {
namespace {

using hlo::InstructionId;
using hlo::build::GraphBuilder;

constexpr std::int64_t read_bytes = 1 << 20, passed_bytes = 1 << 22;  // bytes; whole tiles

hlo::Shape bytes(std::int64_t size) { return hlo::make_shape(hlo::ElementType::f32, {size / 4096, 1024}); }

/// Partition 0 adds two arrays of `read_bytes` bytes and returns their sum and one of `passed_bytes` bytes; partition 1
/// has buffers for both. Parameter 1 is passed on by both.
hlo::Module two_stages() {
  const hlo::Shape argument = hlo::make_tuple_shape({bytes(read_bytes), bytes(passed_bytes)});
  GraphBuilder makes("makes"), leaves("leaves"), b("two_stages");
  const InstructionId in = makes.parameter(argument, "in");
  const InstructionId x = makes.get_tuple_element(in, 0);
  const InstructionId made =
      makes.tuple({makes.add(x, x), makes.full(bytes(passed_bytes), 1), makes.get_tuple_element(in, 1)});
  const hlo::ComputationId taken = b.computation(std::move(makes), made);

  const InstructionId other = leaves.parameter(argument, "in");
  std::vector<InstructionId> results;
  for (const std::int64_t size : {read_bytes, passed_bytes}) {
    hlo::Instruction buffer;
    buffer.opcode = hlo::Opcode::custom_call;
    buffer.target = "AllocateBuffer";
    buffer.shape = bytes(size);
    results.push_back(leaves.add(std::move(buffer)));
  }
  results.push_back(leaves.get_tuple_element(other, 1));
  const InstructionId left = leaves.tuple(results);
  const hlo::ComputationId not_taken = b.computation(std::move(leaves), left);

  const InstructionId operands = b.tuple({b.parameter(bytes(read_bytes), "x"), b.parameter(bytes(passed_bytes), "y")});
  const InstructionId zero = b.constant(hlo::ElementType::u32, 0);
  const InstructionId is_first = b.compare(b.partition_id(), zero, hlo::ComparisonDirection::eq);
  const InstructionId chosen = b.conditional(is_first, {operands, operands}, {taken, not_taken});
  std::vector<InstructionId> elements;
  for (std::int64_t i = 0; i < 3; ++i) elements.push_back(b.get_tuple_element(chosen, i));
  const InstructionId root = b.tuple(elements);
  hlo::Module module = std::move(b).build(root);
  module.partitions = 2;
  return module;
}

TEST(CoreView, CoresOfDifferentBranchesHaveAViewEach) {
  const std::vector<CoreView> views = core_views(two_stages());
  ASSERT_EQ(views.size(), 2U);
  EXPECT_EQ(views[0].branch_of.begin()->second, 0);
  EXPECT_EQ(views[1].branch_of.begin()->second, 1);
  hlo::Module one = two_stages();
  one.partitions = 1;
  EXPECT_TRUE(core_views(one).empty());
}

TEST(CoreView, ABranchReadsPassesOnMakesOrLeaves) {
  const hlo::Module module = two_stages();
  for (const hlo::Computation& computation : module.computations) {
    const BranchUse use = use_of_branch(computation);
    if (computation.name == "makes") {
      EXPECT_EQ(use.reads, (std::vector<bool>{true, false}));
      EXPECT_EQ(use.results, (std::vector<int>{BranchUse::makes, BranchUse::makes, 1}));
    } else if (computation.name == "leaves") {
      EXPECT_EQ(use.results, (std::vector<int>{BranchUse::leaves, BranchUse::leaves, 1}));
    }
  }
}

// Partition 0 has x and both results; y is passed on and never read. Partition 1 has nothing. The rest are scalars.
TEST(CoreView, TheAccountIsThatOfTheCoreThatNeedsMost) {
  const MemoryAccount account = account_memory(two_stages());
  EXPECT_EQ(account.unread, std::vector<std::int64_t>{1});
  EXPECT_EQ(account.arguments, base::Bytes(read_bytes));
  EXPECT_NEAR(double(account.peak.value()), double(2 * read_bytes + passed_bytes), 64 * 1024);
}

}  // namespace
}  // namespace podsim::sw::compiler
