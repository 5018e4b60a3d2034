// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/highest_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "sw/ir/build/verify.h"
#include "sw/ir/eval/evaluator.h"
#include "tests/sw/ir/literals.h"

namespace podsim::workloads::layers {
namespace {

using sw::ir::ElementType;
using sw::ir::Literal;

Literal mask_of(const Literal& scores, const Literal& counts) {
  sw::ir::build::GraphBuilder b("test");
  const sw::ir::InstructionId of = b.parameter(scores.shape, "scores"), how_many = b.parameter(counts.shape, "counts");
  const sw::ir::InstructionId mask = highest_mask(b, of, how_many);
  const sw::ir::Module module = std::move(b).build(mask);
  sw::ir::build::verify(module);
  return sw::ir::eval::evaluate(module, std::vector{scores, counts});
}

/// The oracle is a sort.
TEST(HighestMask, MarksTheHighestOfRandomScores) {
  constexpr std::int64_t rows = 5, elements = 60;
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Literal scores =
        sw::ir::testing::random_literal(sw::ir::make_shape(ElementType::f32, {rows, elements}), seed, 0, 1e3);
    const std::vector<double> counts{0, 1, 7, 59, 60};
    const Literal mask = mask_of(scores, sw::ir::testing::make_literal(ElementType::s32, {rows}, counts));
    for (std::int64_t row = 0; row < rows; ++row) {
      const auto begin = scores.values.begin() + row * elements;
      std::vector<double> sorted(begin, begin + elements);
      std::ranges::sort(sorted, std::greater<>());
      const std::size_t count = std::size_t(counts[std::size_t(row)]);
      for (std::int64_t i = 0; i < elements; ++i) {
        const bool expected = count > 0 && begin[i] >= sorted[count - 1];
        EXPECT_EQ(mask.values[std::size_t(row * elements + i)] != 0, expected) << seed << " " << row << " " << i;
      }
    }
  }
}

TEST(HighestMask, MarksAllThatEqualTheLowest) {
  const Literal scores = sw::ir::testing::make_literal(ElementType::f32, {2, 4}, {1, 2, 2, 0, 0, 0, 0, 0});
  const Literal mask = mask_of(scores, sw::ir::testing::make_literal(ElementType::s32, {2}, {2, 1}));
  EXPECT_EQ(mask.values, (std::vector<double>{0, 1, 1, 0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace podsim::workloads::layers
