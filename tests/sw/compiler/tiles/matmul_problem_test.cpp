// SPDX-License-Identifier: Apache-2.0
#include "sw/compiler/tiles/matmul_problem.h"

#include <gtest/gtest.h>

#include <tuple>

#include "hlo/build/graph_builder.h"

namespace podsim::sw::compiler::tiles {
namespace {

constexpr std::int64_t array_side = 128;

hw::parts::mxu::Parameters unit_of_128() {
  hw::parts::mxu::Parameters unit;
  unit.size = array_side;
  unit.count = 2;
  unit.weight_rows = 1;
  return unit;
}

/// Time in microseconds of two 128 x 128 arrays at 940 MHz for the problem, without start-up.
double microseconds(const MatmulProblem& problem) {
  const std::int64_t load = problem.depth == 0 ? array_side : problem.depth;
  return double(problem.weight_tiles(array_side)) * double(std::max<std::int64_t>(problem.rows, load)) / 2 / 940.0;
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

MatmulProblem problem_of_dot(const hlo::Shape& lhs, const hlo::Shape& rhs, const hlo::DotDimensions& roles,
                             std::vector<int> result_layout) {
  hlo::build::GraphBuilder b("dot");
  const hlo::InstructionId x = b.parameter(lhs, "x"), y = b.parameter(rhs, "y");
  hlo::Instruction dot = b[b.dot(x, y, roles)];
  dot.shape.minor_to_major = std::move(result_layout);
  return matmul_problem(dot, lhs, rhs, unit_of_128());
}

hlo::Shape bf16_array(std::vector<std::int64_t> sizes, std::vector<int> layout = {}) {
  hlo::Shape shape = hlo::make_shape(hlo::ElementType::bf16, std::move(sizes));
  shape.minor_to_major = std::move(layout);
  return shape;
}

// The interactions of MLPerf DLRM. A tile of 27 columns is pushed transposed, in four registers of eight columns, which
// take twice their 32 cycles: 4.4 us, where full tiles would take 8.7 us. Measured with their traffic of some 8
// us, 11.8 us from rows in a major dimension and 13.4 us.
TEST(MatmulProblem, ATileOfFewColumnsIsPushedInFewRegisters) {
  const hlo::DotDimensions roles{.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {2}, .rhs_contracting = {2}};
  const MatmulProblem problem =
      problem_of_dot(bf16_array({128, 27, 128}), bf16_array({128, 27, 128}), roles, {2, 1, 0});
  EXPECT_EQ(problem.weight_tiles(array_side), 128);
  EXPECT_NEAR(microseconds(problem), 128.0 * 2 * 32 / 2 / 940, 0.01);
  EXPECT_EQ(problem.moved_lane_rows, 0);
  const hlo::Shape major_rows = bf16_array({128, 27, 128}, {2, 0, 1});
  EXPECT_EQ(problem_of_dot(major_rows, major_rows, roles, {2, 1, 0}).moved_lane_rows, 128 * 27);
}

// Gradients of ROI align in MLPerf Mask R-CNN: products of depth 7 and 14 for every row of pixels of a region. The
// measured time of the whole op, mostly that of its traffic, is above the matrix time of a tile's rows and below that
// of full tiles.
TEST(MatmulProblem, AShallowTileLoadsItsRowsAlone) {
  struct Case {
    std::int64_t regions, side, columns;
    double measured_us;
  };
  for (const Case& c : {Case{512, 7, 13, 499.5}, Case{512, 7, 21, 656.4}, Case{512, 7, 42, 1072.3},
                        Case{128, 14, 13, 345.9}, Case{128, 14, 42, 628.1}}) {
    MatmulProblem problem = problem_of_dot(
        bf16_array({4, c.regions, c.side, c.side, 256}), bf16_array({4, c.regions, c.side, c.columns}),
        {.lhs_batch = {0, 1}, .rhs_batch = {0, 1}, .lhs_contracting = {2}, .rhs_contracting = {2}}, {3, 4, 2, 1, 0});
    EXPECT_LT(microseconds(problem), c.measured_us) << c.side << " x " << c.columns;
    problem.depth = array_side;
    EXPECT_GT(microseconds(problem), c.measured_us) << c.side << " x " << c.columns;
  }
}

// Forward ROI align of the same run: the image's rows are contracted, which are a major dimension. A row of 128 lanes
// into a weight tile at a time, with regions of 7 padded to 8 rows. Measured 1.0 to 1.2 cycles a row.
TEST(MatmulProblem, WeightsOfAMajorDimensionAreCollectedRowByRow) {
  struct Case {
    std::int64_t height, regions, side, padded_side;
    double measured_us;
  };
  for (const Case& c : {Case{336, 512, 7, 8, 13453}, Case{168, 512, 7, 8, 6834}, Case{84, 512, 7, 8, 3540},
                        Case{208, 512, 7, 8, 8433}, Case{336, 128, 14, 16, 5996}, Case{168, 128, 14, 16, 3054}}) {
    const MatmulProblem problem = problem_of_dot(
        bf16_array({4, c.height, 256, c.regions, c.side}, {2, 4, 3, 1, 0}),
        bf16_array({4, c.regions, c.side, c.height}),
        {.lhs_batch = {0, 3}, .rhs_batch = {0, 1}, .lhs_contracting = {1}, .rhs_contracting = {3}}, {2, 3, 4, 1, 0});
    EXPECT_EQ(problem.moved_lane_rows, 4 * c.height * c.regions * c.padded_side * 2);
    const double cycles_per_row = c.measured_us * 940 / double(problem.moved_lane_rows);
    EXPECT_GT(cycles_per_row, 1.0);
    EXPECT_LT(cycles_per_row, 1.25);
  }
}

// The product before it: 7 rows of a region stream as the 8 of their tile. Measured 15861 us with the results'
// rounding.
TEST(MatmulProblem, RowsOfTheResultStreamWithTheirPadding) {
  const MatmulProblem problem = problem_of_dot(
      bf16_array({4, 208, 336, 256}, {3, 0, 2, 1}), bf16_array({4, 512, 7, 208}),
      {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {1}, .rhs_contracting = {3}}, {2, 4, 3, 1, 0});
  EXPECT_EQ(problem.rows, 512 * 8);
  EXPECT_NEAR(microseconds(problem), 4.0 * 336 * 2 * 2 * 512 * 8 / 2 / 940, 1);
}

// New keys of a decoder, one position of each sequence, which go to a cache with positions in the sublanes. A register
// of the result has eight sequences, and each of its rows goes to another layout tile: 512 stores, where a register for
// each sequence would stream 1024 rows past 128 weight tiles.
TEST(MatmulProblem, ARowOfEachSequenceIsMovedRatherThanPadded) {
  const auto keys = [](std::int64_t sequences, std::int64_t width, std::int64_t columns) {
    return problem_of_dot(bf16_array({sequences, 1, width}), bf16_array({width, columns}),
                          {.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {2}, .rhs_contracting = {0}},
                          {2, 1, 0});
  };
  EXPECT_EQ(keys(128, 4096, 512).rows, 128);
  EXPECT_EQ(keys(128, 4096, 512).moved_output_rows, 128 * 512 / 128);
  // Eight sequences stream in less time than the weights behind them are loaded.
  EXPECT_EQ(keys(8, 4096, 512).rows, 8 * 8);
  EXPECT_EQ(keys(8, 4096, 512).moved_output_rows, 0);
}

// Two operands with the contraction in major dimensions, images of 13 x 21 and 26 x 42 pixels: the matrix time is
// hidden by that of collecting the rows of the images.
TEST(MatmulProblem, ProductsOfFewRowsTakeTheTimeToCollectTheirWeights) {
  struct Case {
    std::int64_t rows, columns, padded_columns;
    double measured_us;
  };
  for (const Case& c : {Case{26, 42, 48, 1583}, Case{42, 26, 32, 1012}, Case{13, 21, 24, 788}, Case{21, 13, 16, 512}}) {
    const MatmulProblem problem = problem_of_dot(
        bf16_array({4, 512, 7, 256, c.columns}, {3, 4, 2, 1, 0}), bf16_array({4, 512, 7, c.rows}),
        {.lhs_batch = {0}, .rhs_batch = {0}, .lhs_contracting = {1, 2}, .rhs_contracting = {1, 2}}, {1, 3, 2, 0});
    EXPECT_EQ(problem.moved_lane_rows, 4 * 512 * 7 * c.padded_columns * 2);
    EXPECT_EQ(problem.stationary.column_products(), c.columns);
    const double cycles_per_row = c.measured_us * 940 / double(problem.moved_lane_rows);
    EXPECT_GT(cycles_per_row, 1.0);
    EXPECT_LT(cycles_per_row, 1.1);
  }
}

TEST(MatmulProblem, WeightsThatAreReadAsTheyLieAreNotInPieces) {
  const MatmulProblem plain =
      problem_of_dot(bf16_array({4096, 512}), bf16_array({4096, 1024}),
                     {.lhs_batch = {}, .rhs_batch = {}, .lhs_contracting = {0}, .rhs_contracting = {0}}, {1, 0});
  EXPECT_EQ(plain.stationary, StridedOperand{});
  EXPECT_EQ(plain.moved_lane_rows, 0);
}

// Kernel gradients of 3 x 3 x 256 x 256 in MLPerf Mask R-CNN, batch 4, with the batch in the sublanes of both images or
// with pixels in those of the gradient, which takes 224 and 495 us longer: 1.5 and 0.8 cycles for each of its rows.
TEST(MatmulProblem, RowsOfAnImageWithOtherSublanesMove) {
  const auto moved = [](std::int64_t height, std::int64_t width, std::vector<int> gradient_layout) {
    hlo::build::GraphBuilder b("gradient");
    const hlo::InstructionId x = b.parameter(bf16_array({4, height, width, 256}, {3, 0, 2, 1}), "x");
    const hlo::InstructionId y = b.parameter(bf16_array({4, height, width, 256}, std::move(gradient_layout)), "y");
    const hlo::WindowDimension h{.size = height, .padding_low = 1, .padding_high = 1};
    const hlo::WindowDimension w{.size = width, .padding_low = 1, .padding_high = 1};
    const hlo::InstructionId k = b.convolution(x, y, {h, w}, hlo::build::convolution_dimensions("f01b_i01o->01bf"));
    return matmul_problem(b[k], b.shape(x), b.shape(y), unit_of_128()).moved_lane_rows;
  };
  EXPECT_EQ(moved(104, 168, {3, 0, 2, 1}), 0);
  EXPECT_EQ(moved(104, 168, {3, 1, 2, 0}), 4 * 104 * 168 * 2);
  for (const auto& [height, width, longer_us] : {std::tuple{104, 168, 224.0}, std::tuple{208, 336, 495.0}}) {
    const double cycles_per_row = longer_us * 940 / double(moved(height, width, {3, 1, 2, 0}));
    EXPECT_GT(cycles_per_row, 0.5 * 1.0);
    EXPECT_LT(cycles_per_row, 2.0 * 1.0);
  }
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
