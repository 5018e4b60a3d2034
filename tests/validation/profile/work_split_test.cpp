// SPDX-License-Identifier: Apache-2.0
#include "validation/profile/work_split.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

namespace podsim::validation::profile {
namespace {

TEST(WorkSplit, FindsTheOperationsOfAFeedForwardLayer) {
  // BERT's first feed-forward product: six operations on its input, a conversion of its weights, one bias.
  const double input = 16384.0 * 1024, weights = 1024.0 * 4096, output = 16384.0 * 4096;
  EXPECT_EQ(split_work(6 * input + weights + output, {{input, 6}, {weights, 1}, {output, 2}}),
            (std::vector<std::int64_t>{6, 1, 1}));
}

TEST(WorkSplit, NothingIsNothing) { EXPECT_EQ(split_work(0, {{100, 3}, {200, 1}}), (std::vector<std::int64_t>{0, 0})); }

// Operations that add up exactly are found as some split that adds up.
RC_GTEST_PROP(WorkSplit, WholeOperationsAddUp, ()) {
  std::vector<WorkSide> sides;
  double operations = 0;
  for (int i = 0; i < 3; ++i) {
    const auto elements = double(*rc::gen::inRange<std::int64_t>(1000, 1000000));
    const std::int64_t count = *rc::gen::inRange<std::int64_t>(0, 12);
    sides.push_back({elements, count});
    operations += double(count) * elements;
  }
  const std::vector<std::int64_t> split = split_work(operations, sides);
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) sum += double(split[i]) * sides[i].elements;
  RC_ASSERT(std::abs(sum - operations) <= 0.003 * operations + 1);
}

}  // namespace
}  // namespace podsim::validation::profile
