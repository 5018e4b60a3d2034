// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/agreement.h"
#include "sw/codegen/kernel_families.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/hw/test_machine.h"

namespace podsim::validation::kernels {
namespace {

LevelComparison comparison(std::int64_t bundle, std::int64_t tile) {
  return {"kernel", base::Cycles(bundle), base::Cycles(tile)};
}

TEST(Agreement, IsTheMedianAndTheLargestOfTheErrorsWithoutTheirSigns) {
  const Agreement odd = agreement_of({comparison(100, 101), comparison(100, 80), comparison(100, 95)});
  EXPECT_NEAR(odd.median, 0.05, 1e-12);
  EXPECT_NEAR(odd.worst, 0.20, 1e-12);
  EXPECT_NEAR(agreement_of({comparison(100, 101), comparison(100, 97)}).median, 0.02, 1e-12);
  EXPECT_EQ(agreement_of({}).worst, 0);
}

TEST(Agreement, NamesWhatThereIsNot) {
  const hw::Machine machine = hw::tpu_v3();
  EXPECT_THROW(build_kernel(machine, {"matmull", {}}), std::logic_error);
  EXPECT_THROW(build_kernel(machine, {"matmul", {{"mm", "1"}}}), std::logic_error);
}

TEST(AgreementGrid, HasAtLeastSixtyDistinctKernelsOfEveryFamily) {
  const hw::Machine machine = hw::tpu_v3();
  std::set<std::string> names, families;
  for (const KernelChoice& choice : agreement_grid()) {
    names.insert(build_kernel(machine, choice).name);
    families.insert(choice.family);
  }
  EXPECT_GE(names.size(), 60U);
  EXPECT_EQ(names.size(), agreement_grid().size());
  EXPECT_EQ(families.size(), sw::codegen::kernel_families().size());
}

TEST(AgreementGrid, TileLevelIsWithinThreePerCentOfBundlesInTheMedianAndTenAtWorst) {
  const std::vector<LevelComparison> comparisons = compare_levels(hw::tpu_v3(), agreement_grid(), {});
  const Agreement agreement = agreement_of(comparisons);
  EXPECT_LT(agreement.median, 0.03);
  for (const LevelComparison& comparison : comparisons)
    EXPECT_LT(std::abs(comparison.error()), 0.10) << comparison.kernel;
}

}  // namespace
}  // namespace podsim::validation::kernels
