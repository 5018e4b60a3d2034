// SPDX-License-Identifier: Apache-2.0
// Times of the vector kernels against the time of HBM for their bytes, the tile level's time, and measurements.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/timing/tile_pipeline.h"
#include "sw/codegen/families/rows/layer_norm_kernel.h"
#include "sw/codegen/families/rows/softmax_kernel.h"
#include "sw/codegen/families/stream/copy_kernel.h"
#include "sw/codegen/families/stream/elementwise_kernel.h"
#include "sw/codegen/families/stream/reduction_kernel.h"
#include "sw/codegen/families/stream/transpose_kernel.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen {
namespace {

const TargetMachine& roomy_machine() {
  static const TargetMachine tpu_v3 = machine_with_vmem(16 * 1024);
  return tpu_v3;
}

families::Kernel built(const families::KernelFamily& family, const KernelValues& values) {
  return family.build(roomy_machine(), arguments_of(family, values));
}

/// All vector kernels, on a matrix of the given number of rows and columns.
std::vector<families::Kernel> kernels_of(const char* rows, const char* columns) {
  const std::pair<families::KernelFamily, KernelValues> cases[] = {
      {families::stream::elementwise_family(), {{"op", "relu"}}},
      {families::stream::elementwise_family(), {{"op", "add"}}},
      {families::stream::elementwise_family(), {{"op", "gelu"}}},
      {families::stream::elementwise_family(), {{"op", "gelu"}, {"dtype", "bf16"}}},
      {families::stream::copy_family(), {{"change", "none"}}},
      {families::stream::copy_family(), {{"change", "convert"}}},
      {families::stream::copy_family(), {{"change", "layout"}}},
      {families::stream::copy_family(), {{"change", "tile"}}},
      {families::stream::copy_family(), {{"change", "untile"}}},
      {families::stream::transpose_family(), {}},
      {families::stream::reduction_family(), {{"over", "columns"}, {"op", "max"}}},
      {families::stream::reduction_family(), {{"over", "rows"}}},
      {families::rows::softmax_family(), {{"passes", "3"}}},
      {families::rows::softmax_family(), {{"passes", "1"}}},
      {families::rows::layer_norm_family(), {{"passes", "4"}}},
      {families::rows::layer_norm_family(), {{"passes", "3"}}},
      {families::rows::layer_norm_family(), {{"passes", "1"}}},
  };
  std::vector<families::Kernel> kernels;
  for (const auto& [family, values] : cases) {
    KernelValues sized = values;
    sized.insert({{"rows", rows}, {"columns", columns}});
    kernels.push_back(built(family, sized));
  }
  return kernels;
}

/// Many tiles, so that the first and the last tile weigh little.
std::vector<families::Kernel> large_kernels() { return kernels_of("4000", "2100"); }

TEST(VectorKernelTime, LargeMatricesTakeTheTimeOfTheirBytes) {
  for (const families::Kernel& kernel : large_kernels()) {
    const hw::bundle::BundleRunResult run = time_of(roomy_machine(), kernel);
    EXPECT_LT(double(run.cycles.value()), 1.05 * hbm_cycles(roomy_machine(), kernel)) << kernel.name;
  }
}

TEST(VectorKernelTime, TheTileLevelAgrees) {
  for (const families::Kernel& kernel : large_kernels()) {
    const double tile_level = double(hw::timing::simulate_op(roomy_machine(), kernel.tile_op).cycles.value());
    EXPECT_NEAR(double(time_of(roomy_machine(), kernel).cycles.value()) / tile_level, 1, 0.05) << kernel.name;
  }
}

/// The results of a reduction over rows are held back by a predicate in all but the last tile, and issue all the same;
/// the tile level has the time of a transpose's last results as operations.
bool counts_otherwise(const families::Kernel& kernel) {
  return kernel.name.find("over=rows") != std::string::npos || kernel.name.find("transpose") == 0 ||
         kernel.name.find("change=layout") != std::string::npos;
}

TEST(VectorKernelTime, TheTileLevelHasTheOperationsAndBytesThatWereIssued) {
  for (const char* columns : {"3", "300", "1100"}) {
    for (const families::Kernel& kernel : kernels_of("150", columns)) {
      if (!counts_otherwise(kernel)) expect_work_of_tile_level(kernel, time_of(roomy_machine(), kernel));
    }
  }
}

TEST(VectorKernelTime, ASoftmaxInThreePassesTakesAsLongAsOnSilicon) {
  const std::int64_t measured = measured_cycles("softmax", "2048x2048");
  if (measured == 0) GTEST_SKIP() << "no measurements beside the repository";
  const families::Kernel kernel = built(families::rows::softmax_family(), {{"rows", "2048"}, {"columns", "2048"}});
  EXPECT_NEAR(double(time_of(roomy_machine(), kernel).cycles.value()) / double(measured), 1, 0.05);
}

TEST(VectorKernelTime, ALayerNormInFourPassesTakesAsLongAsOnSilicon) {
  const std::int64_t measured = measured_cycles("layernorm", "2048x768");
  if (measured == 0) GTEST_SKIP() << "no measurements beside the repository";
  const families::Kernel kernel =
      built(families::rows::layer_norm_family(), {{"rows", "2048"}, {"columns", "768"}, {"passes", "4"}});
  EXPECT_NEAR(double(time_of(roomy_machine(), kernel).cycles.value()) / double(measured), 1, 0.05);
}

}  // namespace
}  // namespace podsim::sw::codegen
