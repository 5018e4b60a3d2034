// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/softmax_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "sw/codegen/families/kernel_array.h"
#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::rows {
namespace {

TEST(SoftmaxKernel, AnySizeAndNumberOfPasses) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const char* passes : {"3", "1"}) {
    for (const char* dtype : {"f32", "bf16"}) {
      for (const char* rows : {"0", "1", "20"}) {
        for (const char* columns : {"0", "1", "127", "130", "1300"}) {
          expect_reference(machine, softmax_family(),
                           {{"passes", passes}, {"rows", rows}, {"columns", columns}, {"dtype", dtype}});
        }
      }
    }
  }
}

TEST(SoftmaxKernel, RowsWhoseStatisticsDoNotFitVmemAreTakenInParts) {
  // A quarter of 1 MiB holds the maxima and sums of 256 rows: two parts, and the remainder.
  const TargetMachine machine = machine_with_vmem(1024);
  expect_reference(machine, softmax_family(), {{"rows", "601"}, {"columns", "130"}});
  expect_reference(machine, softmax_family(), {{"rows", "301"}, {"columns", "1100"}, {"dtype", "bf16"}});
}

TEST(SoftmaxKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(1024);
  std::mt19937 random(9);
  for (int i = 0; i < 6; ++i) {
    expect_reference(machine, softmax_family(),
                     {{"passes", i % 2 == 0 ? "3" : "1"},
                      {"rows", std::to_string(random() % 200)},
                      {"columns", std::to_string(random() % 1500)},
                      {"dtype", i % 4 < 2 ? "bf16" : "f32"}});
  }
}

TEST(SoftmaxKernel, LargeNumbersDoNotOverflow) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  const KernelFamily family = softmax_family();
  const Kernel kernel = family.build(machine, arguments_of(family, {{"rows", "1"}, {"columns", "4"}}));
  const hlo::Literal x{kernel.inputs[0].shape, {1e30, 1e30, -1e30, 1e30}, {}};
  const hlo::Literal result = run_kernel(machine, kernel, {&x, 1}).output;
  const double third = 1.0 / 3;
  EXPECT_NEAR(result.values[0], third, 1e-6);
  EXPECT_NEAR(result.values[1], third, 1e-6);
  EXPECT_EQ(result.values[2], 0);
  EXPECT_NEAR(result.values[3], third, 1e-6);
}

TEST(SoftmaxKernel, GoesOverHbmAsOftenAsItSays) {
  const KernelFamily family = softmax_family();
  constexpr std::int64_t matrix = 64 * 256 * 4;
  for (const char* passes : {"3", "1"}) {
    const Kernel kernel = family.build(machine_with_vmem(16 * 1024),
                                       arguments_of(family, {{"passes", passes}, {"rows", "64"}, {"columns", "256"}}));
    EXPECT_EQ(totals_of(kernel.tile_op).read, std::stoll(passes) * matrix);
    EXPECT_EQ(totals_of(kernel.tile_op).written, matrix);
  }
}

TEST(SoftmaxKernel, RowsTooWideToBeHeldAreRefused) {
  const KernelFamily family = softmax_family();
  const KernelArguments wide = arguments_of(family, {{"passes", "1"}, {"rows", "8"}, {"columns", "20000"}});
  EXPECT_THROW(family.build(machine_with_vmem(1024), wide), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::rows
