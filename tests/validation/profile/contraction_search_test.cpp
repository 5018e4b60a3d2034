// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/contraction_search.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "hlo/build/graph_builder.h"
#include "hlo/transform/flops.h"
#include "hlo/transform/formulas/convolution_gradient.h"
#include "validation/profile/dot_match.h"

// Operations with known roles, compared with the result of a search by shapes and FLOPs alone.
namespace podsim::validation::profile {
namespace {

hlo::Shape bf16(std::vector<std::int64_t> sizes) { return hlo::make_shape(hlo::ElementType::bf16, std::move(sizes)); }

Contraction found(std::vector<hlo::Shape> results, std::vector<hlo::Shape> operands, double flops) {
  const std::size_t count = operands.size();
  auto contraction = find_contraction({std::move(results), std::move(operands), std::vector<bool>(count, true)}, flops);
  EXPECT_TRUE(contraction.has_value());
  return contraction.value_or(Contraction{});
}

double macs(const Contraction& contraction) { return double(contraction.multiply_accumulates()); }

TEST(ContractionSearch, AProjectionIntoHeadsContractsTheFeatures) {
  // [b s d] x [d h k] -> [b s h k], with a bias and a normalisation.
  const double count = 32.0 * 512 * 1024 * 16 * 64;
  const Contraction c = found({bf16({32, 512, 16, 64})}, {bf16({16, 64}), bf16({1024, 16, 64}), bf16({32, 512, 1024})},
                              2 * count + 6 * 32 * 512 * 1024);
  EXPECT_EQ(macs(c), count);
  ASSERT_EQ(c.steps.size(), 1U);
  EXPECT_EQ(c.steps[0].lhs + c.steps[0].rhs, 1 + 2);
}

TEST(ContractionSearch, ScoresOfAttentionAreABatchOfProducts) {
  const double count = 32.0 * 16 * 512 * 512 * 64;
  const Contraction c = found({bf16({32, 16, 512, 512})}, {bf16({32, 512, 16, 64}), bf16({32, 512, 16, 64})},
                              2 * count + 32 * 16 * 512 * 512);
  EXPECT_EQ(macs(c), count);
  EXPECT_EQ(c.steps[0].hero.dot->lhs_batch.size(), 2U);
  EXPECT_EQ(c.steps[0].hero.dot->lhs_contracting, std::vector<int>{3});
}

TEST(ContractionSearch, TwoProductsInARowPassThroughTheScores) {
  const double each = 32.0 * 16 * 512 * 512 * 64;
  const Contraction c =
      found({bf16({32, 512, 16, 64})},
            {bf16({32, 512, 16, 64}), hlo::make_shape(hlo::ElementType::u32, {16, 512, 512}),
             hlo::make_shape(hlo::ElementType::f32, {32, 16, 512}), bf16({32, 512, 16, 64}), bf16({32, 512, 16, 64})},
            4 * each + 8 * 32 * 16 * 512 * 512);
  EXPECT_EQ(macs(c), 2 * each);
  ASSERT_EQ(c.steps.size(), 2U);
  EXPECT_EQ(c.steps[0].hero.shape.element_count(), 32 * 16 * 512 * 512);
}

TEST(ContractionSearch, AnOperandThatIsMadeInsideHasTheDepthOfTheOther) {
  // One-hot rows of two times a table of two.
  const Contraction c =
      found({bf16({16384, 1024})}, {hlo::make_shape(hlo::ElementType::f32, {2, 1024})}, 5.0 * 16384 * 1024);
  EXPECT_EQ(c.steps[0].lhs, made_inside);
  EXPECT_EQ(c.made_lhs.dimensions, (std::vector<std::int64_t>{16384, 2}));
}

// Rows of a table are unpacked by one-hot matrices of two index vectors. The optimised DLRM module has two products
// here, of 128 x 8 x 128 and 128 x 128 x 128, and XLA counts 4524032 FLOPs, element-wise ones included.
TEST(ContractionSearch, EveryVectorOfIndicesMakesAProduct) {
  const auto vector = [](hlo::ElementType type) { return hlo::make_shape(type, {128}); };
  const auto products = [&](std::vector<hlo::Shape> operands) {
    std::vector<bool> whole(operands.size(), true);
    whole.front() = false;  // a slice of the table
    const auto c = find_contraction({{bf16({128, 1, 128})}, std::move(operands), whole}, 4524032);
    EXPECT_TRUE(c.has_value());
    EXPECT_NEAR(c ? macs(*c) / (136.0 * 128 * 128) : 0, 1, 0.03);
    return c ? c->steps.size() : 0;
  };
  const hlo::Shape table = hlo::make_shape(hlo::ElementType::f32, {136, 896}), f32 = vector(hlo::ElementType::f32);
  const hlo::Shape indices = vector(hlo::ElementType::u32);
  EXPECT_EQ(products({table, f32, indices, indices}), 2U);
  EXPECT_EQ(products({table, f32, indices}), 1U);
  EXPECT_EQ(products({table, f32}), 1U);
  EXPECT_EQ(products({table, f32, indices, indices, indices, indices}), 3U) << "chains have at most three";
}

// Two layers of a residual block in one op, and the gradient of a kernel by the gradient that another kernel makes. XLA
// counts both products.
TEST(ContractionSearch, TwoConvolutionsInARowPassThroughTheirImage) {
  const double pixels = 16.0 * 38 * 38, inner = pixels * 9 * 64 * 64, outer = pixels * 64 * 256;
  const Contraction block =
      found({bf16({16, 38, 38, 256})},
            {bf16({16, 38, 38, 64}), bf16({3, 3, 64, 64}), bf16({1, 1, 64, 256}), bf16({16, 38, 38, 256})},
            2 * (inner + outer) + 4 * pixels * 256);
  ASSERT_EQ(block.steps.size(), 2U);
  EXPECT_EQ(block.steps[0].hero.shape.dimensions, (std::vector<std::int64_t>{16, 38, 38, 64}));
  EXPECT_NEAR(macs(block) / (inner + outer), 1, 0.04) << "taps in the padding are not counted";
  const double back = pixels * 9 * 128 * 64, kernel = pixels * 128 * 256;
  const Contraction gradient =
      found({bf16({1, 1, 256, 128})}, {bf16({16, 38, 38, 256}), bf16({16, 38, 38, 64}), bf16({3, 3, 128, 64})},
            2 * (back + kernel));
  ASSERT_EQ(gradient.steps.size(), 2U);
  EXPECT_TRUE(gradient.steps[1].lhs == earlier_result || gradient.steps[1].rhs == earlier_result);
  EXPECT_NEAR(macs(gradient) / (back + kernel), 1, 0.04);
}

TEST(ContractionSearch, IntegersAreNoFactors) {
  EXPECT_FALSE(find_contraction({{bf16({64, 64})},
                                 {hlo::make_shape(hlo::ElementType::s32, {64, 64}),
                                  hlo::make_shape(hlo::ElementType::s32, {64, 64})},
                                 {true, true}},
                                1000)
                   .has_value());
}

/// A convolution and its gradients in the form of the graph, and the shapes of the three arrays.
struct ConvolutionCase {
  std::int64_t batch, size, in, out, window, stride;
};

void expect_found(const hlo::Instruction& wanted, const hlo::Shape& lhs, const hlo::Shape& rhs,
                  const ConvolutionCase& c) {
  const auto count = double(hlo::transform::multiply_accumulates(wanted, lhs, rhs));
  const Contraction contraction = found({wanted.shape}, {lhs, rhs}, 2 * count * 1.001);
  RC_ASSERT(contraction.steps.size() == 1U);
  // Padding on the other side has other taps: a difference of about 1 %.
  RC_ASSERT(std::abs(macs(contraction) / count - 1) < 0.05);
  static_cast<void>(c);
}

// Forward, input gradient and kernel gradient, for windows and strides of real networks.
RC_GTEST_PROP(ContractionSearch, ConvolutionsAndTheirGradientsAreFoundWithTheirWork, ()) {
  ConvolutionCase c{*rc::gen::element<std::int64_t>(2, 8, 64),   *rc::gen::element<std::int64_t>(14, 28, 40),
                    *rc::gen::element<std::int64_t>(16, 48, 96), *rc::gen::element<std::int64_t>(20, 80, 160),
                    *rc::gen::element<std::int64_t>(1, 3, 5),    *rc::gen::element<std::int64_t>(1, 2)};
  const std::int64_t positions = (c.size + c.stride - 1) / c.stride;
  const std::int64_t padding = std::max<std::int64_t>(0, (positions - 1) * c.stride + c.window - c.size);
  hlo::WindowDimension window{
      .size = c.window, .stride = c.stride, .padding_low = padding / 2, .padding_high = padding - padding / 2};
  hlo::build::GraphBuilder b("convolution");
  const hlo::InstructionId image = b.parameter(bf16({c.batch, c.size, c.size, c.in}), "image");
  const hlo::InstructionId kernel = b.parameter(bf16({c.window, c.window, c.in, c.out}), "kernel");
  const hlo::InstructionId forward =
      b.convolution(image, kernel, {window, window}, hlo::build::convolution_dimensions("b01f_01io->b01f"));
  const hlo::InstructionId gradient = b.parameter(b.shape(forward), "gradient");
  const hlo::Instruction instruction = b[forward];
  const hlo::InstructionId input_gradient =
      hlo::transform::formulas::convolution_input_gradient(b, instruction, gradient);
  const hlo::InstructionId kernel_gradient =
      hlo::transform::formulas::convolution_kernel_gradient(b, instruction, gradient);
  expect_found(b[forward], b.shape(image), b.shape(kernel), c);
  expect_found(b[input_gradient], b.shape(gradient), b.shape(kernel), c);
  expect_found(b[kernel_gradient], b.shape(image), b.shape(gradient), c);
}

TEST(DotMatch, SharesOutADimensionThatAllHaveAsBatch) {
  const auto dots = matching_dots(bf16({8, 32, 64}), bf16({8, 32, 16}), bf16({8, 16, 64}));
  ASSERT_EQ(dots.size(), 1U);
  EXPECT_EQ(dots[0].dot->lhs_batch, std::vector<int>{0});
  EXPECT_EQ(dots[0].dot->lhs_contracting, std::vector<int>{2});
  EXPECT_EQ(dots[0].dot->rhs_contracting, std::vector<int>{1});
  EXPECT_EQ(dots[0].shape.dimensions, (std::vector<std::int64_t>{8, 32, 64}));
}

TEST(DotMatch, KeepsTheLayoutOfAResultInAnotherOrder) {
  hlo::Shape result = bf16({32, 512, 16, 64});
  result.minor_to_major = {1, 3, 2, 0};
  const auto dots = matching_dots(result, bf16({1024, 16, 64}), bf16({32, 512, 1024}));
  ASSERT_EQ(dots.size(), 1U);
  const hlo::Shape& shape = dots[0].shape;
  EXPECT_EQ(shape.dimensions[shape.minor_dimension(0)], 512) << "the sequence has the lanes";
}

TEST(DotMatch, AnOperandMadeInsideHasTheLayoutWithTheLeastPadding) {
  const auto half = matching_half(bf16({4, 336, 208, 256}), bf16({4, 512, 7, 208, 256}));
  ASSERT_TRUE(half.has_value());
  ASSERT_EQ(half->lhs.dimensions, (std::vector<std::int64_t>{336, 512, 7}));
  hlo::Shape other = half->lhs;
  std::vector<int> order{0, 1, 2};
  do {
    other.minor_to_major = order;
    EXPECT_LE(hlo::padded_bytes(half->lhs), hlo::padded_bytes(other));
  } while (std::ranges::next_permutation(order).found);
}

TEST(DotMatch, UnrelatedShapesHaveNone) {
  EXPECT_TRUE(matching_dots(bf16({7, 9}), bf16({7, 5}), bf16({3, 9})).empty());
}

}  // namespace
}  // namespace podsim::validation::profile
