// SPDX-License-Identifier: Apache-2.0
#include "sw/runtime/stages.h"

#include <gtest/gtest.h>

namespace podsim::sw::runtime {
namespace {

TEST(Stages, CoresOfTheSameBranchesAreOneStage) {
  compiler::Program program;
  program.core_sets = {{1, 2}, {2, 3, 5}};
  const Stages stages(program, 6);
  // Cores 0 and 4 are in neither set, 1 in the first, 2 in both, 3 and 5 in the second.
  const std::vector<std::size_t> expected{0, 1, 2, 3, 0, 3};
  for (std::int32_t core = 0; core < 6; ++core) EXPECT_EQ(stages.of(core), expected[std::size_t(core)]) << core;
  ASSERT_EQ(stages.all().size(), 4U);
  EXPECT_EQ(stages.all()[0].cores, 2);
  EXPECT_EQ(stages.all()[3].first_core, 3);
  EXPECT_EQ(stages.all()[3].cores, 2);
}

TEST(Stages, WithoutBranchesAllCoresAreOneStage) {
  const compiler::Program program;
  const Stages stages(program, 8);
  ASSERT_EQ(stages.all().size(), 1U);
  EXPECT_EQ(stages.all()[0].cores, 8);
}

}  // namespace
}  // namespace podsim::sw::runtime
