// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/rows/layer_norm_kernel.h"

#include <random>

#include <gtest/gtest.h>

#include "tests/sw/codegen/check_kernel.h"
#include "tests/sw/codegen/run_kernel.h"

namespace podsim::sw::codegen::families::rows {
namespace {

TEST(LayerNormKernel, AnySizeAndNumberOfPasses) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  for (const char* passes : {"4", "3", "1"}) {
    for (const char* dtype : {"f32", "bf16"}) {
      for (const char* rows : {"0", "1", "20"}) {
        for (const char* columns : {"0", "1", "127", "130", "1300"}) {
          expect_reference(machine, layer_norm_family(),
                           {{"passes", passes}, {"rows", rows}, {"columns", columns}, {"dtype", dtype}});
        }
      }
    }
  }
}

TEST(LayerNormKernel, RowsWhoseStatisticsDoNotFitVmemAreTakenInParts) {
  const TargetMachine machine = machine_with_vmem(1536);
  expect_reference(machine, layer_norm_family(), {{"rows", "601"}, {"columns", "130"}});
  expect_reference(machine, layer_norm_family(), {{"rows", "601"}, {"columns", "300"}, {"passes", "3"}});
}

TEST(LayerNormKernel, RandomSizesInLittleVmem) {
  const TargetMachine machine = machine_with_vmem(1536);
  std::mt19937 random(10);
  for (int i = 0; i < 6; ++i) {
    const char* passes[] = {"4", "3", "1"};
    expect_reference(machine, layer_norm_family(),
                     {{"passes", passes[i % 3]},
                      {"rows", std::to_string(random() % 200)},
                      {"columns", std::to_string(random() % 1500)},
                      {"dtype", i % 2 == 0 ? "bf16" : "f32"}});
  }
}

TEST(LayerNormKernel, GoesOverHbmAsOftenAsItSays) {
  const KernelFamily family = layer_norm_family();
  constexpr std::int64_t matrix = 64 * 256 * 4, parameters = 2 * 256 * 4;
  struct {
    const char* passes;
    std::int64_t reads, writes;
  } const expected[] = {{"4", 4, 2}, {"3", 3, 1}, {"1", 1, 1}};
  for (const auto& [passes, reads, writes] : expected) {
    const Kernel kernel = family.build(machine_with_vmem(16 * 1024),
                                       arguments_of(family, {{"passes", passes}, {"rows", "64"}, {"columns", "256"}}));
    EXPECT_EQ(totals_of(kernel.tile_op).read, reads * matrix + parameters);
    EXPECT_EQ(totals_of(kernel.tile_op).written, writes * matrix);
  }
}

TEST(LayerNormKernel, ARowOfEqualElementsBecomesBeta) {
  const TargetMachine machine = machine_with_vmem(16 * 1024);
  const KernelFamily family = layer_norm_family();
  const Kernel kernel = family.build(machine, arguments_of(family, {{"rows", "1"}, {"columns", "4"}}));
  const std::vector<hlo::Literal> inputs{{kernel.inputs[0].shape, {8, 8, 8, 8}, {}},
                                         {kernel.inputs[1].shape, {1, 2, 3, 4}, {}},
                                         {kernel.inputs[2].shape, {5, 6, 7, 8}, {}}};
  EXPECT_EQ(run_kernel(machine, kernel, inputs).output.values, inputs[2].values);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::rows
