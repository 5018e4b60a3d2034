// SPDX-License-Identifier: Apache-2.0
// The work of the matrix units, counted at both levels of detail: kernels bundle by bundle, and their tiles.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "hw/activity.h"
#include "sw/codegen/kernel_families.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen {
namespace {

using Values = std::map<std::string, std::string>;

families::Kernel matrix_kernel(const std::string& name, const Values& values) {
  for (const families::KernelFamily& family : kernel_families()) {
    if (family.name == name) return family.build(the_tpu_v3(), arguments_of(family, values));
  }
  return {};
}

/// Rows that bundles push to the matrix units, by registers of 8.
std::int64_t rows_pushed(const families::Kernel& kernel) {
  std::int64_t rows = 0;
  hw::memory::DeviceMemory hbm(the_tpu_v3().hbm.capacity_per_core);
  hw::bundle::BundleRunOptions options;
  options.functional = false;
  options.before = kernel.before;
  options.after = kernel.after;
  options.on_issue = [&](const hw::bundle::IssueRecord& record) {
    const auto& push = record.bundle[hw::isa::Slot::push];
    if (push && push->opcode == hw::isa::Opcode::mxu_lhs) rows += 8;
  };
  hw::bundle::run_bundles(the_tpu_v3(), kernel.program, hbm, options);
  return rows;
}

// A register of 8 rows meets all 128 x 128 cells of the array that it is pushed to.
TEST(MatrixActivity, OfAMatmulIsTheSameInBundlesAndInTiles) {
  for (const Values& values :
       {Values{{"m", "256"}, {"n", "256"}, {"k", "256"}}, Values{{"m", "512"}, {"n", "384"}, {"k", "128"}},
        Values{{"m", "1024"}, {"n", "256"}, {"k", "300"}}, Values{{"m", "200"}, {"n", "130"}, {"k", "128"}}}) {
    const families::Kernel kernel = matrix_kernel("matmul", values);
    const auto tiles = hw::activity(the_tpu_v3(), kernel.tile_op).units.of<hw::Mxu>();
    EXPECT_EQ(tiles.cell_cycles, rows_pushed(kernel) * 128 * 128) << kernel.name;
    EXPECT_EQ(tiles.multiply_accumulates, tiles.cell_cycles) << kernel.name << ": m is whole registers";
  }
}

}  // namespace
}  // namespace podsim::sw::codegen
