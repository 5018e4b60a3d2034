// SPDX-License-Identifier: Apache-2.0
#include "workloads/layers/top_elements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "hlo/build/verify.h"
#include "hlo/eval/evaluator.h"
#include "tests/hlo/literals.h"

namespace podsim::workloads::layers {
namespace {

using hlo::ElementType;
using hlo::InstructionId;
using hlo::Literal;

// The oracle is a stable sort of the indices.
TEST(TopElements, AreTheHighestAndTheirRows) {
  constexpr std::int64_t rows = 3, elements = 50, count = 12, width = 4;
  hlo::build::GraphBuilder b("test");
  const InstructionId scores = b.parameter(hlo::make_shape(ElementType::f32, {rows, elements}), "scores");
  const InstructionId values = b.parameter(hlo::make_shape(ElementType::f32, {rows, elements, width}), "values");
  const TopElements top = top_elements(b, scores, count);
  const InstructionId root =
      b.tuple({top.scores, top.indices, elements_at(b, values, top.indices), elements_at(b, scores, top.indices)});
  const hlo::Module module = std::move(b).build(root);
  hlo::build::verify(module);
  Literal some = hlo::testing::random_literal(hlo::make_shape(ElementType::f32, {rows, elements}), 1, 0, 20);
  for (double& value : some.values) value = std::floor(value);  // many are equal
  const Literal others = hlo::testing::random_literal(hlo::make_shape(ElementType::f32, {rows, elements, width}), 2);
  const Literal found = hlo::eval::evaluate(module, std::vector{some, others});
  for (std::int64_t row = 0; row < rows; ++row) {
    const auto score = [&](std::int64_t i) { return some.values[std::size_t(row * elements + i)]; };
    std::vector<std::int64_t> order(elements);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](std::int64_t i, std::int64_t j) { return score(i) > score(j); });
    for (std::int64_t k = 0; k < count; ++k) {
      const std::size_t place = std::size_t(row * count + k);
      const std::int64_t at = order[std::size_t(k)];
      EXPECT_EQ(found.elements[0].values[place], score(at));
      EXPECT_EQ(found.elements[1].values[place], double(at));
      EXPECT_EQ(found.elements[3].values[place], score(at));
      for (std::int64_t i = 0; i < width; ++i) {
        EXPECT_EQ(found.elements[2].values[place * width + std::size_t(i)],
                  others.values[std::size_t((row * elements + at) * width + i)]);
      }
    }
  }
}

}  // namespace
}  // namespace podsim::workloads::layers
