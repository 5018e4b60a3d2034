// SPDX-License-Identifier: Apache-2.0
#include "workloads/measured/tuned_tiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/diagnostic.h"
#include "workloads/machines/machines.h"

namespace podsim::workloads::measured {
namespace {

const hw::Machine& machine() {
  static const hw::Machine v3 = hw::read_machine(machines::machine_config("tpu-v3"));
  return v3;
}

std::vector<TiledKernel> measured_kernels() {
  std::ifstream in(std::filesystem::path(PODSIM_SOURCE_DIR) / "../shared/measurements/tpugraphs_kernels.pb",
                   std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str().empty() ? std::vector<TiledKernel>() : tuned_tiles("kernels.pb", bytes.str(), machine());
}

// The goals for products: 15 % at XLA's own tile, a rank correlation of 0.6, a choice within 10 % of the best.
TEST(TunedTiles, ProductsTakeTheirTimeUnderEveryTile) {
  const std::vector<TiledKernel> kernels = measured_kernels();
  if (kernels.empty()) GTEST_SKIP() << "no tuning data";
  ASSERT_EQ(kernels.size(), 5U);
  for (std::size_t i = 0; i < 2; ++i) {
    const TiledRun* choice = kernels[i].by_default();
    ASSERT_TRUE(choice != nullptr && choice->modelled_s);
    EXPECT_NEAR(*choice->modelled_s / choice->measured_s, 1, 0.15) << kernels[i].name;
    EXPECT_GT(kernels[i].tau(), 0.6) << kernels[i].name;
    EXPECT_LT(kernels[i].by_model()->measured_s / kernels[i].best_measured_s(), 1.10) << kernels[i].name;
  }
}

TEST(TunedTiles, AReductionTakesItsTimeUnderEveryTile) {
  const std::vector<TiledKernel> kernels = measured_kernels();
  if (kernels.empty()) GTEST_SKIP() << "no tuning data";
  const TiledRun* choice = kernels[2].by_default();
  ASSERT_TRUE(choice != nullptr && choice->modelled_s);
  EXPECT_NEAR(*choice->modelled_s / choice->measured_s, 1, 0.15);
  EXPECT_GT(kernels[2].tau(), 0.6);
  EXPECT_LT(kernels[2].by_model()->measured_s / kernels[2].best_measured_s(), 1.10) << "tiles of long pieces";
}

TEST(TunedTiles, EveryRunHasATimeOrDoesNotFit) {
  for (const TiledKernel& kernel : measured_kernels()) {
    EXPECT_GT(kernel.chosen_s, 0);
    for (const TiledRun& run : kernel.runs) EXPECT_TRUE(!run.modelled_s || *run.modelled_s > 0) << run.bounds;
  }
}

TEST(TunedTiles, FilesWithoutKernelsAreErrors) {
  EXPECT_THROW(tuned_tiles("x.pb", "", machine()), base::InputError);
  EXPECT_THROW(tuned_tiles("x.pb", "HloModule text", machine()), base::InputError);
  EXPECT_THROW(tuned_tiles("x.pb", std::string(64, '\xff'), machine()), base::InputError);
}

}  // namespace
}  // namespace podsim::workloads::measured
