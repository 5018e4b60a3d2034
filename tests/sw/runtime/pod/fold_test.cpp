// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/pod/fold.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sw/collectives/engine/algorithm_choice.h"
#include "tests/sw/runtime/synthetic_program.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::runtime::pod {
namespace {

const noc::Topology torus({4, 4}, {true, true});

Fold fold_of(const compiler::Program& program) {
  const sw::TargetMachine machine = sw::tpu_v3();
  collectives::engine::CollectiveTimes times(machine);
  return fold(program, machine, torus, schedules_of(program, machine, torus, {}, times));
}

/// Adds a permute from every core to its chip's translate by `steps` along the first dimension, each core to its like;
/// of the first chip nothing is sent if `holes`.
compiler::Program with_permute(bool holes, std::int64_t bytes, std::int64_t others) {
  testing::ProgramMaker maker;
  maker.all_reduce(others);
  compiler::Program program = maker.program();
  compiler::CollectiveOp permute{collectives::CollectiveKind::collective_permute, hlo::ElementType::bf16,
                                 base::Bytes(bytes), 1};
  for (noc::NodeId chip = holes ? 1 : 0; chip < torus.nodes(); ++chip) {
    const noc::NodeId next = *torus.neighbour(chip, 0, +1);
    for (int core = 0; core < 2; ++core) {
      permute.groups.push_back({std::int32_t(chip * 2 + core), std::int32_t(next * 2 + core)});
    }
  }
  program.collectives.push_back(permute);
  compiler::ProgramItem item = program.items.front();
  item.index = 1;
  program.items.push_back(item);
  return program;
}

TEST(Fold, CollectivesOfAllCoresFoldBothRings) {
  const Fold fold = fold_of(testing::ProgramMaker().all_reduce(1'000'000).program());
  EXPECT_EQ(fold.topology.representatives().nodes(), 1);
  EXPECT_TRUE(fold.notes.empty());
}

TEST(Fold, PermutesByOneTranslationDoNotPreventIt) {
  const Fold fold = fold_of(with_permute(false, 100'000, 1'000'000));
  EXPECT_EQ(fold.topology.representatives().nodes(), 1);
  EXPECT_TRUE(fold.by_formula.empty());
}

// All chips but one send: no translation maps the permute to itself.
TEST(Fold, OtherPermutesPreventItUnlessTheyAreShort) {
  const Fold prevented = fold_of(with_permute(true, 1'000'000, 1'000'000));
  EXPECT_FALSE(prevented.topology.is_folded());
  EXPECT_TRUE(prevented.by_formula.empty());
  const Fold taken = fold_of(with_permute(true, 1'000, 1'000'000'000));
  EXPECT_EQ(taken.topology.representatives().nodes(), 1);
  ASSERT_TRUE(taken.by_formula.contains(1));
  EXPECT_EQ(taken.by_formula.size(), 1U);
  EXPECT_EQ(taken.notes.size(), 1U);
}

// The cores of the chips in the first row: the second dimension maps them to themselves or to no other row.
TEST(Fold, ABranchOfSomeChipsKeepsThemApartAlongOneDimension) {
  testing::ProgramMaker maker;
  std::vector<std::int32_t> row;
  for (noc::NodeId chip = 0, at = 0; chip < 4; ++chip, at = *torus.neighbour(at, 0, +1)) {
    for (int core = 0; core < 2; ++core) row.push_back(std::int32_t(at * 2 + core));
  }
  std::ranges::sort(row);
  const int op = maker.define(testing::tile_op("op", 1, 1000, 0, 8, 1000));
  const Fold fold = fold_of(maker.op(op).of_cores(row).program());
  EXPECT_TRUE(fold.topology.folded(0));
  EXPECT_FALSE(fold.topology.folded(1));
  EXPECT_EQ(fold.notes.size(), 1U);
}

TEST(Fold, OneChipForAllTakesWhatTheFirstCoreMovesAndWhatACollectiveTakesAlone) {
  const sw::TargetMachine machine = sw::tpu_v3();
  const noc::Topology open({4, 2}, {false, false});
  const compiler::Program program = testing::ProgramMaker().all_reduce(1'000'000).program();
  collectives::engine::CollectiveTimes times(machine);
  const Fold fold = fold_to_one(program, machine, open, schedules_of(program, machine, open, {}, times), times);
  EXPECT_EQ(fold.topology.representatives().nodes(), 1);
  EXPECT_EQ(fold.topology.full().nodes(), 8);
  ASSERT_TRUE(fold.by_formula.contains(0));
  const double alone = collectives::engine::CollectiveTimes(machine)
                           .min_time(open, collectives::CollectiveGroups::all(open, 2),
                                     {collectives::CollectiveKind::all_reduce, hlo::ElementType::bf16, 500'000})
                           .si();
  EXPECT_NEAR(double(fold.by_formula.at(0).cycles.value()), alone * machine.clock.si(), 1);
  EXPECT_GE(fold.by_formula.at(0).read_bytes, base::Bytes(1'000'000));  // its operand, and its result
  EXPECT_GE(fold.by_formula.at(0).written_bytes, base::Bytes(1'000'000));
}

TEST(Fold, OneChipForAllIsRefusedWhereCoresTakeBranches) {
  const sw::TargetMachine machine = sw::tpu_v3();
  testing::ProgramMaker maker;
  const int op = maker.define(testing::tile_op("op", 1, 1000, 0, 8, 1000));
  const compiler::Program program = maker.op(op).of_cores({0, 1}).program();
  collectives::engine::CollectiveTimes times(machine);
  const Fold fold = fold_to_one(program, machine, torus, schedules_of(program, machine, torus, {}, times), times);
  EXPECT_FALSE(fold.topology.is_folded());
  EXPECT_FALSE(fold.notes.empty());
}

}  // namespace
}  // namespace podsim::sw::runtime::pod
