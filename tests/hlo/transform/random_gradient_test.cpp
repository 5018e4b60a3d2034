// SPDX-License-Identifier: Apache-2.0
// Gradients of random programs of the partitioner's tests, compared with central differences.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/hlo/spmd/random_program.h"
#include "tests/hlo/transform/checked_program.h"

namespace podsim::hlo::transform {
namespace {

using spmd::testing::ProgramStep;

std::vector<ProgramStep> random_steps(std::mt19937& random) {
  std::vector<ProgramStep> steps(2 + random() % 9);
  for (ProgramStep& step : steps) {
    step.kind = std::uint8_t(random() % spmd::testing::op_kinds);
    step.a = std::uint8_t(random() % 256);
    step.b = std::uint8_t(random() % 256);
    step.detail = std::uint32_t(random());
  }
  return steps;
}

// At random arguments hardly any program has a corner.
TEST(RandomGradient, OfTwoThousandProgramsAgreesWithDifferences) {
  std::mt19937 random(20261128);
  int checked = 0, corners = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<ProgramStep> steps = random_steps(random);
    const Module module = spmd::testing::random_program(spmd::mesh::Mesh(), steps).module;
    for (const DirectionalSlope& slope : testing::checked_slopes(module)) {
      ++checked;
      corners += slope.verdict == Slope::is_kinked ? 1 : 0;
      const bool is_right = slope.verdict == Slope::agrees || slope.verdict == Slope::is_kinked;
      ASSERT_TRUE(is_right) << "program " << i << ", parameter " << slope.parameter << ": " << slope.by_gradient
                            << " against " << slope.by_differences << " of " << slope.to_left << " and "
                            << slope.to_right << ", allowed " << slope.allowed << "\n"
                            << to_string(module);
    }
  }
  EXPECT_GT(checked, 4000);
  EXPECT_LT(corners, checked / 50);
}

}  // namespace
}  // namespace podsim::hlo::transform
