// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/tuned_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "workloads/machines/machines.h"

namespace podsim::validation::measured {
namespace {

const sw::TargetMachine& machine() {
  static const sw::TargetMachine v3 = sw::read_target(workloads::machines::machine_config("tpu-v3"));
  return v3;
}

std::vector<TiledKernel> measured_kernels(const sw::TargetMachine& on = machine()) {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/tpugraphs_kernels.pb",
                   std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  sw::compiler::OpCosts costs(on);
  return bytes.str().empty() ? std::vector<TiledKernel>() : tuned_tiles("kernels.pb", bytes.str(), costs);
}

// The goals: 15 % at XLA's own tile, a rank correlation of 0.6 over ten tiles or more, a choice within 10 % of the
// best.
TEST(TunedTiles, EveryKernelTakesItsTimeUnderItsTiles) {
  const std::vector<TiledKernel> kernels = measured_kernels();
  if (kernels.empty()) GTEST_SKIP() << "no tuning data";
  ASSERT_EQ(kernels.size(), 5U);
  for (const TiledKernel& kernel : kernels) {
    const TiledRun* choice = kernel.by_default();
    ASSERT_TRUE(choice != nullptr && choice->modelled_s);
    EXPECT_NEAR(*choice->modelled_s / choice->measured_s, 1, 0.15) << kernel.name;
    EXPECT_LT(kernel.by_model()->measured_s / kernel.best_measured_s(), 1.10) << kernel.name;
    if (kernel.runs.size() >= 10) {
      EXPECT_GT(kernel.tau(), 0.6) << kernel.name;
    }
  }
}

// Without the scalar code that issues a DMA for each piece, small tiles of a copy are no dearer than large ones.
TEST(TunedTiles, PiecesOfATileCostTheirDmas) {
  const std::vector<TiledKernel> kernels = measured_kernels();
  if (kernels.empty()) GTEST_SKIP() << "no tuning data";
  sw::TargetMachine free_dmas = machine();
  free_dmas.compiler.row_read = base::Cycles(0);
  const std::vector<TiledKernel> without = measured_kernels(free_dmas);
  EXPECT_GT(kernels[3].tau().value(), without[3].tau().value() + 0.1) << "copy.24";
  EXPECT_EQ(kernels[0].tau(), without[0].tau()) << "a product's blocks are contiguous here";
}

TEST(TunedTiles, EveryRunHasATimeOrDoesNotFit) {
  for (const TiledKernel& kernel : measured_kernels()) {
    EXPECT_GT(kernel.chosen_s, 0);
    for (const TiledRun& run : kernel.runs) EXPECT_TRUE(!run.modelled_s || *run.modelled_s > 0) << run.bounds;
  }
}

TEST(TunedTiles, FilesWithoutKernelsAreErrors) {
  sw::compiler::OpCosts costs(machine());
  EXPECT_THROW(tuned_tiles("x.pb", "", costs), base::InputError);
  EXPECT_THROW(tuned_tiles("x.pb", "HloModule text", costs), base::InputError);
  EXPECT_THROW(tuned_tiles("x.pb", std::string(64, '\xff'), costs), base::InputError);
}

}  // namespace
}  // namespace podsim::validation::measured
