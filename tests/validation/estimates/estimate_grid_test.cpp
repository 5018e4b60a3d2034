// SPDX-License-Identifier: Apache-2.0
#include "validation/estimates/estimate_grid.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/sw/target_machines.h"

namespace podsim::validation::estimates {
namespace {

/// A grid of cases whose estimates differ from a simulated second by these shares.
EstimateGrid grid_with(const std::vector<double>& errors) {
  EstimateGrid grid;
  for (const double error : errors) {
    grid.cases.push_back(
        {.slice = "4x4", .groups = "x", .bytes = 1024, .estimate_s = 1 + error, .formula_s = 1, .simulated_s = 1});
  }
  return grid;
}

TEST(EstimateGrid, IsGoodEnoughUpToTwoPercentInTheMedianAndEightInAnyCase) {
  EXPECT_EQ(problem_of(grid_with({0.01, -0.019, 0.079})), "");
  EXPECT_NE(problem_of(grid_with({0.03, -0.03, 0.01})).find("median"), std::string::npos);
  EXPECT_NE(problem_of(grid_with({0.01, -0.09, 0.01})).find("1024 B on 4x4"), std::string::npos);
  EXPECT_EQ(problem_of({}), "");
}

TEST(EstimateGrid, HasALineOfCsvForEachCase) {
  EXPECT_EQ(grid_csv(grid_with({0.5})),
            "kind,algorithm,slice,groups,bytes,estimate_s,formula_s,simulated_s\n"
            "all-reduce,y-then-x,4x4,\"x\",1024,1.5,1,1\n");
}

// A row of two chips has no line of chips apart from all of them, and 4 cores are too few for groups of four: each kind
// has one way to group, but for the permutation, which is shifted by one and by half.
TEST(EstimateGrid, TriesEveryKindOnEverySlice) {
  EstimateGrid grid;
  std::vector<double> shares;
  const GridPlan plan{.slices = {noc::Topology({2, 1}, {false, false})},
                      .sizes = {4096},
                      .spread = false,
                      .progress = [&](double done, const std::string&) { shares.push_back(done); }};
  add_cases(grid, sw::tpu_v3(), plan);
  ASSERT_EQ(shares.size(), sw::collectives::collective_kinds.size());
  EXPECT_EQ(shares.back(), 1);
  for (const sw::collectives::CollectiveKind kind : sw::collectives::collective_kinds) {
    EXPECT_TRUE(std::ranges::any_of(grid.cases, [&](const EstimateCase& one) { return one.kind == kind; }));
  }
  EXPECT_EQ(problem_of(grid), "");
}

}  // namespace
}  // namespace podsim::validation::estimates
