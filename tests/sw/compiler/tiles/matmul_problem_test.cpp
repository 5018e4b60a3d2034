// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/matmul_problem.h"

#include <gtest/gtest.h>

#include "hlo/build/graph_builder.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr std::int64_t array_side = 128;

hw::parts::mxu::Parameters unit_of_128() {
  hw::parts::mxu::Parameters unit;
  unit.size = array_side;
  return unit;
}

/// Time in microseconds of two 128 x 128 arrays at 940 MHz for the problem, without start-up.
double microseconds(const MatmulProblem& problem) {
  return double(problem.weight_tiles(array_side)) * double(std::max<std::int64_t>(problem.rows, array_side)) / 2 /
         940.0;
}

struct Convolution {
  std::int64_t batch, size, in, out, window, stride;
  std::vector<int> output_layout;
  std::vector<int> input_layout = {};
};

MatmulProblem problem_of(const Convolution& c) {
  hlo::build::GraphBuilder b("convolution");
  hlo::Shape input = hlo::make_shape(hlo::ElementType::bf16, {c.batch, c.size, c.size, c.in});
  input.minor_to_major = c.input_layout;
  hlo::InstructionId x = b.parameter(std::move(input), "x");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {c.window, c.window, c.in, c.out}), "k");
  std::int64_t pad = (c.window - 1) / 2;
  hlo::WindowDimension w{.size = c.window, .stride = c.stride, .padding_low = pad, .padding_high = pad};
  hlo::InstructionId y = b.convolution(x, k, {w, w}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  hlo::Instruction convolution = b[y];
  convolution.shape.minor_to_major = c.output_layout;
  return matmul_problem(convolution, b.shape(x), b.shape(k), unit_of_128());
}

const std::vector<int> feature_in_lanes{3, 0, 2, 1};
const std::vector<int> batch_in_lanes{0, 3, 2, 1};

// First of two measurements of MLPerf ResNet-50 on TPU v3: a 3x3 convolution of 64 channels, batch 128, 56 x 56 pixels,
// takes 961 us of padded matrix time (1004 us measured). The contraction pads 64 to 128, and the lanes hold the batch.
TEST(MatmulProblem, SixtyFourChannelsWasteOnlyTheContractionWhenTheBatchIsInTheLanes) {
  EXPECT_NEAR(microseconds(problem_of({128, 56, 64, 64, 3, 1, batch_in_lanes})), 961, 1);
  EXPECT_NEAR(microseconds(problem_of({128, 56, 64, 64, 3, 1, feature_in_lanes})), 2 * 961 * 6.0 / 9, 2)
      << "three taps of a row of the window share two tiles";
}

TEST(MatmulProblem, AFullConvolutionTakesItsArithmeticAtPeak) {
  double macs = 128.0 * 28 * 28 * 9 * 128 * 128;
  EXPECT_NEAR(microseconds(problem_of({128, 28, 128, 128, 3, 1, feature_in_lanes})), macs / (2 * 128 * 128 * 940.0),
              0.1);
}

// 64 channels in the lanes, batch 16, 75 x 75 pixels: three taps of a row of the window share two tiles. Measured 384
// us in MLPerf SSD, where tiles of single taps would take 431 us.
TEST(MatmulProblem, TapsOfChannelsInHalfTheLanesShareTiles) {
  const MatmulProblem problem = problem_of({16, 75, 64, 64, 3, 1, feature_in_lanes, feature_in_lanes});
  EXPECT_EQ(problem.contraction_tiles, 3 * 2);
  EXPECT_EQ(problem.row_rotations, 16 * 75 * 75 / 8) << "the second tap in a tile is rotated to its lanes";
  EXPECT_LT(microseconds(problem), 384);
  // A stride of two would save fewer rows than it rotates.
  const MatmulProblem strided = problem_of({16, 75, 64, 128, 3, 2, feature_in_lanes, feature_in_lanes});
  EXPECT_EQ(strided.contraction_tiles, 9);
  EXPECT_EQ(strided.row_rotations, 0);
  // 24 channels: a row of the window is one tile. Measured 52 us; single taps would take 111 us.
  EXPECT_EQ(problem_of({16, 19, 24, 512, 3, 1, feature_in_lanes, feature_in_lanes}).contraction_tiles, 3);
}

// The first convolution of MLPerf SSD: three channels, batch 16 in the lanes, 300 x 300 pixels, 3152 us. Its matrix
// time is that of a full batch of 128; a block of 64 x 16 results is transposed for every pixel.
TEST(MatmulProblem, ASmallBatchBesideFewChannelsFillsTheLanesLikeALargeOne) {
  const MatmulProblem small = problem_of({16, 300, 3, 64, 7, 2, feature_in_lanes, batch_in_lanes});
  EXPECT_EQ(microseconds(small), microseconds(problem_of({128, 300, 3, 64, 7, 2, batch_in_lanes, batch_in_lanes})));
  EXPECT_EQ(small.output_transposes, 150 * 150 * 8) << "eight registers of pairs for a pixel";
  EXPECT_EQ(problem_of({16, 300, 3, 64, 7, 2, batch_in_lanes, batch_in_lanes}).output_transposes, 0);
}

/// The kernel gradient of a 3 x 3 convolution, with the input features in the lanes of the result.
MatmulProblem gradient_of(std::int64_t batch, std::int64_t size, std::int64_t in, std::int64_t out) {
  hlo::build::GraphBuilder b("gradient");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {batch, size, size, in}), "x");
  hlo::InstructionId g = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {batch, size, size, out}), "g");
  hlo::WindowDimension w{.size = size, .padding_low = 1, .padding_high = 1};
  hlo::InstructionId y = b.convolution(x, g, {w, w}, hlo::build::convolution_dimensions("f01b_i01o->01bf"));
  hlo::Instruction convolution = b[y];
  convolution.shape.minor_to_major = {2, 3, 1, 0};
  return matmul_problem(convolution, b.shape(x), b.shape(g), unit_of_128());
}

// Kernel gradients of MLPerf SSD with channels in the lanes: 122 us for 512 to 24 channels on 19 x 19 pixels, 250 us
// for 256 to 16 on 38 x 38. Each of nine taps loads its own weight tiles, 128 rows each.
TEST(MatmulProblem, EveryTapOfAKernelGradientLoadsItsTilesOverBatchAndPixels) {
  EXPECT_NEAR(microseconds(gradient_of(16, 19, 512, 24)), 9.0 * 46 * 4 * 128 / 2 / 940, 0.1);
  EXPECT_NEAR(microseconds(gradient_of(16, 19, 512, 24)), 122, 0.1 * 122);
  EXPECT_NEAR(microseconds(gradient_of(16, 38, 256, 16)), 250, 0.15 * 250);
}

TEST(MatmulProblem, TapsOfThreeChannelsArePackedIntoOneContraction) {
  MatmulProblem problem = problem_of({128, 224, 3, 64, 7, 2, feature_in_lanes});
  EXPECT_EQ(problem.contraction_tiles, 2) << "7 x 7 x 3 = 147 values in two tiles of 128";
}

TEST(MatmulProblem, StridedInputGradientsSkipTheHolesOfTheDilatedInput) {
  hlo::build::GraphBuilder b("gradient");
  hlo::InstructionId g = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 14, 14, 256}), "g");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {3, 3, 256, 128}), "k");
  hlo::WindowDimension w{.size = 3, .padding_low = 1, .padding_high = 2, .base_dilation = 2};
  hlo::InstructionId y = b.convolution(g, k, {w, w}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  ASSERT_EQ(b.shape(y).dimensions, (std::vector<std::int64_t>{128, 28, 28, 128}));
  MatmulProblem problem = matmul_problem(b[y], b.shape(g), b.shape(k), unit_of_128());
  // The forward convolution's multiply-accumulates: 14 x 14 outputs, nine taps each.
  double macs = 128.0 * 14 * 14 * 9 * 128 * 256;
  EXPECT_NEAR(microseconds(problem), macs / (2 * 128 * 128 * 940.0), 0.1);
}

TEST(MatmulProblem, BatchedSmallDotsCostAFullTileEach) {
  hlo::build::GraphBuilder b("dot");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 27, 128}), "x");
  hlo::InstructionId y = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {128, 27, 128}), "y");
  hlo::InstructionId z =
      b.dot(x, y, {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {2}, .rhs_contracting = {2}});
  MatmulProblem problem = matmul_problem(b[z], b.shape(x), b.shape(y), unit_of_128());
  EXPECT_EQ(problem.weight_tiles(array_side), 128);
  // 8.7 us: the measured DLRM interaction takes 14.6 to 18.4 us with its traffic, against 0.4 us unpadded.
  EXPECT_NEAR(microseconds(problem), 8.7, 0.1);
}

TEST(MatmulProblem, AStridedPointwiseConvolutionReadsEverySecondRowOfPixels) {
  hlo::build::GraphBuilder b("strided");
  hlo::InstructionId x = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {8, 4, 4, 16}), "x");
  hlo::InstructionId k = b.parameter(hlo::make_shape(hlo::ElementType::bf16, {1, 1, 16, 16}), "k");
  hlo::WindowDimension w{.stride = 2};
  hlo::InstructionId y = b.convolution(x, k, {w, w}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  EXPECT_DOUBLE_EQ(input_share_read(b[y], b.shape(x)), 0.5);
}

}  // namespace
}  // namespace podsim::sw::compiler::tiles
