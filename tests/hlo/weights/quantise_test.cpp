// SPDX-License-Identifier: Apache-2.0
#include "hlo/weights/quantise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/hlo/weights/dequantised.h"

namespace podsim::hlo::weights {
namespace {

const TypedWeight by_column{.scales = 1, .shared = {true, false}};
const TypedWeight in_groups{.scales = 1, .shared = {true, false}, .grouped_dimension = 0, .group = 4};

/// Columns of different magnitudes.
Literal matrix() {
  Literal weight = testing::random_literal(make_shape(ElementType::f32, {16, 6}), 7);
  for (std::size_t i = 0; i < weight.values.size(); ++i) weight.values[i] *= std::exp2(double(i % 6) - 3);
  return weight;
}

// A grid of integers has steps of 1, so that no value is more than half a scale from its weight.
TEST(Quantise, WholeNumbersDifferByAtMostHalfAStep) {
  for (const TypedWeight& typed : {by_column, in_groups}) {
    for (const ElementType type : {ElementType::s8, ElementType::s4}) {
      const Literal weight = matrix(), back = testing::dequantised(quantised(weight, typed, type), typed);
      const Quantised result = quantised(weight, typed, type);
      const double steps = type == ElementType::s8 ? 127 : 7;
      for (std::size_t i = 0; i < weight.values.size(); ++i) {
        double largest = 0;
        const std::size_t row = i / 6, column = i % 6, first = typed.group > 0 ? row / 4 * 4 : 0;
        for (std::size_t r = first; r < (typed.group > 0 ? first + 4 : 16); ++r) {
          largest = std::max(largest, std::abs(weight.values[r * 6 + column]));
        }
        // A scale is rounded to the 8 bits of bf16, by a 256th of it at most.
        EXPECT_LE(std::abs(back.values[i] - weight.values[i]), 0.5 * largest / steps * (1 + 1.0 / 128) + 1e-7) << i;
        EXPECT_LE(std::abs(result.values.values[i]), steps);
        EXPECT_EQ(result.values.values[i], std::round(result.values.values[i]));
      }
    }
  }
}

// Numbers of f8e4m3fn have three bits behind the point: neighbours differ by an eighth of their power of two.
TEST(Quantise, FloatsDifferByASixteenthOfTheirPowerOfTwo) {
  const Literal weight = matrix(),
                back = testing::dequantised(quantised(weight, by_column, ElementType::f8e4m3fn), by_column);
  const Quantised result = quantised(weight, by_column, ElementType::f8e4m3fn);
  for (std::size_t i = 0; i < weight.values.size(); ++i) {
    const double scale = result.scales.values[i % 6], value = std::abs(weight.values[i]) / scale;
    const double power = std::exp2(std::floor(std::log2(std::max(value, std::exp2(-6)))));
    EXPECT_LE(std::abs(back.values[i] - weight.values[i]), scale * power / 16 * (1 + 1.0 / 16)) << i;
  }
}

TEST(Quantise, ScalesAreThoseOfTheDimensionsThatDoNotShare) {
  EXPECT_EQ(quantised(matrix(), by_column, ElementType::s8).scales.shape.dimensions, (std::vector<std::int64_t>{6}));
  EXPECT_EQ(quantised(matrix(), in_groups, ElementType::s8).scales.shape.dimensions, (std::vector<std::int64_t>{4, 6}));
  const TypedWeight all{.scales = 1, .shared = {true, true}};
  EXPECT_TRUE(quantised(matrix(), all, ElementType::s8).scales.shape.dimensions.empty());
}

TEST(Quantise, ZerosStayZero) {
  const Quantised zeros = quantised(make_zeros(make_shape(ElementType::f32, {16, 6})), by_column, ElementType::s4);
  EXPECT_TRUE(std::ranges::all_of(zeros.values.values, [](double value) { return value == 0; }));
  EXPECT_TRUE(std::ranges::all_of(zeros.scales.values, [](double scale) { return scale == 1; }));
}

}  // namespace
}  // namespace podsim::hlo::weights
