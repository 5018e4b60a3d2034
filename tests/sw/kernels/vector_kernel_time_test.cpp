// SPDX-License-Identifier: Apache-2.0
// How long the vector kernels take: what HBM needs for their bytes, what the tile level says, and what was measured.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hw/tile_pipeline.h"
#include "sw/kernels/copy_kernel.h"
#include "sw/kernels/elementwise_kernel.h"
#include "sw/kernels/layer_norm_kernel.h"
#include "sw/kernels/reduction_kernel.h"
#include "sw/kernels/softmax_kernel.h"
#include "sw/kernels/transpose_kernel.h"
#include "tests/sw/kernels/check_kernel.h"
#include "tests/sw/kernels/run_kernel.h"

namespace podsim::sw {
namespace {

const hw::Machine& machine() {
  static const hw::Machine tpu_v3 = machine_with_vmem(16 * 1024);
  return tpu_v3;
}

Kernel built(const KernelFamily& family, const KernelValues& values) {
  return family.build(machine(), arguments_of(family, values));
}

/// Every kernel there is, on a matrix of so many rows and columns.
std::vector<Kernel> kernels_of(const char* rows, const char* columns) {
  const std::pair<KernelFamily, KernelValues> cases[] = {
      {elementwise_family(), {{"op", "relu"}}},
      {elementwise_family(), {{"op", "add"}}},
      {elementwise_family(), {{"op", "gelu"}}},
      {elementwise_family(), {{"op", "gelu"}, {"dtype", "bf16"}}},
      {copy_family(), {{"change", "none"}}},
      {copy_family(), {{"change", "convert"}}},
      {copy_family(), {{"change", "layout"}}},
      {copy_family(), {{"change", "tile"}}},
      {copy_family(), {{"change", "untile"}}},
      {transpose_family(), {}},
      {reduction_family(), {{"over", "columns"}, {"op", "max"}}},
      {reduction_family(), {{"over", "rows"}}},
      {softmax_family(), {{"passes", "3"}}},
      {softmax_family(), {{"passes", "1"}}},
      {layer_norm_family(), {{"passes", "4"}}},
      {layer_norm_family(), {{"passes", "3"}}},
      {layer_norm_family(), {{"passes", "1"}}},
  };
  std::vector<Kernel> kernels;
  for (const auto& [family, values] : cases) {
    KernelValues sized = values;
    sized.insert({{"rows", rows}, {"columns", columns}});
    kernels.push_back(built(family, sized));
  }
  return kernels;
}

/// A few megabytes, so that the first and the last tile weigh little.
std::vector<Kernel> large_kernels() { return kernels_of("1000", "1100"); }

TEST(VectorKernelTime, large_matrices_take_the_time_of_their_bytes) {
  for (const Kernel& kernel : large_kernels()) {
    const hw::BundleRunResult run = time_of(machine(), kernel);
    EXPECT_LT(double(run.cycles.value()), 1.05 * hbm_cycles(machine(), kernel)) << kernel.name;
  }
}

TEST(VectorKernelTime, the_tile_level_agrees) {
  for (const Kernel& kernel : large_kernels()) {
    const double tile_level = double(hw::simulate_op(machine(), kernel.tile_op).cycles.value());
    EXPECT_NEAR(double(time_of(machine(), kernel).cycles.value()) / tile_level, 1, 0.05) << kernel.name;
  }
}

/// The results of a reduction over rows are held back by a predicate in all but the last tile, and issue all the same;
/// the tile level has the time of a transpose's last results as operations.
bool counts_otherwise(const Kernel& kernel) {
  return kernel.name.find("over=rows") != std::string::npos || kernel.name.find("transpose") == 0 ||
         kernel.name.find("change=layout") != std::string::npos;
}

TEST(VectorKernelTime, the_tile_level_has_the_operations_and_bytes_that_were_issued) {
  for (const char* columns : {"3", "300", "1100"}) {
    for (const Kernel& kernel : kernels_of("150", columns)) {
      if (!counts_otherwise(kernel)) expect_work_of_tile_level(kernel, time_of(machine(), kernel));
    }
  }
}

TEST(VectorKernelTime, a_softmax_in_three_passes_takes_as_long_as_on_silicon) {
  const std::int64_t measured = measured_cycles("softmax", "2048x2048");
  if (measured == 0) GTEST_SKIP() << "no measurements beside the repository";
  const Kernel kernel = built(softmax_family(), {{"rows", "2048"}, {"columns", "2048"}});
  EXPECT_NEAR(double(time_of(machine(), kernel).cycles.value()) / double(measured), 1, 0.05);
}

TEST(VectorKernelTime, a_layer_norm_in_four_passes_takes_as_long_as_on_silicon) {
  const std::int64_t measured = measured_cycles("layernorm", "2048x768");
  if (measured == 0) GTEST_SKIP() << "no measurements beside the repository";
  const Kernel kernel = built(layer_norm_family(), {{"rows", "2048"}, {"columns", "768"}});
  EXPECT_NEAR(double(time_of(machine(), kernel).cycles.value()) / double(measured), 1, 0.05);
}

}  // namespace
}  // namespace podsim::sw
