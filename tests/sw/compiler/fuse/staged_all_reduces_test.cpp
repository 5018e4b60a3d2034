// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/fuse/staged_all_reduces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "sw/compiler/fuse/collective_combiner.h"
#include "tests/hlo/text/graph_of.h"

namespace podsim::sw::compiler::fuse {
namespace {

constexpr int devices = 8;

/// A sum of `small` elements over `whole` groups next to one of `large` elements over `parts`, on eight partitions.
hlo::Module two_sums(int small, const std::string& whole, int large, const std::string& parts) {
  const std::string s = "s32[" + std::to_string(small) + "]", l = "s32[" + std::to_string(large) + "]";
  return hlo::text::testing::graph_of(
      "HloModule sums, num_partitions=8\n"
      "add { a = s32[] parameter(0)\n b = s32[] parameter(1)\n ROOT c = s32[] add(a, b) }\n"
      "ENTRY e { x = " +
      s + " parameter(0)\n y = " + l +
      " parameter(1)\n"
      " small = " +
      s + " all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups=" + whole +
      ", to_apply=add\n large = " + l + " all-reduce(y), channel_id=2, use_global_device_ids=true, replica_groups=" +
      parts + ", to_apply=add\n ROOT t = (" + s + ", " + l + ") tuple(small, large) }\n");
}

/// Different numbers in every partition, whose sums over any of them differ.
std::vector<std::vector<hlo::Literal>> different_arguments(const hlo::Module& module) {
  std::vector<std::vector<hlo::Literal>> arguments(devices);
  for (int device = 0; device < devices; ++device) {
    for (const hlo::InstructionId id : module.entry_computation().parameters) {
      hlo::Literal literal{module.entry_computation()[id].shape, {}, {}};
      literal.values.assign(std::size_t(literal.shape.element_count()), double(1 << device));
      arguments[std::size_t(device)].push_back(std::move(literal));
    }
  }
  return arguments;
}

void expect_same_sums(const hlo::Module& before, const hlo::Module& after) {
  EXPECT_NO_THROW(hlo::build::verify(after));
  const auto arguments = different_arguments(before);
  const auto expected = hlo::eval::evaluate_partitions(before, arguments),
             actual = hlo::eval::evaluate_partitions(after, arguments);
  for (int device = 0; device < devices; ++device) {
    for (std::size_t i = 0; i < expected[device].elements.size(); ++i) {
      EXPECT_EQ(actual[device].elements[i].values, expected[device].elements[i].values);
    }
  }
}

std::int64_t sums_in(const hlo::Module& module) {
  return std::ranges::count(module.entry_computation().instructions, hlo::Opcode::all_reduce,
                            &hlo::Instruction::opcode);
}

// The sum over all becomes one across pairs of groups and one within groups, which joins the large one.
TEST(StagedAllReduces, ASumOverAllJoinsTheSumsWithinGroups) {
  for (const char* parts : {"{{0,1,2,3},{4,5,6,7}}", "{{0,2,4,6},{1,3,5,7}}", "{{0,4},{1,5},{2,6},{3,7}}"}) {
    const hlo::Module module = two_sums(4, "{{0,1,2,3,4,5,6,7}}", 64, parts);
    const hlo::Module staged = stage_all_reduces(module);
    expect_same_sums(module, staged);
    EXPECT_EQ(sums_in(staged), 3) << parts;
    const hlo::Module combined = combine_collectives(staged, base::Bytes(1 << 20));
    expect_same_sums(module, combined);
    EXPECT_EQ(sums_in(combined), 2) << parts;
  }
}

TEST(StagedAllReduces, GroupsThatAreUnionsOfGroupsAreStaged) {
  const hlo::Module module = two_sums(4, "{{0,1,2,3},{4,5,6,7}}", 64, "{{0,2},{1,3},{4,6},{5,7}}");
  const hlo::Module staged = stage_all_reduces(module);
  expect_same_sums(module, staged);
  EXPECT_EQ(sums_in(staged), 3);
}

// Sums over four devices are staged through those over two first; those over all join what they were before.
TEST(StagedAllReduces, SumsOfGroupsInGroupsInGroupsStayTheSame) {
  const hlo::Module module = hlo::text::testing::graph_of(R"(
HloModule sums, num_partitions=8
add { a = s32[] parameter(0)
 b = s32[] parameter(1)
 ROOT c = s32[] add(a, b) }
ENTRY e { x = s32[16] parameter(0)
 y = s32[64] parameter(1)
 z = s32[4] parameter(2)
 fours = s32[16] all-reduce(x), channel_id=1, use_global_device_ids=true, replica_groups={{0,1,2,3},{4,5,6,7}}, to_apply=add
 twos = s32[64] all-reduce(y), channel_id=2, use_global_device_ids=true, replica_groups={{0,1},{2,3},{4,5},{6,7}}, to_apply=add
 all = s32[4] all-reduce(z), channel_id=3, use_global_device_ids=true, replica_groups={{0,1,2,3,4,5,6,7}}, to_apply=add
 ROOT t = (s32[16], s32[64], s32[4]) tuple(fours, twos, all) })");
  expect_same_sums(module, stage_all_reduces(module));
}

TEST(StagedAllReduces, OthersStayAsTheyAre) {
  // Too many bytes; groups that lie across each other; the same groups.
  for (const hlo::Module& module : {two_sums(65, "{{0,1,2,3,4,5,6,7}}", 64, "{{0,1,2,3},{4,5,6,7}}"),
                                    two_sums(4, "{{0,1,2,3},{4,5,6,7}}", 64, "{{0,4},{1,5},{2,6},{3,7}}"),
                                    two_sums(4, "{{0,1,2,3},{4,5,6,7}}", 64, "{{0,1,2,3},{4,5,6,7}}")}) {
    EXPECT_EQ(sums_in(stage_all_reduces(module)), 2);
  }
}

}  // namespace
}  // namespace podsim::sw::compiler::fuse
