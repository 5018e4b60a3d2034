// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/cumulative.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"

namespace podsim::hlo::expanders {
namespace {

/// Windows of the whole second dimension of [rows, length, columns].
struct CumulativeCase {
  std::int64_t rows = 1, length = 1, columns = 1;
  bool from_front = true, maximum = false;
};

Module cumulative_module(const CumulativeCase& of) {
  build::GraphBuilder b("m");
  const InstructionId x = b.parameter(make_shape(ElementType::f64, {of.rows, of.length, of.columns}), "x");
  std::vector<WindowDimension> window(3);
  window[1].size = of.length;
  (of.from_front ? window[1].padding_low : window[1].padding_high) = of.length - 1;
  const InstructionId root = of.maximum ? b.reduce_window_max(x, window) : b.reduce_window_add(x, window);
  return std::move(b).build(root);
}

/// Sums or maxima of what is before each element, or behind it, one after another.
std::vector<double> one_after_another(const CumulativeCase& of, const std::vector<double>& x) {
  std::vector<double> result = x;
  for (std::int64_t row = 0; row < of.rows; ++row) {
    for (std::int64_t column = 0; column < of.columns; ++column) {
      const auto at = [&](std::int64_t i) {
        return std::size_t((row * of.length + (of.from_front ? i : of.length - 1 - i)) * of.columns + column);
      };
      for (std::int64_t i = 1; i < of.length; ++i) {
        result[at(i)] = of.maximum ? std::max(result[at(i - 1)], x[at(i)]) : result[at(i - 1)] + x[at(i)];
      }
    }
  }
  return result;
}

std::int64_t longest_window(const Module& module) {
  std::int64_t longest = 0;
  for (const Instruction& instruction : module.entry_computation().instructions) {
    for (const WindowDimension& window : instruction.window) longest = std::max(longest, window.size);
  }
  return longest;
}

TEST(Cumulative, SumsAndMaximaAreThoseOfAllElementsBefore) {
  std::mt19937 random(3);
  for (const CumulativeCase& of : {CumulativeCase{2, 129, 1},
                                   {1, 1000, 3, false},
                                   {3, 300, 2, true, true},
                                   {1, 20'000, 1},
                                   {1, 17'000, 1, false}}) {
    SCOPED_TRACE(of.length);
    Module module = cumulative_module(of);
    expand_cumulative_windows(module);
    build::verify(module);
    EXPECT_EQ(longest_window(module), cumulative_base);
    Literal x{make_shape(ElementType::f64, {of.rows, of.length, of.columns}), {}, {}};
    // Whole numbers, whose sums are exact in any order.
    for (std::int64_t i = 0; i < of.rows * of.length * of.columns; ++i) x.values.push_back(double(random() % 100) - 50);
    EXPECT_EQ(eval::evaluate(module, std::vector{x}).values, one_after_another(of, x.values));
  }
}

TEST(Cumulative, OtherWindowsStay) {
  for (const std::int64_t length : {cumulative_base, std::int64_t{2}}) {
    Module module = cumulative_module({2, length, 2});
    const std::size_t before = module.entry_computation().instructions.size();
    expand_cumulative_windows(module);
    EXPECT_EQ(module.entry_computation().instructions.size(), before);
  }
  build::GraphBuilder b("pool");
  const InstructionId x = b.parameter(make_shape(ElementType::f64, {1, 1000, 1}), "x");
  std::vector<WindowDimension> window(3);
  window[1] = {.size = 200, .padding_low = 199};
  const InstructionId root = b.reduce_window_add(x, window);
  Module module = std::move(b).build(root);
  expand_cumulative_windows(module);
  EXPECT_EQ(longest_window(module), 200);
}

}  // namespace
}  // namespace podsim::hlo::expanders
