// SPDX-License-Identifier: Apache-2.0
#include "hlo/expanders/top_k.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "hlo/build/graph_builder.h"
#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"

namespace podsim::hlo::expanders {
namespace {

/// Rows of numbers with many that are equal, infinities and zeros of both signs.
Literal random_rows(std::int64_t rows, std::int64_t columns) {
  std::mt19937 random(7);
  Literal made{make_shape(ElementType::f32, {rows, columns}), {}, {}};
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> special{infinity, -infinity, 0.0, -0.0};
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    made.values.push_back(random() % 9 == 0 ? special[random() % special.size()] : double(random() % 11) - 5);
  }
  return made;
}

TEST(TopK, IsTheFirstOfAStableSortInTotalOrder) {
  const Literal x = random_rows(6, 40);
  for (const bool largest : {true, false}) {
    build::GraphBuilder b("m");
    Instruction top;
    top.opcode = Opcode::topk;
    top.operands = {b.parameter(x.shape, "x")};
    top.index = 12;
    top.largest = largest;
    const InstructionId root = b.add(std::move(top));
    Module module = std::move(b).build(root);
    expand_top_k(module);
    build::verify(module);
    EXPECT_EQ(std::ranges::count(module.entry_computation().instructions, Opcode::topk, &Instruction::opcode), 0);
    const Literal result = eval::evaluate(module, std::vector{x});
    for (std::int64_t row = 0; row < 6; ++row) {
      std::vector<std::int64_t> order(40);
      std::iota(order.begin(), order.end(), std::int64_t{0});
      const auto value = [&](std::int64_t i) { return x.values[std::size_t(row * 40 + i)]; };
      // In total order -0 is before +0.
      const auto key = [&](std::int64_t i) { return std::pair(value(i), !std::signbit(value(i))); };
      std::ranges::stable_sort(
          order, [&](std::int64_t i, std::int64_t j) { return largest ? key(j) < key(i) : key(i) < key(j); });
      for (std::int64_t i = 0; i < 12; ++i) {
        EXPECT_EQ(result.elements[0].values[std::size_t(row * 12 + i)], value(order[std::size_t(i)]));
        EXPECT_EQ(result.elements[1].values[std::size_t(row * 12 + i)], double(order[std::size_t(i)]));
      }
    }
  }
}

}  // namespace
}  // namespace podsim::hlo::expanders
