// SPDX-License-Identifier: Apache-2.0
#include "validation/measured/kernel_points.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "workloads/machines/machines.h"

namespace podsim::validation::measured {
namespace {

std::vector<PointClass> points_of(const std::string& rows) {
  Silicon silicon([](const std::string& machine) { return workloads::machines::machine_config(machine); });
  return kernel_points("kernels.csv", "kernel,shape,cycles_at_940MHz\n" + rows, silicon);
}

// 2 x 1024^3 FLOPs at 61.6 TFLOP/s and 0.4 us; 940 cycles are a microsecond.
TEST(KernelPoints, AGemmHasItsRooflineAndAtLeastThatTime) {
  const std::vector<PointClass> classes = points_of("gemm,1024x1024x1024,47000\n");
  ASSERT_EQ(classes.front().points.size(), 1U);
  const Point& gemm = classes.front().points.front();
  EXPECT_NEAR(gemm.measured, 50e-6, 1e-9);
  EXPECT_NEAR(gemm.roofline, 2.0 * 1024 * 1024 * 1024 / 61.6e12 + 0.4e-6, 0.1e-6);
  EXPECT_GT(gemm.modelled, gemm.roofline);
}

// Cycles on silicon, from PyTorchSim's artifact. The goal is 12 %.
TEST(KernelPoints, ProductsAndSoftmaxesTakeTheTimeOfSilicon) {
  const std::vector<PointClass> classes = points_of(
      "gemm,256x256x256,3101\ngemm,1024x1024x1024,47099\nsoftmax,2048x2048,169750\nsoftmax,512x512,12902\n"
      "conv2d,N64 H28 W28 Cin128 Cout128 K3 stride1 pad1,241935\n");
  for (const Point& kernel : classes.front().points) {
    ASSERT_TRUE(kernel.modelled) << kernel.name;
    EXPECT_NEAR(*kernel.modelled / kernel.measured, 1, 0.12) << kernel.name;
  }
}

// Cycles of the same source. Rows of other kinds and other kernels are left out.
TEST(KernelPoints, AttentionTakesTheTimeOfSilicon) {
  Silicon silicon([](const std::string& machine) { return workloads::machines::machine_config(machine); });
  const std::vector<PointClass> classes =
      attention_points("v3_points.csv",
                       "kind,configuration,value\n"
                       "kernel,attention 12 heads x 512 x 64; one core; f32 operands,110093\n"
                       "kernel,attention 32 x 512 x 64; one core; f32 operands,288250\n"
                       "kernel,fft 8 x 8 x 8; one core,1\ntraining_step,attention 1 x 8 x 8; no kernel,1\n",
                       silicon);
  ASSERT_EQ(classes.front().points.size(), 2U);
  for (const Point& kernel : classes.front().points) {
    ASSERT_TRUE(kernel.modelled) << kernel.name;
    EXPECT_NEAR(*kernel.modelled / kernel.measured, 1, 0.05) << kernel.name;
  }
}

TEST(KernelPoints, KernelsThatAreNotKnownAreErrors) {
  for (const char* row : {"fft,8x8,1\n", "gemm,8x8,1\n", "gemm,0x8x8,1\n", "gemm,8x8x99999999999999999999,1\n",
                          "conv2d,N8 H2 W2 Cin8 Cout8 K3,1\n", "conv2d,N8,1\n", "softmax,8x8,none\n"}) {
    EXPECT_THROW(points_of(row), base::InputError) << row;
  }
}

}  // namespace
}  // namespace podsim::validation::measured
