// SPDX-License-Identifier: Apache-2.0
#include "validation/kernels/agreement.h"
#include "sw/codegen/kernel_families.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "tests/sw/target_machines.h"

namespace podsim::validation::kernels {
namespace {

LevelComparison comparison(std::int64_t bundle, std::int64_t tile) {
  return {"kernel", base::Cycles(bundle), base::Cycles(tile), {}, {}};
}

TEST(Agreement, IsTheMedianAndTheLargestOfTheErrorsWithoutTheirSigns) {
  const Agreement odd = agreement_of({comparison(100, 101), comparison(100, 80), comparison(100, 95)});
  EXPECT_NEAR(odd.median, 0.05, 1e-12);
  EXPECT_NEAR(odd.worst, 0.20, 1e-12);
  EXPECT_NEAR(agreement_of({comparison(100, 101), comparison(100, 97)}).median, 0.02, 1e-12);
  EXPECT_EQ(agreement_of({}).worst, 0);
}

TEST(Agreement, NamesWhatThereIsNot) {
  const sw::TargetMachine machine = sw::tpu_v3();
  EXPECT_THROW(build_kernel(machine, {"matmull", {}}), std::logic_error);
  EXPECT_THROW(build_kernel(machine, {"matmul", {{"mm", "1"}}}), std::logic_error);
}

TEST(AgreementGrid, HasAtLeastSixtyDistinctKernelsOfEveryFamily) {
  const sw::TargetMachine machine = sw::tpu_v3();
  std::set<std::string> names, families;
  for (const KernelChoice& choice : agreement_grid()) {
    names.insert(build_kernel(machine, choice).name);
    families.insert(choice.family);
  }
  EXPECT_GE(names.size(), 60U);
  EXPECT_EQ(names.size(), agreement_grid().size());
  EXPECT_EQ(families.size(), sw::codegen::kernel_families().size());
}

/// A grid is long to compare; its tests share one comparison.
const std::vector<LevelComparison>& comparisons_of_grid() {
  static const std::vector<LevelComparison> comparisons = compare_levels(sw::tpu_v3(), agreement_grid(), {});
  return comparisons;
}

TEST(AgreementGrid, TileLevelIsWithinThreePerCentOfBundlesInTheMedianAndTenAtWorst) {
  EXPECT_LT(agreement_of(comparisons_of_grid()).median, 0.03);
  for (const LevelComparison& comparison : comparisons_of_grid())
    EXPECT_LT(std::abs(comparison.error()), 0.10) << comparison.kernel;
}

// The oracle is what the bundles do: every push, load, store and transfer of the kernel.
TEST(AgreementGrid, EnergyOfTilesIsWithinTwoPerCentOfThatOfBundles) {
  for (const LevelComparison& comparison : comparisons_of_grid())
    EXPECT_LT(std::abs(comparison.energy_error()), 0.02) << comparison.kernel;
}

/// True for kernels whose tiles are exactly those of the compiler: not for arrays that stay in VMEM, fewer passes than
/// the compiler makes ops, convolutions (blocks of lines and images), attention (the compiler's goes over HBM with its
/// scores) and changes of the layout.
bool follows_the_compiler(const KernelChoice& choice) {
  const auto value = [&](const char* name) {
    const auto found = choice.values.find(name);
    return found == choice.values.end() ? std::string() : found->second;
  };
  if (choice.family.ends_with("_attention")) return false;
  if (choice.family == "conv2d" || choice.family == "transpose" || value("memory") == "vmem") return false;
  if (value("passes") == "1" || value("passes") == "4") return false;
  return value("change").empty() || value("change") == "none" || value("change") == "convert";
}

TEST(AgreementGrid, AKernelAndTheOpOfAProgramMoveTheSameBytesInTheSameTime) {
  const std::vector<KernelChoice> grid = agreement_grid();
  int compared = 0, within = 0;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    if (!follows_the_compiler(grid[i])) continue;
    const LevelComparison& comparison = comparisons_of_grid()[i];
    ASSERT_TRUE(comparison.run_difference()) << comparison.kernel;
    // An op of a program also stores the numbers of rows that the next op reads.
    EXPECT_NEAR(double(comparison.moved.value()) / double(comparison.run.moved.value()), 1, 0.02) << comparison.kernel;
    // Bundles clear the padding of a matmul's operands, and unpack rows of bf16; an op's work does not have these.
    EXPECT_LT(std::abs(*comparison.run_difference()), 0.12) << comparison.kernel;
    ++compared;
    if (std::abs(*comparison.run_difference()) < 0.03) ++within;
  }
  EXPECT_GE(within, 30) << "of " << compared;
}

}  // namespace
}  // namespace podsim::validation::kernels
