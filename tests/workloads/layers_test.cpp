// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers.h"
#include "tests/hlo/element_types.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hlo/eval/evaluator.h"
#include "tests/workloads/tiny.h"

namespace podsim::workloads {
namespace {

using hlo::InstructionId;
using hlo::Literal;
using hlo::build::GraphBuilder;
using hlo::testing::make_literal;
using hlo::testing::random_literal;

using hlo::testing::f64;

// The oracle is the norm of each group's images alone.
TEST(Layers, BatchNormOfGroupsIsThatOfEachGroup) {
  const hlo::Shape all = hlo::make_shape(hlo::ElementType::f64, {6, 3, 2, 4});
  const hlo::Shape part = hlo::make_shape(hlo::ElementType::f64, {2, 3, 2, 4});
  const auto module_of = [](const hlo::Shape& shape, std::int64_t groups) {
    hlo::build::GraphBuilder b("test");
    Layers layers(b, testing::double_precision(), groups);
    const hlo::InstructionId y = layers.batch_norm(b.parameter(shape, "x"));
    return std::move(b).build(y);
  };
  const hlo::Literal x = hlo::testing::random_literal(all, 1, -2, 3);
  const hlo::Shape channels = hlo::make_shape(hlo::ElementType::f64, {4});
  const hlo::Literal gamma = hlo::testing::random_literal(channels, 2, 0.5, 2);
  const hlo::Literal beta = hlo::testing::random_literal(channels, 3);
  const hlo::Literal y = hlo::eval::evaluate(module_of(all, 3), std::vector{x, gamma, beta});
  for (std::size_t group = 0; group < 3; ++group) {
    const auto size = std::ptrdiff_t(part.element_count());
    const auto begin = std::ptrdiff_t(group) * size;
    const hlo::Literal images{part, {x.values.begin() + begin, x.values.begin() + begin + size}, {}};
    const hlo::Literal alone = hlo::eval::evaluate(module_of(part, 1), std::vector{images, gamma, beta});
    for (std::ptrdiff_t i = 0; i < size; ++i) {
      EXPECT_NEAR(y.values[std::size_t(begin + i)], alone.values[std::size_t(i)], 1e-12);
    }
  }
}

TEST(Layers, BatchNormGivesEveryChannelMeanBetaAndDeviationGamma) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(f64, {4, 5, 5, 2}), "x");
  Layers layers(b, testing::double_precision());
  const hlo::Module module = std::move(b).build(layers.batch_norm(x));
  const hlo::Literal result =
      hlo::eval::evaluate(module, std::vector{hlo::testing::random_literal(hlo::make_shape(f64, {4, 5, 5, 2}), 1, 3, 9),
                                              hlo::testing::make_literal(f64, {2}, {2, 0.5}),
                                              hlo::testing::make_literal(f64, {2}, {-1, 7})});
  for (std::size_t channel = 0; channel < 2; ++channel) {
    double sum = 0, squares = 0;
    for (std::size_t i = channel; i < 200; i += 2) sum += result.values[i];
    const double mean = sum / 100;
    for (std::size_t i = channel; i < 200; i += 2) squares += (result.values[i] - mean) * (result.values[i] - mean);
    EXPECT_NEAR(mean, channel == 0 ? -1 : 7, 1e-9);
    EXPECT_NEAR(std::sqrt(squares / 100), channel == 0 ? 2 : 0.5, 1e-4);
  }
}

// The oracle is the convolution over the image itself.
TEST(Layers, ConvolutionOfBlocksIsThatOfTheImage) {
  constexpr std::int64_t rows = 6, columns = 8, channels = 3, filters = 2;
  for (const std::int64_t size : {3, 5, 7}) {
    const auto module_of = [&](bool in_blocks) {
      hlo::build::GraphBuilder b("test");
      Layers layers(b, testing::double_precision());
      InstructionId x = b.parameter(hlo::make_shape(f64, {2, rows, columns, channels}), "x");
      if (in_blocks) {
        const InstructionId apart = b.reshape(x, {2, rows / 2, 2, columns / 2, 2, channels});
        x = b.reshape(b.transpose(apart, {0, 1, 3, 2, 4, 5}), {2, rows / 2, columns / 2, 4 * channels});
      }
      const InstructionId y =
          in_blocks ? layers.convolution_of_blocks(x, filters, size) : layers.convolution(x, filters, size, 2);
      return std::move(b).build(y);
    };
    const std::vector<Literal> arguments{
        hlo::testing::random_literal(hlo::make_shape(f64, {2, rows, columns, channels}), 1),
        hlo::testing::random_literal(hlo::make_shape(f64, {size, size, channels, filters}), 2)};
    hlo::testing::expect_near(hlo::eval::evaluate(module_of(true), arguments),
                              hlo::eval::evaluate(module_of(false), arguments), 1e-12, 1e-12);
  }
}

// Every pixel of the image becomes a block, the sum over channels of the kernel, read in reverse.
TEST(Layers, TransposedConvolutionMakesABlockOfEveryPlace) {
  hlo::build::GraphBuilder b("test");
  Layers layers(b, testing::double_precision());
  const InstructionId x = b.parameter(hlo::make_shape(f64, {1, 2, 3, 2}), "x");
  const hlo::Module module = std::move(b).build(layers.transposed_convolution(x, 1, 2));
  const std::vector<Literal> arguments{hlo::testing::random_literal(hlo::make_shape(f64, {1, 2, 3, 2}), 1),
                                       hlo::testing::random_literal(hlo::make_shape(f64, {2, 2, 2, 1}), 2)};
  const Literal y = hlo::eval::evaluate(module, arguments);
  ASSERT_EQ(y.shape.dimensions, (std::vector<std::int64_t>{1, 4, 6, 1}));
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 6; ++column) {
      double sum = 0;
      for (std::size_t c = 0; c < 2; ++c) {
        const std::size_t tap = (1 - row % 2) * 2 + (1 - column % 2);
        sum += arguments[0].values[(row / 2 * 3 + column / 2) * 2 + c] * arguments[1].values[tap * 2 + c];
      }
      EXPECT_NEAR(y.values[row * 6 + column], sum, 1e-12);
    }
  }
}

TEST(Layers, SoftmaxCrossEntropyIsThatOfTheSmoothedDistribution) {
  hlo::build::GraphBuilder b("test");
  const InstructionId logits = b.parameter(hlo::make_shape(f64, {2, 3}), "logits");
  const InstructionId labels = b.parameter(hlo::make_shape(hlo::ElementType::s32, {2}), "labels");
  const hlo::Module module = std::move(b).build(softmax_cross_entropy(b, logits, labels, 0.1).value);
  const std::vector<double> z = {1, 2, 3, -500, 500, 0};
  const hlo::Literal result =
      hlo::eval::evaluate(module, std::vector{hlo::testing::make_literal(f64, {2, 3}, z),
                                              hlo::testing::make_literal(hlo::ElementType::s32, {2}, {2, 1})});
  const double denominator = std::exp(1) + std::exp(2) + std::exp(3);
  double expected = 0;
  for (int i = 0; i < 3; ++i) expected -= (i == 2 ? 0.9 + 0.1 / 3 : 0.1 / 3) * (z[i] - std::log(denominator));
  // The second row's softmax is 1 at its label to double precision.
  expected += 0.1 / 3 * 1000 + 0.1 / 3 * 500;
  EXPECT_NEAR(result.values[0], expected / 2, 1e-12 * expected);
}

TEST(Layers, MaxPoolPadsTheEndFirst) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(f64, {1, 4, 4, 1}), "x");
  Layers layers(b, testing::double_precision());
  const InstructionId y = layers.max_pool(x, 3, 2);
  EXPECT_EQ(b[y].window[1].padding_low, 0);
  EXPECT_EQ(b[y].window[1].padding_high, 1);
  EXPECT_EQ(b.shape(y).dimensions, (std::vector<std::int64_t>{1, 2, 2, 1}));
}

TEST(Layers, GlobalAveragePoolAndDense) {
  hlo::build::GraphBuilder b("test");
  const InstructionId x = b.parameter(hlo::make_shape(f64, {1, 2, 2, 1}), "x");
  Layers layers(b, testing::double_precision());
  const hlo::Module module = std::move(b).build(layers.dense(layers.global_average_pool(x), 2));
  const hlo::Literal result =
      hlo::eval::evaluate(module, std::vector{hlo::testing::make_literal(f64, {1, 2, 2, 1}, {1, 2, 3, 6}),
                                              hlo::testing::make_literal(f64, {1, 2}, {10, 100}),
                                              hlo::testing::make_literal(f64, {2}, {1, 2})});
  EXPECT_EQ(result.values, (std::vector<double>{31, 302}));
  EXPECT_EQ(layers.trained().size(), 2u);
  EXPECT_TRUE(layers.trained()[0].is_kernel);
  EXPECT_FALSE(layers.trained()[1].is_kernel);
}

}  // namespace
}  // namespace podsim::workloads
