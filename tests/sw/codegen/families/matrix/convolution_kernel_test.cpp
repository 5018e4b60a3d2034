// SPDX-License-Identifier: Apache-2.0
#include "sw/codegen/families/matrix/convolution_kernel.h"

#include <gtest/gtest.h>

#include "base/diagnostic.h"
#include "hlo/eval/evaluator.h"
#include "tests/sw/codegen/run_kernel.h"
#include "tests/sw/target_machines.h"

namespace podsim::sw::codegen::families::matrix {
namespace {

using Values = std::map<std::string, std::string>;

Kernel convolution(const Values& values, const TargetMachine& on = the_tpu_v3()) {
  const KernelFamily family = conv2d_family();
  return family.build(on, arguments_of(family, values));
}

/// Against the reference evaluator, which sums in double precision. Operands are below 2, so that a product is below 4
/// and n of them added in f32 are off by less than n * n * 4 * 2^-24; bf16 results may be rounded to the other side.
void expect_the_reference(const Values& values, std::uint32_t seed, const TargetMachine& on = the_tpu_v3(),
                          bool special = false) {
  const Kernel kernel = convolution(values, on);
  SCOPED_TRACE(kernel.name + ", " + kernel.passes);
  const std::vector<hlo::Literal> inputs = random_inputs_of(kernel, seed, special);
  const std::vector<double> expected = hlo::eval::evaluate(kernel.reference, inputs).values;
  const std::vector<double> found = run_kernel(on, kernel, inputs).output.values;
  ASSERT_EQ(found.size(), expected.size());
  const bool packed = kernel.outputs[0].shape.element_type == hlo::ElementType::bf16;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double allowed = 2e-4 + (packed ? std::abs(expected[i]) / 128 : 0);
    const bool equal = found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])) ||
                       std::abs(found[i] - expected[i]) <= allowed;
    if (!equal && ++differing <= 3) ADD_FAILURE() << "element " << i << " is " << found[i] << ", not " << expected[i];
  }
  EXPECT_EQ(differing, 0U);
}

Values sizes(int n, int h, int w, int cin, int cout, int kernel, int stride, int pad) {
  return {{"n", std::to_string(n)},           {"h", std::to_string(h)},       {"w", std::to_string(w)},
          {"cin", std::to_string(cin)},       {"cout", std::to_string(cout)}, {"kernel", std::to_string(kernel)},
          {"stride", std::to_string(stride)}, {"pad", std::to_string(pad)}};
}

TEST(ConvolutionKernel, PutsASinglePixelThroughAWindowOfPadding) {
  expect_the_reference(sizes(1, 1, 1, 1, 1, 1, 1, 0), 1);
  expect_the_reference(sizes(1, 1, 1, 3, 2, 3, 1, 1), 2);
  expect_the_reference(sizes(8, 1, 1, 128, 128, 3, 1, 2), 3);
}

TEST(ConvolutionKernel, MovesWindowsOverImagesInSublanes) {
  expect_the_reference(sizes(8, 5, 6, 128, 128, 3, 1, 1), 4);
  expect_the_reference(sizes(16, 7, 5, 40, 130, 2, 1, 0), 5);
  expect_the_reference(sizes(13, 9, 3, 200, 20, 3, 2, 1), 6);
}

TEST(ConvolutionKernel, MovesWindowsOverPixelsInSublanes) {
  expect_the_reference(sizes(1, 9, 16, 128, 128, 3, 1, 1), 7);
  expect_the_reference(sizes(2, 8, 19, 130, 3, 5, 1, 2), 8);
  expect_the_reference(sizes(1, 11, 23, 7, 150, 3, 3, 2), 9);
}

TEST(ConvolutionKernel, MovesWindowsByMoreThanAPixel) {
  expect_the_reference(sizes(1, 9, 23, 130, 20, 3, 2, 1), 20);
  expect_the_reference(sizes(1, 8, 16, 20, 130, 4, 2, 0), 21);
  expect_the_reference(sizes(9, 9, 9, 20, 20, 2, 4, 1), 22);
}

TEST(ConvolutionKernel, PutsTheTapsOfALineBesideEachOtherWhenChannelsAreFew) {
  expect_the_reference(sizes(1, 9, 21, 3, 20, 5, 1, 2), 23);
  expect_the_reference(sizes(2, 15, 18, 3, 130, 7, 2, 3), 24);
  expect_the_reference(sizes(1, 17, 40, 8, 16, 16, 4, 15), 25);
  const Kernel kernel = convolution(sizes(1, 16, 16, 3, 16, 5, 1, 2));
  const KernelOutcome outcome = run_kernel(the_tpu_v3(), kernel, random_inputs_of(kernel, 26));
  std::int64_t busy = 0;
  for (base::Cycles unit : outcome.run.matrix_busy) busy += unit.value();
  EXPECT_EQ(busy, 8 * 5 * 16 * 2);  // cycles of a register, lines of the window, registers of the output
}

TEST(ConvolutionKernel, AgreesWithTheReferenceOnRandomShapes) {
  std::mt19937 random(10);
  const auto between = [&](int least, int most) { return least + int(random() % std::uint32_t(most - least + 1)); };
  for (std::uint32_t i = 0; i < 6; ++i) {
    const int kernel = between(1, 5);
    Values values = sizes(between(1, 10), between(kernel, 12), between(kernel, 20),
                          random() % 3 == 0 ? between(1, 8) : between(1, 140), between(1, 140), kernel, between(1, 3),
                          between(0, kernel - 1));
    values["dtype"] = random() % 2 == 0 ? "f32" : "bf16";
    expect_the_reference(values, i);
  }
}

TEST(ConvolutionKernel, CutsImagesLinesAndChannelsToWhatVmemHolds) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set("core.vmem=2 MiB");
  const TargetMachine small = read_target(config);
  expect_the_reference(sizes(24, 7, 7, 40, 100, 3, 1, 1), 11, small);
  expect_the_reference(sizes(1, 40, 20, 128, 300, 1, 1, 0), 12, small);
  expect_the_reference(sizes(2, 60, 100, 5, 3, 3, 2, 1), 13, small);
}

TEST(ConvolutionKernel, KeepsNanAndInfinitiesToTheWindowsThatHoldThem) {
  expect_the_reference(sizes(8, 6, 6, 20, 20, 3, 1, 1), 14, the_tpu_v3(), true);
  expect_the_reference(sizes(1, 6, 20, 20, 20, 3, 1, 1), 15, the_tpu_v3(), true);
}

TEST(ConvolutionKernel, TakesWhatSiliconWasMeasuredToTake) {
  const std::int64_t measured = measured_cycles("conv2d", "N64 H28 W28 Cin128 Cout128 K3 stride1 pad1");
  if (measured == 0) GTEST_SKIP() << "measurements are not here";
  const Kernel kernel = convolution(sizes(64, 28, 28, 128, 128, 3, 1, 1));
  hw::bundle::BundleRunOptions timing;
  timing.functional = false;
  hw::memory::DeviceMemory hbm(the_tpu_v3().hbm.capacity_per_core);
  const hw::bundle::BundleRunResult run = hw::bundle::run_bundles(the_tpu_v3(), kernel.program, hbm, timing);
  EXPECT_NEAR(double(run.cycles.value()), double(measured), 0.12 * double(measured));
}

TEST(ConvolutionKernel, OnlyHaltsWhereNothingComesOut) {
  for (const Values& values :
       {sizes(0, 4, 4, 8, 8, 3, 1, 1), sizes(2, 4, 4, 8, 0, 3, 1, 1), sizes(2, 0, 4, 8, 8, 3, 1, 1),
        sizes(2, 4, 0, 8, 8, 3, 1, 1), sizes(2, 4, 4, 8, 8, 7, 2, 1), sizes(2, 4, 4, 0, 8, 7, 1, 1)}) {
    const Kernel kernel = convolution(values);
    SCOPED_TRACE(kernel.name);
    const KernelOutcome outcome = run_kernel(the_tpu_v3(), kernel, random_inputs_of(kernel, 16));
    EXPECT_EQ(outcome.run.bundles, 1);
    EXPECT_TRUE(outcome.output.values.empty());
  }
}

TEST(ConvolutionKernel, WritesZerosWithoutInputChannels) {
  for (const char* dtype : {"f32", "bf16"}) {
    Values values = sizes(3, 5, 4, 0, 130, 3, 1, 1);
    values["dtype"] = dtype;
    const Kernel kernel = convolution(values);
    const std::vector<double> found = run_kernel(the_tpu_v3(), kernel, random_inputs_of(kernel, 17)).output.values;
    EXPECT_EQ(found, std::vector<double>(3 * 5 * 4 * 130, 0.0));
  }
}

TEST(ConvolutionKernel, PutsWindowsOverNothingButPadding) {
  expect_the_reference(sizes(8, 3, 3, 20, 20, 2, 1, 4), 30);
  expect_the_reference(sizes(1, 2, 17, 20, 20, 2, 1, 5), 31);
  expect_the_reference(sizes(1, 3, 9, 130, 20, 3, 2, 7), 32);
  expect_the_reference(sizes(2, 5, 16, 3, 20, 4, 1, 63), 33);
  expect_the_reference(sizes(2, 1, 1, 1, 1, 1, 3, 1), 34);
}

TEST(ConvolutionKernel, MakesTilesOfNothingButPadding) {
  base::Config config = hw::machine_file("tpu-v3");
  config.set("core.vmem=1 MiB");
  const TargetMachine small = read_target(config);
  for (const Values& values :
       {sizes(8, 3, 2, 9, 2, 1, 1, 14), sizes(1, 4, 9, 9, 2, 2, 1, 60), sizes(1, 4, 9, 3, 2, 2, 1, 60)}) {
    EXPECT_GT(convolution(values, small).tile_op.runs.size(), 2U);
    expect_the_reference(values, 35, small);
  }
}

/// Infinite weights times the zeros around it are NaN.
TEST(ConvolutionKernel, MultipliesThePaddingOfAnEmptyImage) {
  for (const char* dtype : {"f32", "bf16"}) {
    for (Values values : {sizes(8, 0, 3, 20, 20, 3, 1, 2), sizes(3, 9, 0, 130, 3, 3, 2, 3),
                          sizes(1, 0, 20, 3, 20, 4, 1, 4), sizes(1, 3, 0, 3, 20, 4, 1, 4)}) {
      values["dtype"] = dtype;
      expect_the_reference(values, 36, the_tpu_v3(), true);
    }
  }
}

TEST(ConvolutionKernel, AgreesWithTheReferenceOnSizesAboutZero) {
  std::mt19937 random(37);
  const auto between = [&](int least, int most) { return least + int(random() % std::uint32_t(most - least + 1)); };
  for (std::uint32_t i = 0; i < 20; ++i) {
    Values values = sizes(between(0, 3), between(0, 3), between(0, 3), between(0, 3), between(0, 3), between(1, 4),
                          between(1, 3), between(0, 4));
    values["dtype"] = random() % 2 == 0 ? "f32" : "bf16";
    expect_the_reference(values, i);
  }
}

TEST(ConvolutionKernel, RefusesWhatSmemOrVmemCannotHold) {
  EXPECT_THROW(convolution(sizes(1, 7, 7, 8192, 8192, 7, 1, 3)), base::InputError);
}

}  // namespace
}  // namespace podsim::sw::codegen::families::matrix
