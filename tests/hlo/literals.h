// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/literal.h"

/// Literals for tests of the graph.
namespace podsim::hlo::testing {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

inline Literal make_literal(ElementType type, std::vector<std::int64_t> sizes, std::vector<double> values) {
  EXPECT_EQ(make_shape(type, sizes).element_count(), std::int64_t(values.size()));
  for (double& value : values) value = round_to(type, value);
  return {make_shape(type, std::move(sizes)), std::move(values), {}};
}

inline bool same_bits(const Literal& a, const Literal& b) {
  const auto same = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return std::ranges::equal(a.values, b.values, same) && std::ranges::equal(a.elements, b.elements, same_bits);
}

/// The result of an infeed of `data`: the data and an HLO token.
inline Literal fed(const Instruction& infeed, Literal data) {
  return {infeed.shape, {}, {std::move(data), make_zeros(infeed.shape.tuple_shapes[1])}};
}

/// Uniform in [low, high), equal for equal seeds.
inline Literal random_literal(const Shape& shape, unsigned seed, double low = -1, double high = 1) {
  std::mt19937 generator(seed);
  Literal literal{shape, {}, {}};
  for (std::int64_t i = 0; i < shape.element_count(); ++i) {
    const double unit = double(generator()) / 4294967296.0;
    literal.values.push_back(round_to(shape.element_type, low + (high - low) * unit));
  }
  return literal;
}

/// A random permutation of 0, 1, ... scaled into [0, 1): no two elements are equal or close.
inline Literal distinct_literal(const Shape& shape, unsigned seed) {
  Literal literal{shape, {}, {}};
  const std::int64_t count = shape.element_count();
  for (std::int64_t i = 0; i < count; ++i) literal.values.push_back(double(i) / double(count));
  std::mt19937 generator(seed);
  for (std::int64_t i = count - 1; i > 0; --i) std::swap(literal.values[i], literal.values[generator() % (i + 1)]);
  return literal;
}

inline void expect_near(const Literal& actual, const Literal& expected, double relative, double absolute = 1e-12) {
  ASSERT_TRUE(actual.shape.compatible(expected.shape)) << to_string(actual.shape) << " " << to_string(expected.shape);
  for (std::size_t i = 0; i < actual.values.size(); ++i) {
    ASSERT_NEAR(actual.values[i], expected.values[i], absolute + relative * std::abs(expected.values[i])) << "at " << i;
  }
}

inline WindowDimension window(std::int64_t size, std::int64_t stride = 1, std::int64_t low = 0, std::int64_t high = 0) {
  WindowDimension dimension;
  dimension.size = size;
  dimension.stride = stride;
  dimension.padding_low = low;
  dimension.padding_high = high;
  return dimension;
}

}  // namespace podsim::hlo::testing
