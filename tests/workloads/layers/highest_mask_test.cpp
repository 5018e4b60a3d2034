// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/highest_mask.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

using hlo::ElementType;
using hlo::Literal;

Literal mask_of(const Literal& scores, const Literal& counts) {
  hlo::build::GraphBuilder b("test");
  const hlo::InstructionId of = b.parameter(scores.shape, "scores"), how_many = b.parameter(counts.shape, "counts");
  const hlo::InstructionId mask = highest_mask(b, of, how_many);
  const hlo::Module module = std::move(b).build(mask);
  hlo::build::verify(module);
  return hlo::eval::evaluate(module, std::vector{scores, counts});
}

/// The oracle is a sort.
TEST(HighestMask, MarksTheHighestOfRandomScores) {
  constexpr std::int64_t rows = 5, elements = 60;
  for (unsigned seed = 1; seed < 6; ++seed) {
    const Literal scores =
        hlo::testing::random_literal(hlo::make_shape(ElementType::f32, {rows, elements}), seed, 0, 1e3);
    const std::vector<double> counts{0, 1, 7, 59, 60};
    const Literal mask = mask_of(scores, hlo::testing::make_literal(ElementType::s32, {rows}, counts));
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
  const Literal scores = hlo::testing::make_literal(ElementType::f32, {2, 4}, {1, 2, 2, 0, 0, 0, 0, 0});
  const Literal mask = mask_of(scores, hlo::testing::make_literal(ElementType::s32, {2}, {2, 1}));
  EXPECT_EQ(mask.values, (std::vector<double>{0, 1, 1, 0, 1, 1, 1, 1}));
}

}  // namespace
}  // namespace podsim::workloads::layers
